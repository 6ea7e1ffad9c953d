"""PostgreSQL: shared by the services of several machines."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import gettempdir
from typing import ClassVar, LiteralString, final

import psycopg

from kernelbandits.service.storage.database import Busy, Database, Row, StorageUnavailable, Transaction

_LEARNER, _JOURNAL = 0x6B626C, 0x6B626A  # keys of advisory locks, per database
_PATIENCE = 5


@cache
def _translated(sql: str) -> LiteralString:
    return sql.replace("%", "%%").replace("?", "%s")  # type: ignore[return-value,unused-ignore]


def _transaction(connection: psycopg.Connection[Row]) -> Transaction:
    return Transaction(
        lambda sql, values: connection.execute(_translated(sql), values),
        lambda: connection.execute("SELECT pg_advisory_xact_lock(%s)", (_JOURNAL,)),
    )


@final
class PostgresDatabase(Database):
    """A database of a server. The learner's right is an advisory lock of the very connection that it writes with."""

    kinds: ClassVar = {
        "number": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "bytes": "BYTEA",
        "real": "DOUBLE PRECISION",
    }

    def __init__(self, address: str) -> None:
        self._address = address
        self._connection: psycopg.Connection[Row] | None = None
        self._leads = False

    @contextmanager
    def write(self, *, wait: bool = True) -> Iterator[Transaction]:
        if not wait:
            raise Busy("a server is always waited for")
        with self._begun(force_rollback=False) as connection:
            yield _transaction(connection)

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        with self._begun(force_rollback=True) as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield _transaction(connection)

    def lead(self) -> bool:
        with self._understood() as connection:
            found = connection.execute("SELECT pg_try_advisory_lock(%s)", (_LEARNER,)).fetchone()
            self._leads = found is not None and bool(found[0])
            return self._leads

    def scratch(self) -> Path:
        return Path(gettempdir())

    def keep_bundle(self, tx: Transaction, version: int, path: Path) -> None:
        tx.change("UPDATE snapshots SET bundle = ? WHERE version = ?", (path.read_bytes(), version))
        path.unlink()

    def bundle(self, version: int, scratch: Path) -> Path | None:
        with self.read() as tx:
            found = tx.one("SELECT bundle FROM snapshots WHERE version = ?", (version,))
        if found is None or found[0] is None:
            return None
        path = scratch / f"{version}.kb"
        path.write_bytes(found[0])
        return path

    def drop_bundles(self, tx: Transaction, kept: Sequence[int]) -> None:
        tx.change("UPDATE snapshots SET bundle = NULL WHERE NOT (version = ANY(?))", ([*kept],))

    def shrink(self) -> None:
        with self._understood() as connection:
            for table in ("events", "rewards", "journal", "snapshots"):
                connection.execute(_translated(f"VACUUM {table}"))

    def back_up(self, path: Path) -> None:
        raise StorageUnavailable("a PostgreSQL database is backed up with pg_dump, or with what your provider has")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection, self._leads = None, False

    @contextmanager
    def _begun(self, *, force_rollback: bool) -> Iterator[psycopg.Connection[Row]]:
        """A transaction. If the connection was lost while nobody used it, another takes its place.

        Not that of the learner, though: its right to lead was lost too.
        """
        with ExitStack() as stack:
            connection = stack.enter_context(self._understood())
            try:
                stack.enter_context(connection.transaction(force_rollback=force_rollback))
            except psycopg.OperationalError:
                if self._leads:
                    raise
                self.close()
                connection = stack.enter_context(self._understood())
                stack.enter_context(connection.transaction(force_rollback=force_rollback))
            yield connection

    @contextmanager
    def _understood(self) -> Iterator[psycopg.Connection[Row]]:
        """The connection; what the server cannot do now is said in one line, and a lost connection is given up."""
        try:
            if self._connection is None or self._connection.closed:
                self._connection = psycopg.connect(self._address, autocommit=True, connect_timeout=_PATIENCE)
            yield self._connection
        except psycopg.Error as error:
            if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
                with suppress(psycopg.Error):
                    self.close()
            first = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise StorageUnavailable(f"PostgreSQL: {first}") from error
