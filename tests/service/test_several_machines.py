"""Two services share a PostgreSQL server: one learner at a time, and both survive its restart."""

import postgres
import pytest
from serving import serving, wait_for
from test_learning import same

from kernelbandits.service.learner import rebuilt
from kernelbandits.service.replaying import repeat_decisions, replayed

CONTEXT = {"age": 30, "city": "Rome"}


@pytest.mark.skipif(postgres.BINARIES is None, reason=postgres.MISSING)
def test_two_services_share_a_server_that_restarts(tmp_path):
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
            assert first.stop() == 0
            second.rank(event_id="alone")
            second.reward("alone", 1.0)
            wait_for(lambda: second.policy()["bandit"]["n_rewards"] == 22, "the other learner")
            database = second.database()
            live = rebuilt(database)
            same(live, replayed(database, live.version))
            assert [each for each in repeat_decisions(database) if not each.agrees] == []
            database.close()
