"""Mutated requests: refused in plain words or answered, never a failure of the service."""

import http.client
import json
import random

import pytest
from serving import serving

NASTY = [
    None,
    True,
    -1,
    10**400,
    1e308,
    -0.0,
    "",
    "x" * 5000,
    "'; DROP TABLE events; --",
    "<script>alert(1)</script>",
    "\u0000",
    "\ud800",
    "\u202e\U0001f600",
    "../../etc/passwd",
    "%s%n{0}",
    [],
    {},
    [[[[[]]]]],
    {"a": {"b": {"c": 1}}},
    ["none"] * 1200,
]
VALID = [
    (
        "POST",
        "/rank",
        {"context": {"age": 30, "city": "Rome"}, "event_id": "e", "arms": ["none", {"id": "five percent"}]},
    ),
    ("POST", "/rank", {"context": {"age": 30, "city": "Rome"}, "excluded": ["none"], "deferred": True}),
    ("POST", "/rank/batch", {"requests": [{"context": {"age": 1, "city": "Oslo"}}]}),
    ("POST", "/events/e/reward", {"value": 0.5, "reward_id": "r"}),
    ("POST", "/events/e/activate", {}),
    ("PUT", "/arms/new", {}),
    ("DELETE", "/arms/new", {}),
    ("GET", "/events?limit=3&arm=none&settled=1", None),
    ("GET", "/events/e", None),
    ("POST", "/personalizer/v1.0/rank", {"actions": [{"id": "none", "features": [{"age": 1}]}], "eventId": "p"}),
    ("POST", "/personalizer/v1.0/events/e/reward", {"value": 1.0}),
]
KINDS = ["application/json", "text/html", "application/json; charset=utf-16", "", "multipart/form-data"]


def mutated(value, rng):
    """The value with one part changed."""
    if rng.random() < 0.3 or not isinstance(value, dict | list) or not value:
        return rng.choice(NASTY)
    if isinstance(value, list):
        place = rng.randrange(len(value))
        return [mutated(each, rng) if i == place else each for i, each in enumerate(value)]
    name = rng.choice([*value])
    if rng.random() < 0.15:
        return {rng.choice(["", "\u0000", "<b>", "constructor", name * 50]): value[name], **value}
    return {**value, name: mutated(value[name], rng)}


def text_of(value, rng):
    raw = json.dumps(value, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")
    how = rng.randrange(12)
    if how == 0 and raw:
        place = rng.randrange(len(raw))
        return raw[:place] + bytes([rng.randrange(256)]) + raw[place + 1 :]
    if how == 1:
        return raw[: rng.randrange(len(raw) + 1)]
    if how == 2:
        return raw.replace(b"{", b'{"context": 1, ', 1)  # a key that is there twice
    if how == 3:
        return b"[" * rng.randrange(3000) + raw
    return raw


def path_of(path, rng):
    if rng.random() < 0.7:
        return path
    part = rng.choice(["%00", "%ff", "%2e%2e%2f", "a" * 300, "%F0%9F%98%80", "'%3B--", "%3Cscript%3E", "limit=-1", "?"])
    return rng.choice([path + part, path.replace("e/", part + "/"), "/" + part, path.replace("none", part)])


@pytest.mark.parametrize("n", [250, pytest.param(10_000, marks=pytest.mark.slow)])
def test_mutated_requests(tmp_path, n):
    rng, seen = random.Random(n), {}
    with serving(tmp_path / "shop") as service:
        connection = http.client.HTTPConnection(service.host, service.port, timeout=60)
        for _ in range(n):
            method, path, body = rng.choice(VALID)
            raw = None if body is None else text_of(mutated(body, rng), rng)
            headers = {"content-type": rng.choice(KINDS) if rng.random() < 0.15 else "application/json"}
            if rng.random() < 0.05:
                method = rng.choice(["PATCH", "OPTIONS", "HEAD", "TRACE"])
            connection.request(method, path_of(path, rng), raw, headers)
            answer = connection.getresponse()
            text = answer.read()
            seen[answer.status] = seen.get(answer.status, 0) + 1
            assert answer.status < 500, (method, path, raw, text)
            assert b"Traceback" not in text
            if answer.status >= 400 and method != "HEAD" and answer.headers.get("content-type") == "application/json":
                error = json.loads(text)["error"]
                assert error["message"], text
                assert set(error) == {"code", "field", "message"}
        connection.close()
        assert "trace" not in service.log.read_text()
        assert service.rank()["arm"]
    assert len(seen) > 5, seen
