"""SQLite: one file, written by several processes of one machine."""

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import ClassVar, final

from kernelbandits.reporting import replacing
from kernelbandits.service.storage.database import Busy, Database, StorageUnavailable, Transaction

_PATIENCE = 5.0  # seconds that a statement waits for a lock of another program
_TRIES, _MOMENT = 10, 5e-5  # how often, and after how many seconds, to ask again for what others have now


@final
class SqliteDatabase(Database):
    """A file with a write-ahead log: what `write` has written survives a loss of power.

    SQLite lets one transaction write at a time, and whoever waits for it asks again after a sleep. Processes of the
    service therefore queue on a lock of the operating system, which wakes the next one at once and is released when
    its holder is killed. With `synchronous=FULL` SQLite would wait for the disk while it keeps the others out. So it
    only appends to its log (`synchronous=NORMAL`), and `write` waits for the disk after its turn: all that was appended
    before, by whomever, is then on disk too, so that nothing is kept that follows from something lost.
    """

    kinds: ClassVar = {"number": "INTEGER PRIMARY KEY", "bytes": "BLOB", "real": "REAL"}

    def __init__(self, path: Path) -> None:
        self.path = path
        self._bundles = path.with_name(path.name + "-bundles")
        self._connection: sqlite3.Connection | None = None
        self._turn = self._log = -1
        self._patient = True
        self._leading = -1

    @contextmanager
    def write(self, *, wait: bool = True) -> Iterator[Transaction]:
        with self._understood():
            connection = self._connected()
            self._take_turn(connection, wait)
            try:
                yield Transaction(connection.execute)  # alone from its beginning
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                raise
            finally:
                fcntl.flock(self._turn, fcntl.LOCK_UN)
            self._wait_for_disk()

    def _wait_for_disk(self) -> None:
        """Return when the log is on disk. What a failure leaves there is unknown, so one begins anew after it."""
        try:
            os.fdatasync(self._log)
        except OSError as error:
            self._disconnect()
            raise StorageUnavailable(f"{self.path.name}: {error.strerror}") from error

    def _take_turn(self, connection: sqlite3.Connection, wait: bool) -> None:
        """Begin to write, when no process of the service does, nor another program."""
        if wait:
            fcntl.flock(self._turn, fcntl.LOCK_EX)
        else:
            self._try_turn()
        try:
            if wait != self._patient:
                connection.execute(f"PRAGMA busy_timeout = {int(1000 * _PATIENCE) if wait else 0}")
                self._patient = wait
            connection.execute("BEGIN IMMEDIATE")
        except BaseException as error:
            fcntl.flock(self._turn, fcntl.LOCK_UN)
            if not wait and isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
                raise Busy("another program writes") from None
            raise

    def _try_turn(self) -> None:
        """Wait a moment, as long as another process needs for a small transaction: waking a thread takes as long."""
        for _ in range(_TRIES):
            if _locked(self._turn):
                return
            time.sleep(_MOMENT)
        raise Busy("another process writes")

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        with self._understood():
            connection = self._connected()
            connection.execute("BEGIN")
            try:
                yield Transaction(connection.execute)
            finally:
                connection.execute("ROLLBACK")

    def lead(self) -> bool:
        if self._leading < 0:
            self._leading = _opened(self.path.with_name(self.path.name + "-learner"))
        return _locked(self._leading)

    def scratch(self) -> Path:
        self._bundles.mkdir(exist_ok=True)
        return self._bundles

    def keep_bundle(self, tx: Transaction, version: int, path: Path) -> None:
        path.replace(self._file(version))

    def bundle(self, version: int, scratch: Path) -> Path | None:
        path = self._file(version)
        return path if path.is_file() else None

    def drop_bundles(self, tx: Transaction, kept: Sequence[int]) -> None:
        for path in self._bundles.glob("*.kb"):
            if path.stem.isdecimal() and int(path.stem) not in kept:
                path.unlink(missing_ok=True)

    def shrink(self) -> None:
        with self._understood():
            connection = self._connected()
            fcntl.flock(self._turn, fcntl.LOCK_EX)
            try:
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                fcntl.flock(self._turn, fcntl.LOCK_UN)

    def back_up(self, path: Path) -> None:
        with self._understood(), replacing(path) as part, closing(sqlite3.connect(part)) as copy:
            self._connected().backup(copy, pages=1000)

    def close(self) -> None:
        self._disconnect()
        if self._leading >= 0:
            os.close(self._leading)
            self._leading = -1

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            os.close(self._turn)
            os.close(self._log)
            self._connection = None

    def _file(self, version: int) -> Path:
        return self._bundles / f"{version}.kb"

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            turn = _opened(self.path.with_name(self.path.name + "-lock"))
            connection = sqlite3.connect(self.path, _PATIENCE, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("SELECT 1 FROM sqlite_master").fetchall()  # opens the log, which stays while this does
            self._log = os.open(self.path.with_name(self.path.name + "-wal"), os.O_RDWR | os.O_CLOEXEC)
            self._turn, self._connection, self._patient = turn, connection, True
        return self._connection

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """Say in one line what SQLite cannot do now."""
        try:
            yield
        except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
            raise StorageUnavailable(f"{self.path.name}: {error}") from error


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _locked(file: int) -> bool:
    """Lock a file for this process; returns whether no other has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
