"""The service's own routes, over real HTTP."""

import asyncio

import pytest
from serving import wait_for

from kernelbandits.service.web.application import send_parts
from kernelbandits.service.web.messages import Response

CONTEXT = {"age": 30, "city": "Rome"}


def test_a_decision_and_its_reward(service):
    answer = service.rank(event_id="first")
    assert answer["event_id"] == "first"
    assert answer["arm"] in ("none", "five percent", "free shipping")
    assert sum(arm["probability"] for arm in answer["ranking"]) == pytest.approx(1.0)
    assert next(arm for arm in answer["ranking"] if arm["id"] == answer["arm"])["probability"] == answer["probability"]
    assert service.reward("first", 1.0, reward_id="r") == {"event_id": "first", "late": False, "repeated": False}
    assert service.reward("first", 1.0, reward_id="r")["repeated"]
    event = wait_for(lambda: (found := service.event("first"))["settled"] and found)
    assert (event["outcome"], event["fate"], len(event["rewards"])) == (1.0, "reward", 1)
    wait_for(lambda: service.policy()["version"] > answer["version"])


def test_an_event_id_makes_a_call_idempotent(service):
    answer = service.rank(event_id="twice")
    assert service.rank(event_id="twice") == answer
    assert service.reward("twice", 0.5, reward_id="a")["repeated"] is False
    status, body = service.call("POST", "/events/twice/reward", {"value": 0.6, "reward_id": "a"})
    assert status == 409
    assert body["error"]["field"] == "reward_id"


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("context", {**CONTEXT, "age": 31}),
        ("arms", ["none", "free shipping"]),
        ("arms", [{"id": "none", "features": {"age": 20}}, "five percent"]),
        ("arms", ["none", "no such arm"]),
        ("excluded", ["none"]),
        ("deferred", True),
    ],
)
def test_an_event_id_that_is_used_for_another_request_is_refused(service, named, field, value):
    request = {"context": CONTEXT, "event_id": f"used {named}"}
    if named:
        request["arms"] = ["none", "five percent"]
    status, answer = service.call("POST", "/rank", request)
    assert status == 200
    status, body = service.call("POST", "/rank", {**request, field: value})
    assert (status, body["error"]["field"]) == (409, field)
    assert "event_id of its own" in body["error"]["message"]
    assert service.call("POST", "/rank", request) == (200, answer)
    if named:
        del request["arms"]
        assert service.call("POST", "/rank", request)[1]["error"]["field"] == "arms"


def test_batches(service):
    requests = [{"context": CONTEXT, "event_id": f"batch {i}"} for i in range(40)]
    status, answer = service.call("POST", "/rank/batch", {"requests": requests})
    assert status == 200
    assert [each["event_id"] for each in answer["answers"]] == [f"batch {i}" for i in range(40)]
    one = service.call("POST", "/rank", requests[7])[1]
    assert one == answer["answers"][7]
    status, body = service.call("POST", "/rank/batch", {"requests": [{"context": CONTEXT}, {"context": {"age": 1}}]})
    assert status == 422
    assert "requests[1]" in body["error"]["message"]


def test_arms_with_features_of_their_own_and_exclusions(service):
    arms = [{"id": "none", "features": {"age": 20}}, {"id": "free shipping", "features": {"age": 60}}, "five percent"]
    status, answer = service.call(
        "POST", "/rank", {"context": CONTEXT, "arms": arms, "excluded": ["five percent"], "event_id": "own"}
    )
    assert status == 200
    assert {arm["id"] for arm in answer["ranking"]} == {"none", "free shipping"}


def test_deferred_events_are_learned_when_activated(service):
    service.rank(event_id="later", deferred=True)
    service.reward("later", 1.0)
    wait_for(lambda: service.event("later")["rewards"][0]["fate"] == "inactive")
    assert service.call("POST", "/events/later/activate", {})[1] == {"event_id": "later", "activated": True}
    assert service.call("POST", "/events/later/activate", {})[1]["activated"] is False
    wait_for(lambda: service.event("later")["settled"])


def test_arms_come_and_go(service):
    assert service.call("PUT", "/arms/a%2Fb%20%3Cb%3E")[1] == {"arm": "a/b <b>", "added": True}
    assert service.call("PUT", "/arms/a%2Fb%20%3Cb%3E")[1]["added"] is False
    wait_for(lambda: any(arm["id"] == "a/b <b>" for arm in service.rank()["ranking"]))
    request = {"context": CONTEXT, "arms": ["none", "a/b <b>"], "event_id": "before removal"}
    earlier = service.call("POST", "/rank", request)
    assert earlier[0] == 200
    assert service.call("DELETE", "/arms/a%2Fb%20%3Cb%3E")[1]["removed"] is True
    wait_for(lambda: all(arm["id"] != "a/b <b>" for arm in service.rank()["ranking"]))
    assert service.call("POST", "/rank", request) == earlier
    assert service.call("POST", "/rank", {**request, "event_id": "after removal"})[0] == 422
    assert service.call("PUT", "/arms/a%2Fb%20%3Cb%3E")[0] == 409
    assert service.call("DELETE", "/arms/nobody")[0] == 404


