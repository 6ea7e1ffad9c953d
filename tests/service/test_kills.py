"""Processes are killed under load; nothing that was acknowledged is lost, and everything follows from the log."""

import http.client
import json
import os
import random
import signal
import threading
import time

import pytest
from replaying import repeat_decisions, replayed
from serving import serving, wait_for
from test_learning import same

from kernelbandits.service.learner import rebuilt


class Load(threading.Thread):
    """A client that ranks and rewards without pause, and remembers what was acknowledged."""

    def __init__(self, service, number, stopped):
        super().__init__()
        self.service, self.number, self.stopped = service, number, stopped
        self.events, self.rewards = {}, {}
        self.connection = None

    def run(self):
        rng, count = random.Random(self.number), 0
        while not self.stopped.is_set():
            count += 1
            name = f"{self.number}-{count}"
            body = {"context": {"age": rng.uniform(20, 70), "city": rng.choice(["Rome", "Oslo"])}, "event_id": name}
            answer = self.persist("/rank", body)
            if answer is None:
                return
            self.events[name] = (answer["arm"], answer["probability"])
            if count % 2:
                value = rng.choice([0.0, 1.0])
                if self.persist(f"/events/{name}/reward", {"value": value, "reward_id": name}) is None:
                    return
                self.rewards[name] = value

    def persist(self, path, body):
        """Send until it is acknowledged, with the same ids."""
        while not self.stopped.is_set():
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection(self.service.host, self.service.port, timeout=30)
                self.connection.request("POST", path, json.dumps(body), {"content-type": "application/json"})
                answer = self.connection.getresponse()
                text = answer.read()
                if answer.status == 200:
                    return json.loads(text)
                assert answer.status == 503, text
            except (OSError, http.client.HTTPException):
                self.hang_up()
                time.sleep(0.01)
        return None

    def hang_up(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


def kill_and_check(service, n_kills, seed):
    rng, stopped = random.Random(seed), threading.Event()
    loads = [Load(service, number, stopped) for number in range(6)]
    for load in loads:
        load.start()
    try:
        for number in range(n_kills):
            before = sum(len(load.events) for load in loads)
            enough = before + rng.randrange(1, 40)
            wait_for(lambda enough=enough: sum(len(load.events) for load in loads) >= enough, "further events")
            kind = ("web", "learner", "all")[number if number < 3 else rng.randrange(3)]
            if kind == "all":
                service.kill()
                service.start()
            else:
                processes = wait_for(lambda kind=kind: service.processes().get(kind), kind)
                os.kill(rng.choice(processes), signal.SIGKILL)
    finally:
        stopped.set()
        for load in loads:
            load.join()
            load.hang_up()
    return {k: v for load in loads for k, v in load.events.items()}, {
        k: v for load in loads for k, v in load.rewards.items()
    }


def check(service, events, rewards, wait):
    database = service.database()
    with database.read() as tx:
        stored = {row[0]: row[1:3] for row in tx.rows("SELECT id, arm, propensity FROM events")}
        stored_rewards = tx.rows("SELECT event_id, value FROM rewards")
        learned = tx.rows("SELECT event_id, count(*) FROM journal WHERE kind IN ('learn', 'note') GROUP BY event_id")
        early = tx.rows(
            "SELECT count(*) FROM journal j JOIN events e ON e.id = j.event_id"
            " WHERE j.detail = 'default' AND j.time < e.time + ?",
            (wait,),
        )
        counted = dict(
            tx.rows("SELECT name, sum(value) FROM counters WHERE name IN ('events', 'rewards') GROUP BY name")
        )
    assert [name for name, decided in events.items() if stored.get(name) != decided] == []
    assert len(stored_rewards) == len({event for event, _ in stored_rewards})
    assert [name for name, value in rewards.items() if (name, value) not in set(stored_rewards)] == []
    assert [row for row in learned if row[1] > 1] == []
    assert early == [(0,)]
    assert counted == {"events": len(stored), "rewards": len(stored_rewards)}, "metrics agree with the log"
    live = rebuilt(database)
    same(live, replayed(database, live.version))
    repeated = repeat_decisions(database)
    assert len(repeated) == len(stored)
    assert [each for each in repeated if not each.agrees] == []
    database.close()
    return len(stored), len(learned)


@pytest.mark.parametrize("n_kills", [3, pytest.param(200, marks=pytest.mark.slow)])
def test_nothing_is_lost(tmp_path, n_kills):
    wait = 3 if n_kills < 100 else 20
    with serving(tmp_path / "shop", reward_wait=wait, server={"workers": 2 if n_kills < 100 else 4}) as service:
        events, rewards = kill_and_check(service, n_kills, seed=1)
        wait_for(lambda: service.call("GET", "/events?settled=1&fate=default&limit=1")[1]["events"], "a default")
        n_events, n_outcomes = check(service, events, rewards, wait * 10**6)
    assert n_events >= len(events) > 0
    assert n_outcomes > 0
    sizes = {"kills": n_kills, "events": n_events, "rewards": len(rewards), "outcomes": n_outcomes}
    (tmp_path / "sizes.json").write_text(json.dumps(sizes))
