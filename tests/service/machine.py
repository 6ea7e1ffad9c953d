"""The service without HTTP: one database, one learner, and a clock that the test sets."""

from pathlib import Path

import msgspec
from serving import SHOP

from kernelbandits.service import events
from kernelbandits.service.decisions import decide
from kernelbandits.service.learner import LearnerProcess
from kernelbandits.service.opening import prepare, salt_of
from kernelbandits.service.requests import RankRequest
from kernelbandits.service.settings import parse_settings
from kernelbandits.service.storage import open_database


class Machine:
    def __init__(self, address, folder=Path(), **changes):
        self.address, self.folder = address, Path(folder)
        self.start(**changes)

    def start(self, **changes):
        """Start the service, or start it again with other settings."""
        table = {key: value for key, value in {**SHOP, **changes}.items() if value is not None}
        self.settings = parse_settings({**table, "database": self.address}, self.folder / "shop.toml")
        self.database = open_database(self.address)
        self.clock = prepare(self.database, self.settings)
        self.learner = LearnerProcess(self.database, self.clock, publish_every=0.0)
        assert self.learner.lead()
        return self

    def stop(self):
        self.database.close()

    @property
    def state(self):
        return self.learner.state

    def advance(self, seconds):
        self.clock.offset += round(seconds * 1e6)
        return self

    def step(self):
        while self.learner.step():
            pass
        return self

    def rank(self, event_id, age=30.0, city="Rome", **others):
        request = msgspec.convert({"context": {"age": age, "city": city}, **others}, RankRequest)
        with self.database.write() as tx:
            snapshot = self.state.snapshot(salt_of(tx))
            decided = decide(snapshot, request, event_id)
            return events.insert_event(tx, event_id, self.clock.now(), snapshot, decided)[0]

    def reward(self, event_id, value, reward_id="r"):
        with self.database.write() as tx:
            return events.insert_reward(tx, event_id, reward_id, value, self.clock.now())

    def activate(self, event_id):
        with self.database.write() as tx:
            return events.activate(tx, event_id)

    def event(self, event_id):
        with self.database.read() as tx:
            return events.find_event(tx, event_id)

    def journal(self, kind=None):
        with self.database.read() as tx:
            rows = tx.rows("SELECT seq, kind, event_id, arm, value, detail FROM journal ORDER BY seq")
        return [row for row in rows if kind in (None, row[1])]

    def learned(self):
        """Outcomes that were learned, by event."""
        return {row[2]: (row[4], row[5]) for row in self.journal("learn")}