@pytest.mark.parametrize(
    ("path", "body", "status", "field", "words"),
    [
        ("/rank", {"context": {"agee": 1, "city": "Rome"}}, 422, "agee", "did you mean 'age'"),
        ("/rank", {"context": {"city": "Rome"}}, 422, "age", "no column 'age'"),
        ("/rank", {"context": {"age": "x", "city": "Rome"}}, 422, "age", "expected a number"),
        ("/rank", {"context": {"age": {"x": {}}, "city": "Rome"}}, 422, "age", "expected a number or a text"),
        ("/rank", {"context": CONTEXT, "arms": ["nine"]}, 422, "arms", "no arm is called 'nine'"),
        ("/rank", {"context": CONTEXT, "arms": ["none", "none"]}, 422, "arms", "twice"),
        ("/rank", {"context": CONTEXT, "excluded": ["nine"]}, 422, "excluded", "not among the arms"),
        ("/rank", {"context": CONTEXT, "arms": ["none"], "excluded": ["none"]}, 422, "excluded", "at least one"),
        ("/rank", {"context": CONTEXT, "event_id": 7}, 422, "event_id", "expected str"),
        ("/rank", {"context": CONTEXT, "event_id": "x" * 257}, 422, "event_id", "256"),
        ("/rank", {"context": CONTEXT, "colour": 1}, 422, "body", "colour"),
        ("/rank", [], 422, "body", "expected object"),
        ("/events/nobody/reward", {"value": 1.0}, 404, "", "no event has the id 'nobody'"),
        ("/events/first/reward", {"value": 9.0}, 422, "value", "from 0 to 1"),
        ("/events/first/reward", {"value": "1"}, 422, "value", "expected float"),
        ("/events/first/reward", {}, 422, "body", "value"),
    ],
)
def test_bad_requests_are_explained(service, path, body, status, field, words):
    found, answer = service.call("POST", path, body)
    assert (found, answer["error"]["field"]) == (status, field), answer
    assert words in answer["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "raw", "headers", "status"),
    [
        ("POST", "/rank", b"{", {}, 400),
        ("POST", "/rank", b"\xff\xfe", {}, 400),
        ("POST", "/rank", b'{"context": {"age": ' + b"[" * 100_000, {}, 400),
        ("POST", "/rank", b"{}", {"content-type": "text/plain"}, 415),
        ("POST", "/rank", b"x" * 2_000_000, {}, 413),
        ("GET", "/rank", None, {}, 405),
        ("GET", "/nothing", None, {}, 404),
        ("GET", "/healthz", None, {"host": "evil.example"}, 421),
        ("GET", "/events?limit=x", None, {}, 422),
        ("GET", "/events?arm=%00", None, {}, 422),
    ],
)
def test_requests_that_are_no_requests(service, method, path, raw, headers, status):
    found, answer = service.call(method, path, raw=raw, headers=headers)
    assert found == status
    assert set(answer["error"]) == {"code", "field", "message"}


def test_what_is_shown_of_it(service):
    service.rank(event_id="seen")
    assert service.call("GET", "/events?limit=1")[1]["events"][0]["id"] == "seen"
    assert service.call("GET", "/healthz") == (200, {"status": "ok"})
    status, metrics = service.call("GET", "/metrics")
    assert status == 200
    assert b"kernelbandits_rank_seconds_bucket" in metrics
    described = service.call("GET", "/openapi.json")[1]
    assert described["openapi"] == "3.1.0"
    assert "/rank" in described["paths"]
    assert b"/events/{id}/reward" in service.call("GET", "/docs")[1]


def test_a_stream_ends_when_its_client_hangs_up():
    sent, hung_up = [], asyncio.Event()

    async def endless():
        while True:
            yield b"data"
            await asyncio.sleep(0)

    async def receive():
        await hung_up.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message["type"])
        if len(sent) == 5:
            hung_up.set()

    asyncio.run(asyncio.wait_for(send_parts(Response(b""), endless(), receive, send), 30.0))
    assert 5 <= len(sent) < 10


def test_a_batch_is_written_whole_or_not_at_all(service):
    service.rank(event_id="before a batch", age=41.0)
    n_events = len(service.call("GET", "/events?limit=1000")[1]["events"])
    batch = [{"context": CONTEXT, "event_id": "in a batch"}, {"context": CONTEXT, "event_id": "before a batch"}]
    assert service.call("POST", "/rank/batch", {"requests": batch})[0] == 409
    assert service.call("GET", "/events/in%20a%20batch")[0] == 404
    assert len(service.call("GET", "/events?limit=1000")[1]["events"]) == n_events
