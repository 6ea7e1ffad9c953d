"""Two services share a PostgreSQL server, as on two machines: one learner at a time.

Both survive a restart of the server, and the second goes on when all processes of the leading one are killed.
"""

import http.client
import threading

import postgres
import pytest
from replaying import repeat_decisions, replayed
from serving import PATIENCE, serving, wait_for
from test_learning import same

from kernelbandits.service.learner import rebuilt

CONTEXT = {"age": 30, "city": "Rome"}


@pytest.mark.skipif(postgres.BINARIES is None, reason=postgres.MISSING)
def test_two_services_share_a_server_that_restarts_and_one_is_killed(tmp_path):
    with postgres.running() as server:
        address = server.database("shared")
        shared = {"database": address, "control": 0.0}
        with serving(tmp_path / "one", **shared) as one, serving(tmp_path / "two", **shared) as two:
            for number in range(20):
                service = (one, two)[number % 2]
                other = (two, one)[number % 2]
                answer = service.rank(event_id=f"e{number}")
                assert other.rank(event_id=f"e{number}") == answer, "an id is known everywhere"
                other.reward(f"e{number}", float(number % 2), reward_id="r")
                service.reward(f"e{number}", float(number % 2), reward_id="r")
            wait_for(lambda: two.policy()["bandit"]["n_rewards"] == 20, "learning")
            leading = sum("leading from" in service.log.read_text() for service in (one, two))
            assert leading == 1
            server.stop("fast")
            status, body = one.call("POST", "/rank", {"context": CONTEXT, "event_id": "down"})
            assert (status, body["error"]["code"]) == (503, "storage_unavailable")
            assert one.call("GET", "/healthz")[0] == 200
            server.start()
            for service in (one, two):
                wait_for(lambda s=service: s.call("POST", "/rank", {"context": CONTEXT, "event_id": "down"})[0] == 200)
            first = one if "leading from" in one.log.read_text() else two
            second = two if first is one else one
            for pids in first.processes().values():
                assert pids
            first.reward("down", 1.0)
            wait_for(lambda: second.policy()["bandit"]["n_rewards"] == 21, "learning after the restart")
            kept = killed_while_asked(first)
            assert kept, "it was asked before it was killed"
            wait_for(lambda: "leading from" in second.log.read_text(), "the other learner")
            for number in range(5):
                kept[second.rank(event_id=f"alone{number}")["event_id"]] = 1.0
                second.reward(f"alone{number}", 1.0, reward_id="r")
            for event_id, value in kept.items():
                event = wait_for(
                    lambda e=event_id: (found := second.event(e)).get("settled", found) and found, "an outcome"
                )
                assert [reward["value"] for reward in event["rewards"]] == [value]
                assert event["outcome"] == value
            database = second.database()
            live = rebuilt(database)
            same(live, replayed(database, live.version))
            assert [each for each in repeat_decisions(database) if not each.agrees] == []
            with database.read() as tx:
                learned = [row[0] for row in tx.rows("SELECT event_id FROM journal WHERE kind = 'learn'")]
            assert len(set(learned)) == len(learned)
            assert kept.keys() <= set(learned)
            database.close()


def killed_while_asked(service):
    """Kill all processes of a service with SIGKILL while it is asked; returns the rewards that it had acknowledged."""
    acknowledged, some = {}, threading.Event()

    def ask(name):
        for number in range(10**6):
            event_id, value = f"{name}{number}", float(number % 3 == 0)
            try:
                service.rank(event_id=event_id)
                service.reward(event_id, value, reward_id="r")
            except (OSError, http.client.HTTPException):
                return
            acknowledged[event_id] = value
            if number == 5:
                some.set()

    threads = [threading.Thread(target=ask, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    assert some.wait(PATIENCE)
    service.kill()
    for thread in threads:
        thread.join()
    return acknowledged
