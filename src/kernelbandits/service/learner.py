"""The learner: one process that owns the policy, takes in what is due, and publishes snapshots."""

import logging
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import final

import msgspec

from kernelbandits.errors import KernelBanditsError
from kernelbandits.service.clock import Clock
from kernelbandits.service.events import export
from kernelbandits.service.journal import GRACE, JournalEntry, append, last_seq, learning_at, settle
from kernelbandits.service.state import State, bundled_bandit
from kernelbandits.service.statistics import Statistics
from kernelbandits.service.storage import Database, StorageUnavailable, keep_file

_log = logging.getLogger(__name__)
_KEPT = 3  # bundles that are kept: a web worker may be reading the last but one
_OLD = "time < ? AND (settled = 1 OR active = 0)"
_LOOK_AGAIN = 3600.0
_PAUSE = 0.02  # seconds between two looks at the database while nothing happens


@final
class LearnerProcess:
    """Owns the state of a database; `step` does what is due. One that loses the lead finds out, and begins again."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        publish_every: float = 1.0,
        retention: float | None = None,
        archive: Path | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._every = publish_every
        self._retention, self._archive, self._next_look = retention, archive, 0.0
        self._published = -1
        self._changed = False
        self._last_publication = float("-inf")
        self.state: State | None = None
        self.statistics = Statistics()

    def run(self, stopped: Callable[[], bool]) -> None:
        while not stopped():
            try:
                busy = self.lead() and self.step()
                self.retain()
            except StorageUnavailable as error:
                _log.warning("the learner waits for the database: %s", error)
                self.state, busy = None, False
                time.sleep(0.5)
            if not busy:
                time.sleep(_PAUSE)
        if self.state is not None:
            self.publish()

    def lead(self) -> bool:
        """Become the one learner, if no other is; the state is then rebuilt from the newest bundle and the journal."""
        if self.state is None:
            if not self._database.lead():
                time.sleep(0.2)
                return False
            self.state = rebuilt(self._database)
            with self._database.read() as tx:  # statistics go on from those of the newest snapshot
                row = tx.one("SELECT statistics FROM snapshots ORDER BY version DESC LIMIT 1")
            kept = {} if row is None else msgspec.json.decode(row[0])["statistics"]
            self.statistics = msgspec.convert(kept, Statistics)
            _log.info("leading from version %d", self.state.version)
            self.publish()
        return True

    def step(self) -> bool:
        """Settle what is due, take it in, publish; returns whether there is more to do."""
        state = self.state
        assert state is not None  # noqa: S101
        assert state.learning is not None  # noqa: S101
        busy = False
        if self._due():
            with self._database.write() as tx:
                busy = settle(tx, state.learning, self._clock.now())
        with self._database.read() as tx:
            until = last_seq(tx)
        state.follow(until)
        with self._database.read() as tx:
            n_arms = 0 if state.bandit is None else len(state.bandit.arms)
            looked = self.statistics.follow(tx, state.learning, n_arms, self._clock.now())
        self._changed |= looked > 0
        waited = time.monotonic() - self._last_publication
        if (state.version != self._published or self._changed) and waited >= self._every:
            self.publish()
        return busy or looked > 0

    def publish(self) -> None:
        """Write the state as a bundle that web workers load."""
        state = self.state
        assert state is not None  # noqa: S101
        self._last_publication = time.monotonic()
        if state.version == self._published and not self._changed:
            return
        write_snapshot(self._database, state, self.statistics, self._clock.now(), new=state.version != self._published)
        self._published, self._changed = state.version, False

    def retain(self) -> None:
        """Once an hour, forget what is older than the settings keep."""
        if self._retention is None or self.state is None or time.monotonic() < self._next_look:
            return
        self._next_look = time.monotonic() + _LOOK_AGAIN
        now = self._clock.now()
        forgotten = forget(self._database, self.state, now - round(self._retention * 1e6), now, self._archive)
        if forgotten:
            _log.info("%d old events were deleted", forgotten)

    def _due(self) -> bool:
        """Whether there is anything to settle, found out without writing."""
        with self._database.read() as tx:
            new = tx.one("SELECT 1 FROM rewards WHERE fate IS NULL LIMIT 1")
            over = (self._clock.now() - GRACE,)
            return bool(
                new or tx.one("SELECT 1 FROM events WHERE settled = 0 AND active = 1 AND due < ? LIMIT 1", over)
            )


def write_snapshot(database: Database, state: State, statistics: Statistics, now: int, *, new: bool = True) -> None:
    """Publish a state, or only its statistics if the state is not new. Both follow from the log."""
    published = {
        "statistics": msgspec.to_builtins(statistics),
        "summary": {**statistics.summary(), "refused": state.refused},
        "bandit": None if state.bandit is None else state.bandit.summary().to_dict(),
        "revision": state.revision,
    }
    text = msgspec.json.encode(published).decode()
    if not new:
        with database.write() as tx:
            tx.change("UPDATE snapshots SET time = ?, statistics = ? WHERE version = ?", (now, text, state.version))
        return
    with TemporaryDirectory(dir=database.scratch(), prefix=".") as folder:
        path = Path(folder) / "bundle.kb"
        if state.bandit is not None:
            state.bandit.save(path)
        with database.write() as tx:
            tx.change("DELETE FROM snapshots WHERE version = ?", (state.version,))
            row = (state.version, now, text)
            tx.change("INSERT INTO snapshots (version, time, statistics) VALUES (?, ?, ?)", row)
            if state.bandit is not None:
                database.keep_bundle(tx, state.version, path)
            kept = [row[0] for row in tx.rows("SELECT version FROM snapshots ORDER BY version DESC LIMIT ?", (_KEPT,))]
            tx.change("DELETE FROM snapshots WHERE version < ?", (kept[-1],))
            database.drop_bundles(tx, kept)


def rebuilt(database: Database) -> State:
    """The state of the journal's end: from the newest snapshot that can be read, or from the first entry."""
    with database.read() as tx:
        until = last_seq(tx)
        found = tx.rows("SELECT version, statistics FROM snapshots ORDER BY version DESC")
    for version, published in found:
        state = _restored(database, version, published)
        if state is not None:
            return state.follow(until)
    return State(database).follow(until)


