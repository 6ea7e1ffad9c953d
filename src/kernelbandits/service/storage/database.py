"""What the service asks of a database: transactions, its tables, and files that it keeps."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, final

from kernelbandits.errors import InvalidFile, KernelBanditsError

Row = tuple[Any, ...]


class StorageUnavailable(KernelBanditsError, OSError):  # noqa: N818
    """The database cannot be read or written now. Nothing was changed; the same request may be sent again."""


class Busy(StorageUnavailable):
    """Others write just now."""


@final
class Transaction:
    """Statements that take effect together. They are written with `?` for a value, in the SQL that both databases know.

    Values never become part of a statement's text. `append_alone` lets no other transaction append to the journal until
    this one has ended.
    """

    __slots__ = ("_execute", "append_alone")

    def __init__(
        self, execute: Callable[[str, Sequence[Any]], Any], append_alone: Callable[[], Any] = lambda: None
    ) -> None:
        """`execute` carries out a statement and returns its cursor."""
        self._execute, self.append_alone = execute, append_alone

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Return the rows of a query, or of a statement with RETURNING."""
        found: list[Row] = self._execute(sql, values).fetchall()
        return found

    def change(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Carry out a statement; returns how many rows it changed."""
        return int(self._execute(sql, values).rowcount)

    def one(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """Return the first row of a query; None if there is none."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def value(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """Return the first entry of the first row of a query; None if there is none."""
        found = self.rows(sql, values)
        return found[0][0] if found else None


class Database(ABC):
    """One connection, for one thread. It is opened when first used, and again after it was lost."""

    kinds: ClassVar[dict[str, str]]  # what `{number}`, `{bytes}` … of a migration are called here

    @abstractmethod
    def write(self, *, wait: bool = True) -> AbstractContextManager[Transaction]:
        """Begin a transaction that is on disk when the block ends, and undone if it raises.

        Without `wait` it raises `Busy` where it would have to wait for others for more than a millisecond or so.
        """

    @abstractmethod
    def read(self) -> AbstractContextManager[Transaction]:
        """Begin a transaction that sees one state of the database."""

    @abstractmethod
    def lead(self) -> bool:
        """Try to become the one learner of this database; the right ends with the connection or the process."""

    @abstractmethod
    def scratch(self) -> Path:
        """A folder in which bundles are made before they are kept."""

    @abstractmethod
    def keep_bundle(self, tx: Transaction, version: int, path: Path) -> None:
        """Keep the bundle of a version, a file in `scratch` that may be moved."""

    @abstractmethod
    def bundle(self, version: int, scratch: Path) -> Path | None:
        """Return a file with the bundle of a version, in the folder `scratch` if it must be made; None if lost."""

    @abstractmethod
    def drop_bundles(self, tx: Transaction, kept: Sequence[int]) -> None:
        """Forget the bundles of other versions."""

    @abstractmethod
    def shrink(self) -> None:
        """Give the space of deleted rows back."""

    @abstractmethod
    def back_up(self, path: Path) -> None:
        """Write a copy of the whole database while others use it."""

    @abstractmethod
    def close(self) -> None:
        """End the connection."""


MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)""",
        """CREATE TABLE events (
            n {number}, id TEXT NOT NULL UNIQUE, time BIGINT NOT NULL, due BIGINT NOT NULL, version BIGINT NOT NULL,
            revision BIGINT NOT NULL, arm TEXT NOT NULL, preferred TEXT NOT NULL, propensity {real} NOT NULL,
            ranking TEXT NOT NULL, request TEXT NOT NULL, control INTEGER NOT NULL, active INTEGER NOT NULL,
            settled INTEGER NOT NULL DEFAULT 0, outcome {real}, fate TEXT)""",
        "CREATE INDEX events_due ON events (due) WHERE settled = 0 AND active = 1",
        """CREATE TABLE rewards (
            n {number}, event_id TEXT NOT NULL, reward_id TEXT NOT NULL, value {real} NOT NULL, time BIGINT NOT NULL,
            fate TEXT, UNIQUE (event_id, reward_id))""",
        "CREATE INDEX rewards_new ON rewards (n) WHERE fate IS NULL",
        """CREATE TABLE arms (name TEXT PRIMARY KEY, removed INTEGER NOT NULL DEFAULT 0)""",
        """CREATE TABLE journal (
            seq BIGINT PRIMARY KEY, kind TEXT NOT NULL, event_id TEXT, arm TEXT, value {real}, detail TEXT,
            time BIGINT NOT NULL)""",
    ),
    (
        """CREATE TABLE snapshots (
            version BIGINT PRIMARY KEY, time BIGINT NOT NULL, statistics TEXT NOT NULL, bundle {bytes})""",
        "CREATE TABLE files (digest TEXT PRIMARY KEY, name TEXT NOT NULL, content {bytes} NOT NULL)",
    ),
    (
        """CREATE TABLE counters (
            worker TEXT NOT NULL, name TEXT NOT NULL, value {real} NOT NULL, PRIMARY KEY (worker, name))""",
    ),
    ("CREATE INDEX events_time ON events (time)",),
    ("CREATE INDEX events_by_due ON events (due, n)",),
)
"""The tables, as numbered steps from the first release on. A step that was published is never changed."""


def migrate(database: Database, steps: tuple[tuple[str, ...], ...] = MIGRATIONS) -> int:
    """Bring the tables to the newest form, all steps or none; returns how many steps were taken."""
    with database.write() as tx:
        tx.change("CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY)")
        done: int = tx.value("SELECT coalesce(max(number), 0) FROM migrations")
        if done > len(steps):
            raise InvalidFile(
                f"the database was written by a newer release (schema {done}, this one knows {len(steps)}); "
                "install that release, or restore a backup"
            )
        for number, statements in enumerate(steps[done:], start=done + 1):
            for statement in statements:
                tx.change(statement.format(**database.kinds))
            tx.change("INSERT INTO migrations (number) VALUES (?)", (number,))
    return len(steps) - done


def keep_file(tx: Transaction, path: Path) -> str:
    """Keep a copy of a file; returns its digest."""
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    sql = "INSERT INTO files (digest, name, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
    tx.change(sql, (digest, path.name, content))
    return digest


@contextmanager
def kept_file(database: Database, digest: str) -> Iterator[Path]:
    """A file that was kept, until the block ends."""
    with database.read() as tx:
        row = tx.one("SELECT name, content FROM files WHERE digest = ?", (digest,))
    if row is None:
        raise InvalidFile(f"the file {digest}, which the journal begins from, is not in the database")
    with TemporaryDirectory() as folder:
        path = Path(folder) / row[0]
        path.write_bytes(row[1])
        yield path
