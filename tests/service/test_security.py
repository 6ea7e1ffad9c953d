"""Keys, scopes, limits, headers."""

import hashlib
import socket
import time
from base64 import b64encode

import pytest
from serving import SHOP, serving

from kernelbandits.errors import InvalidFile
from kernelbandits.service.settings import parse_settings
from kernelbandits.service.web.table import ROUTES

KEYS = {"web": ["rank"], "till": ["reward"], "boss": ["admin"]}
ENTRIES = [
    {"name": name, "sha256": hashlib.sha256(f"secret of {name}".encode()).hexdigest(), "scopes": scopes}
    for name, scopes in KEYS.items()
]
BODY = {"context": {"age": 1, "city": "Rome"}}


def key(name):
    return {"authorization": f"Bearer secret of {name}"}


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    from serving import Service

    folder = tmp_path_factory.mktemp("shop")
    call = Service.call

    def with_key(self, method, path, body=None, headers=None, raw=None):
        return call(self, method, path, body, key("boss") if headers is None else headers, raw)

    Service.call = with_key
    try:
        with serving(folder, keys=ENTRIES, server={"rate_limit": 400.0}) as service:
            yield service
    finally:
        Service.call = call


def test_no_route_is_open_but_one(service):
    opened = []
    for route in ROUTES:
        path = route.path.replace("*", "x")
        for headers in ({}, {"x-api-key": "wrong"}, {"authorization": "Basic !!!"}):
            status, body = service.call(route.method, path, {}, headers)
            if status != 401:
                opened.append(path)
            else:
                assert "key" in body["error"]["message"]
    assert set(opened) == {"/healthz"}
    for path in ("/nothing", "/events/x/nothing", "/.git/config", "/page.html", "//rank", "/rank/"):
        assert service.call("GET", path, headers={})[0] in (401, 404, 421)
    assert service.call("GET", "/nothing", headers={})[0] == 401


def test_scopes(service):
    assert service.call("POST", "/rank", BODY, key("web"))[0] == 200
    assert service.call("POST", "/rank", BODY, key("till"))[0] == 403
    assert service.call("POST", "/events/nobody/reward", {"value": 1.0}, key("till"))[0] == 404
    assert service.call("POST", "/events/nobody/reward", {"value": 1.0}, key("web"))[0] == 403
    assert service.call("GET", "/policy", None, key("web"))[0] == 403
    assert service.call("GET", "/policy", None, key("boss"))[0] == 200
    assert service.call("GET", "/readyz", None, key("web"))[0] == 200
    for headers in (
        {"x-api-key": "secret of boss"},
        {"ocp-apim-subscription-key": "secret of boss"},
        {"authorization": "Basic " + b64encode(b"anyone:secret of boss").decode()},
    ):
        assert service.call("GET", "/policy", None, headers)[0] == 200


def test_no_secret_and_no_feature_is_logged(service):
    service.call("POST", "/rank", {"context": {"age": "sensitive", "city": "Rome"}}, key("web"))
    text = service.log.read_text()
    assert "secret of" not in text
    assert "sensitive" not in text


def test_the_rate_is_limited_per_key(service):
    statuses = {service.call("GET", "/healthz", None, {})[0] for _ in range(5)}
    assert statuses == {200}
    raw = b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nx-api-key: secret of till\r\n\r\n"
    with socket.create_connection((service.host, service.port), timeout=60) as connection:
        connection.sendall(raw * 3000)
        seen = b""
        while seen.count(b"HTTP/1.1 ") < 3000:
            chunk = connection.recv(1 << 16)
            assert chunk
            seen += chunk
    assert 0 < seen.count(b"HTTP/1.1 429") < 3000
    assert b"retry-after" in seen


def test_a_slow_client_does_not_stop_others(service):
    with socket.create_connection((service.host, service.port), timeout=60) as slow:
        slow.sendall(b"POST /rank HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n")
        began = time.monotonic()
        assert service.call("POST", "/rank", BODY, key("boss"))[0] == 200
        assert time.monotonic() - began < 30.0


def test_headers_of_every_answer(service):
    import http.client

    for path in ("/healthz", "/nothing", "/rank"):
        connection = http.client.HTTPConnection(service.host, service.port, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["access-control-allow-origin"] is None
        assert answer.headers["server"] is None
        connection.close()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"server": {"host": "0.0.0.0"}}, "there are no \\[\\[keys\\]\\]"),  # noqa: S104
        ({"keys": [{"name": "a", "sha256": "short", "scopes": ["rank"]}]}, "matching regex"),
        ({"keys": [{"name": "a", "sha256": "0" * 64, "scopes": ["all"]}]}, "Invalid enum value 'all'"),
        ({"arms": ["a", "a"]}, "twice"),
        ({"armz": ["a"]}, "armz"),
        ({"arms": []}, "arms = "),
        ({"reward_wait": "soon"}, "90 minutes"),
        ({"reward_wait": -1}, "90 minutes"),
        ({"default_reward": 7.0}, "reward_range"),
        ({"control": 1.0}, "< 1"),
        ({"mode": "on"}, "Invalid enum value 'on'"),
        ({"features": {}}, "features"),
        ({"features": {"age": {"mean": 1.0}}}, "std"),
        ({"policy": {"type": "LinearUBC"}}, "LinearUCB"),
        ({"server": {"workers": 0}}, ">= 1"),
        ({"database": 7}, "database"),
    ],
)
def test_settings_that_cannot_be_served_are_explained(tmp_path, changes, words):
    with pytest.raises((InvalidFile, ValueError), match=words):
        parse_settings({**SHOP, **changes}, tmp_path / "shop.toml")