def _restored(database: Database, version: int, published: str) -> State | None:
    """The state of a snapshot; None if its bundle is lost or damaged."""
    about = msgspec.json.decode(published)
    state = State(database)
    try:
        state.bandit = None if about["bandit"] is None else bundled_bandit(database, version)
    except KernelBanditsError as error:
        _log.warning("the bundle of version %d cannot be read and is made again: %s", version, error)
        return None
    if state.bandit is None and about["bandit"] is not None:
        return None
    with database.read() as tx:
        state.learning = learning_at(tx, about["revision"])
    state.version, state.revision = version, about["revision"]
    state.refused = about["summary"]["refused"]
    return state


def forget(database: Database, state: State, before: int, now: int, archive: Path | None) -> int:
    """Delete settled events that are older than `before`, in microseconds; returns how many.

    The state is kept in the database as the base of later replays, so that it still follows from what is kept.
    """
    if state.bandit is None:
        return 0
    with database.read() as tx:
        n: int = tx.value(f"SELECT count(*) FROM events WHERE {_OLD}", (before,))  # noqa: S608 (a constant)
    if not n:
        return 0
    if archive is not None:
        archive.mkdir(parents=True, exist_ok=True)
        export(database, archive / f"events-before-{before}.parquet", before=before)
    with TemporaryDirectory(dir=database.scratch(), prefix=".") as folder:
        path = state.bandit.save(Path(folder) / "base.kb")
        with database.write() as tx:
            about = {"digest": keep_file(tx, path), "revision": state.revision, "refused": state.refused}
            detail = msgspec.json.encode(about).decode()
            if append(tx, [JournalEntry("base", now, value=float(state.version), detail=detail)]) != state.version + 1:
                raise StorageUnavailable("the journal has grown meanwhile; try again")
            for table in ("rewards", "journal"):
                old = f"SELECT id FROM events WHERE {_OLD}"  # noqa: S608 (a constant)
                tx.change(f"DELETE FROM {table} WHERE event_id IN ({old})", (before,))  # noqa: S608
            tx.change(f"DELETE FROM events WHERE {_OLD}", (before,))  # noqa: S608
    database.shrink()
    return n
