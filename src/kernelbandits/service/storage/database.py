"""What the service asks of a database."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, final

from kernelbandits.errors import KernelBanditsError

Row = tuple[Any, ...]


class StorageUnavailable(KernelBanditsError, OSError):  # noqa: N818
    """The database cannot be read or written now. Nothing was changed; the same request may be sent again."""


class Busy(StorageUnavailable):
    """Others write just now."""


@final
class Transaction:
    """Statements that take effect together. They are written with `?` for a value, in the SQL that both databases know.

    Values never become part of a statement's text.
    """

    __slots__ = ("_execute", "_lock_journal")

    def __init__(
        self, execute: Callable[[str, Sequence[Any]], Any], lock_journal: Callable[[], Any] = lambda: None
    ) -> None:
        """`execute` carries out a statement and returns its cursor; `lock_journal` does what `append_alone` says."""
        self._execute = execute
        self._lock_journal = lock_journal

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Return the rows of a query, or of a statement with RETURNING."""
        found: list[Row] = self._execute(sql, values).fetchall()
        return found

    def change(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Carry out a statement; returns how many rows it changed."""
        return int(self._execute(sql, values).rowcount)

    def append_alone(self) -> None:
        """Let no other transaction append to the journal until this one has ended."""
        self._lock_journal()

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

    kinds: ClassVar[dict[str, str]]
    """What `{number}`, `{bytes}` … of a migration are called here."""

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
