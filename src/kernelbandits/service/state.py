"""The state of the service as a fold over the journal."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self, final

import msgspec
import numpy as np

from kernelbandits.bandit import Bandit, learn, load_bandit
from kernelbandits.errors import InvalidFile, KernelBanditsError
from kernelbandits.saving import restore
from kernelbandits.service.decisions import Snapshot
from kernelbandits.service.journal import JournalEntry, ShownEvent, entries_after
from kernelbandits.service.settings import Learning
from kernelbandits.service.storage import Database, kept_file
from kernelbandits.tables import read_frame

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@final
class State:
    """What follows from the first `version` entries of the journal, to the last bit."""

    __slots__ = ("_database", "bandit", "learning", "refused", "revision", "version")

    def __init__(self, database: Database) -> None:
        self._database = database
        self.version = 0
        self.revision = 0  # number of the entry with the settings
        self.bandit: Bandit | None = None  # there is none before the first arm
        self.learning: Learning | None = None  # the settings, which are the first entry
        self.refused = 0  # outcomes and arms that the policy could not take

    def take(self, entry: JournalEntry, shown: ShownEvent | None) -> None:
        """Take in the next entry."""
        if entry.kind == "settings":
            self._change_settings(entry)
        elif entry.kind == "base":
            about = msgspec.json.decode(entry.detail or "")  # what was kept when older events were deleted
            with kept_file(self._database, about["digest"]) as path:
                self.bandit = load_bandit(path)
            self.refused = about["refused"]
        elif entry.kind in ("arm", "removal"):
            self._change_bandit(entry)
        elif entry.kind == "learn" and shown is not None and not self._learned(entry, shown):
            self.refused += 1
        self.version = entry.seq

    def follow(self, until: int) -> Self:
        """Take in all entries up to `until`. Returns the state."""
        for entry, shown in entries_after(self._database, self.version, until):
            self.take(entry, shown)
        return self

    def snapshot(self, salt: bytes) -> Snapshot:
        """What decisions can be made with, as long as the state does not change."""
        if self.learning is None:
            raise InvalidFile("the journal is empty: the service was never started with its settings")
        return Snapshot.of(self.version, self.bandit, self.learning, self.revision, salt)

    def _change_settings(self, entry: JournalEntry) -> None:
        before, now = self.learning, msgspec.json.decode(entry.detail or "", type=Learning)
        self.learning, self.revision = now, entry.seq
        if before is None or not now.learns_like(before):
            self.bandit = _begun(self._database, now, entry.time)
            self._learn_again(entry.seq - 1)

    def _learn_again(self, until: int) -> None:
        """Take in what was learned before under other settings: arms that came and went, and rewards."""
        for entry, shown in entries_after(self._database, 0, until):
            if entry.kind == "settings":
                for arm in msgspec.json.decode(entry.detail or "", type=Learning).arms:
                    self._change_bandit(entry._replace(kind="arm", arm=arm))
            elif entry.kind in ("arm", "removal"):
                self._change_bandit(entry)
            elif entry.kind == "learn" and shown is not None:
                self._learned(entry, shown)

    def _change_bandit(self, entry: JournalEntry) -> None:
        arm = entry.arm or ""
        if self.bandit is None and entry.kind == "arm" and self.learning is not None:
            self.bandit = _new_bandit(self.learning, (arm,), entry.time)
            return
        if self.bandit is None:
            return
        try:
            if entry.kind == "removal":
                self.bandit.remove_arm(arm)
            elif arm not in self.bandit._problem.arms:
                self.bandit.add_arm(arm)
        except KernelBanditsError:  # a policy that cannot: the same again whenever the journal is read
            self.refused += 1

    def _learned(self, entry: JournalEntry, shown: ShownEvent) -> bool:
        """Learn an outcome; returns whether the policy could."""
        if self.bandit is None or self.learning is None:
            return False
        try:
            learn(self.bandit, self.learning.flat(shown.row), shown.arm, shown.propensity, entry.value or 0.0)
        except KernelBanditsError:  # features that the settings no longer have, say
            return False
        return True


def bundled_bandit(database: Database, version: int) -> Bandit | None:
    """The bandit in the bundle of a snapshot; None if the bundle is lost."""
    with TemporaryDirectory() as folder:
        path = database.bundle(version, Path(folder))
        return None if path is None else restore(path)


def _begun(database: Database, learning: Learning, time: int) -> Bandit | None:
    """The bandit before the first outcome."""
    start = learning.warm_start
    if start is None or learning.warm is None:
        return _new_bandit(learning, learning.arms, time) if learning.arms else None
    with kept_file(database, learning.warm) as path:
        if start.bundle is not None:
            return load_bandit(path)
        bandit = _new_bandit(learning, learning.arms, time)
        return bandit.fit(read_frame(path, bandit.encoding.missing), start.arm, start.reward, start.propensity)


def _new_bandit(learning: Learning, arms: tuple[str, ...], time: int) -> Bandit:
    rng = np.random.default_rng(learning.seed)
    bandit = Bandit(arms, policy=learning.policy_spec(), rng=rng, encoder=learning.encoder())
    bandit.created = _EPOCH + timedelta(microseconds=time)
    return bandit
