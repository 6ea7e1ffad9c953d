"""Who may ask what, and how often."""

import hashlib
import hmac
import time
from base64 import b64decode
from binascii import Error as NoBase64
from collections.abc import Mapping
from typing import final

from kernelbandits.service.settings import Key, Settings
from kernelbandits.service.web.messages import Refusal

_LOCAL = ("localhost", "127.0.0.1", "[::1]")
_BURST = 2.0  # seconds of the rate limit that may come at once
_MOST_CLIENTS = 10_000
_CHALLENGE = ((b"www-authenticate", b'Basic realm="kernelbandits", charset="UTF-8"'),)

HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
]


@final
class Guard:
    """Checks keys, hosts and rates of one worker."""

    def __init__(self, settings: Settings) -> None:
        self._keys = settings.keys
        self._hosts = frozenset((*settings.server.hosts, *(_LOCAL if settings.local else ())))
        rate = settings.server.rate_limit
        self._rate = None if rate is None else rate / settings.server.workers
        self._buckets: dict[str, tuple[float, float]] = {}

    def admit(self, headers: Mapping[bytes, bytes], scope: str, client: str) -> None:
        """Raise unless the request may be made."""
        if self._hosts:  # a page of another site could send requests for another host through a browser
            host = headers.get(b"host", b"").decode("latin-1").lower()
            name = host if host.endswith("]") else host.rpartition(":")[0] or host
            if name not in self._hosts and host not in self._hosts:
                raise Refusal(421, "wrong_host", "host", "this service does not answer for that host; see server.hosts")
        who = client
        if self._keys and scope:
            who = self._key(headers, scope).name
        if self._rate is not None and scope:
            self._count(who, self._rate)

    def _key(self, headers: Mapping[bytes, bytes], scope: str) -> Key:
        given = _given(headers)
        if given is None:
            message = "an API key is needed: Authorization: Bearer …, or X-Api-Key: …"
            raise Refusal(401, "no_key", "authorization", message, _CHALLENGE)
        digest = hashlib.sha256(given).hexdigest()
        found = None
        for key in self._keys:  # all of them: the time must not tell which is near
            if hmac.compare_digest(key.sha256, digest):
                found = key
        if found is None:
            raise Refusal(401, "wrong_key", "authorization", "this API key is not known", _CHALLENGE)
        if scope not in found.scopes and "admin" not in found.scopes and scope != "any":
            raise Refusal(403, "wrong_scope", "authorization", f"this API key lacks the scope {scope}")
        return found

    def _count(self, who: str, rate: float) -> None:
        now, most = time.monotonic(), max(rate * _BURST, 1.0)
        left, since = self._buckets.get(who, (most, now))
        left = min(left + (now - since) * rate, most)
        if left < 1.0:
            wait = max(1, round((1.0 - left) / rate))
            headers = ((b"retry-after", str(wait).encode()),)
            raise Refusal(429, "too_many", "", f"more than {rate:g} requests per second", headers)
        if len(self._buckets) >= _MOST_CLIENTS:
            self._buckets.clear()
        self._buckets[who] = (left - 1.0, now)


def _given(headers: Mapping[bytes, bytes]) -> bytes | None:
    """The key in a request, in any of the usual headers; a browser sends it as a password."""
    for name in (b"x-api-key", b"ocp-apim-subscription-key"):
        if name in headers:
            return headers[name]
    kind, _, text = headers.get(b"authorization", b"").partition(b" ")
    if kind.lower() == b"bearer" and text:
        return text.strip()
    if kind.lower() == b"basic":
        try:
            return b64decode(text, validate=True).partition(b":")[2]
        except NoBase64:
            return None
    return None
