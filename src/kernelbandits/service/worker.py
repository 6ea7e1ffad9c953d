"""What a web worker holds: the newest snapshot, and threads that write, read and look for newer ones."""

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar, final

import msgspec

from kernelbandits.errors import KernelBanditsError
from kernelbandits.service.clock import Clock
from kernelbandits.service.deciding import Decider
from kernelbandits.service.decisions import Snapshot
from kernelbandits.service.group_commit import GroupCommit
from kernelbandits.service.journal import learning_at
from kernelbandits.service.metrics import Metrics
from kernelbandits.service.opening import salt_of
from kernelbandits.service.settings import Settings
from kernelbandits.service.state import bundled_bandit
from kernelbandits.service.storage import Database, Transaction, open_database

_log = logging.getLogger(__name__)
T = TypeVar("T")
_SWITCH = 5e-5  # seconds after which a thread that loads a snapshot is asked to make room
_LOOK = 0.1  # seconds between two looks for a new snapshot


@final
class Worker:
    """Everything that the routes of one process need."""

    def __init__(self, settings: Settings, clock: Clock, name: str) -> None:
        self.settings = settings
        self.clock = clock
        self.name = name
        self.snapshot: Snapshot | None = None
        self.published: dict[str, Any] = {}
        self.page: tuple[float, Any] | None = None
        self.metrics = Metrics(name)
        self.stopping = asyncio.Event()
        self._ended = threading.Event()
        self._seen: Any = None
        self._reader = ThreadPoolExecutor(1, "reader")
        self._read_database = open_database(settings.database)

    def start(self) -> None:
        """Start the threads; called in the event loop."""
        loop = asyncio.get_running_loop()
        self.writer = GroupCommit(open_database(self.settings.database), self.metrics, loop)
        self.decider = Decider(loop, self.writer)
        threading.Thread(target=self._follow, name="snapshots", daemon=True).start()

    def stop(self) -> None:
        """Write what is waiting, and end the threads."""
        self._ended.set()
        self.writer.close()
        self._reader.shutdown()

    async def read(self, query: Callable[[Transaction], T]) -> T:
        """The answer of a query, made in another thread."""

        def answer() -> T:
            with self._read_database.read() as tx:
                return query(tx)

        return await asyncio.get_running_loop().run_in_executor(self._reader, answer)

    def _follow(self) -> None:
        database = open_database(self.settings.database)
        while not self._ended.is_set():
            try:
                self._look(database)
            except KernelBanditsError as error:
                _log.warning("no new snapshot: %s", error)
                time.sleep(0.5)
            self._ended.wait(_LOOK)
        database.close()

    def _look(self, database: Database) -> None:
        known = -1 if self.snapshot is None else self.snapshot.version
        with database.read() as tx:
            row = tx.one("SELECT version, time FROM snapshots ORDER BY version DESC LIMIT 1")
            if row is None or row == self._seen:
                return
            version = row[0]
            [(published,)] = tx.rows("SELECT statistics FROM snapshots WHERE version = ?", (version,))
            about = msgspec.json.decode(published)
            if version == known:
                self._seen, self.published = row, _shown(version, about)
                return
            learning, salt = learning_at(tx, about["revision"]), salt_of(tx)
        bandit = None
        if about["bandit"] is not None:
            with _giving_way():
                bandit = bundled_bandit(database, version)
            if bandit is None:  # a newer one has taken its place
                return
        self.snapshot = Snapshot.of(version, bandit, learning, about["revision"], salt)
        self._seen, self.published = row, _shown(version, about)


@contextmanager
def _giving_way() -> Iterator[None]:
    """Let other threads run as soon as they can, until the block ends.

    An answer has to ask for the interpreter again after every statement to the database, some twenty times. With the
    usual five milliseconds for each, it would be a tenth of a second late.
    """
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)


def _shown(version: int, about: dict[str, Any]) -> dict[str, Any]:
    """What is told of a snapshot."""
    return {"version": version, **about["summary"], "bandit": about["bandit"]}
