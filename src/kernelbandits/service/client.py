"""Clients in Python. What is sent again after a failure has the same id, so that nothing counts twice."""

import asyncio
import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any, Generic, NamedTuple, TypeVar, final
from urllib.parse import quote
from uuid import uuid4

import httpx
import msgspec

from kernelbandits.errors import KernelBanditsError
from kernelbandits.service.events import Taken
from kernelbandits.service.requests import Answer

T = TypeVar("T")
Found = httpx.Response | httpx.TransportError
_decode = msgspec.json.Decoder().decode


class ServiceError(KernelBanditsError, RuntimeError):
    """The service refused a request, or could not be reached.

    `status` is that of HTTP, 0 without an answer; `code` a short name of the problem; `field` what is wrong in the
    request, empty if nothing is.
    """

    def __init__(self, message: str, status: int = 0, code: str = "unreachable", field: str = "") -> None:
        super().__init__(message)
        self.status, self.code, self.field = status, code, field


class _Call(NamedTuple, Generic[T]):
    """A request that may be sent several times, and how its answer is read."""

    method: str
    path: str
    read: Callable[[Any], T]
    body: Any = None

    def arguments(self) -> dict[str, Any]:
        """The arguments of `httpx.Client.request`."""
        content = {} if self.body is None else {"content": msgspec.json.encode(self.body)}
        return {"method": self.method, "url": self.path, "headers": {"content-type": "application/json"}, **content}

    def answer(self, found: Found) -> T:
        """What was answered; raises what the service refused."""
        if isinstance(found, httpx.TransportError):
            raise ServiceError(f"the service cannot be reached: {found}") from found
        if found.status_code < 400:
            return self.read(_decode(found.content))
        try:
            error = _decode(found.content)["error"]
            raise ServiceError(error["message"], found.status_code, error["code"], error["field"])
        except (msgspec.DecodeError, KeyError, TypeError):
            raise ServiceError(f"HTTP {found.status_code}", found.status_code, "http") from None


def _waits(retries: int) -> Iterator[float]:
    """Seconds to wait before each further try: twice as long each time, give or take a half."""
    for number in range(retries):
        yield 0.1 * 2.0**number * random.uniform(0.5, 1.5)  # noqa: S311 (no secret)


def _wait(found: Found, waits: Iterator[float]) -> float | None:
    """Seconds after which to send the same again; None if there is nothing better to come."""
    again = isinstance(found, httpx.TransportError) or found.status_code in (429, 502, 503, 504)
    return next(waits, None) if again else None


def _rank_call(
    context: Mapping[str, Any],
    arms: Iterable[str | Mapping[str, Any]] | None,
    excluded: Iterable[str],
    event_id: str | None,
    deferred: bool,
) -> _Call[Answer]:
    body: dict[str, Any] = {"context": dict(context), "excluded": [*excluded], "deferred": deferred}
    body |= {"event_id": event_id or uuid4().hex} | ({} if arms is None else {"arms": [*arms]})
    return _Call("POST", "/rank", lambda found: msgspec.convert(found, Answer), body)


def _reward_call(event_id: str, value: float, reward_id: str | None) -> _Call[Taken]:
    body = {"value": value, "reward_id": reward_id or uuid4().hex}
    return _Call("POST", f"{_event_path(event_id)}/reward", lambda found: Taken(found["late"], found["repeated"]), body)


def _activate_call(event_id: str) -> _Call[bool]:
    return _Call("POST", f"{_event_path(event_id)}/activate", lambda found: bool(found["activated"]), {})


def _event_path(event_id: str) -> str:
    return f"/events/{quote(event_id, safe='')}"


def _options(address: str, key: str | None, timeout: float) -> dict[str, Any]:
    headers = {} if key is None else {"authorization": f"Bearer {key}"}
    return {"base_url": address, "headers": headers, "timeout": timeout, "trust_env": False}


@final
class Client(AbstractContextManager["Client"]):
    """Asks a decision service and reports rewards: `with Client("http://localhost:8080") as client`.

    Ids are made before the first try, so a request whose answer was lost is sent again safely.

    >>> with Client("http://localhost:8080") as client:  # doctest: +SKIP
    ...     decision = client.rank({"age": 30})
    ...     client.reward(decision.event_id, 1.0)
    """

    def __init__(self, address: str, key: str | None = None, timeout: float = 10.0, retries: int = 5) -> None:
        self._http = httpx.Client(**_options(address, key, timeout))
        self._retries = retries

    def rank(
        self,
        context: Mapping[str, Any],
        arms: Iterable[str | Mapping[str, Any]] | None = None,
        excluded: Iterable[str] = (),
        event_id: str | None = None,
        *,
        deferred: bool = False,
    ) -> Answer:
        """Ask for a decision."""
        return self._call(_rank_call(context, arms, excluded, event_id, deferred))

    def reward(self, event_id: str, value: float, reward_id: str | None = None) -> Taken:
        """Report a reward."""
        return self._call(_reward_call(event_id, value, reward_id))

    def activate(self, event_id: str) -> bool:
        """Let a deferred event be learned; returns whether it was not active before."""
        return self._call(_activate_call(event_id))

    def event(self, event_id: str) -> dict[str, Any]:
        """Everything that is known of an event."""
        return self._call(_Call("GET", _event_path(event_id), dict))

    def policy(self) -> dict[str, Any]:
        """Settings, version, rewards per arm, health."""
        return self._call(_Call("GET", "/policy", dict))

    def close(self) -> None:
        """End the connections."""
        self._http.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _call(self, call: _Call[T]) -> T:
        waits = _waits(self._retries)
        while True:
            try:
                found: Found = self._http.request(**call.arguments())
            except httpx.TransportError as error:
                found = error
            if (wait := _wait(found, waits)) is None:
                return call.answer(found)
            time.sleep(wait)


@final
class AsyncClient(AbstractAsyncContextManager["AsyncClient"]):
    """`Client` for asyncio: `async with AsyncClient("http://localhost:8080") as client`."""

    def __init__(self, address: str, key: str | None = None, timeout: float = 10.0, retries: int = 5) -> None:
        self._http = httpx.AsyncClient(**_options(address, key, timeout))
        self._retries = retries

    async def rank(
        self,
        context: Mapping[str, Any],
        arms: Iterable[str | Mapping[str, Any]] | None = None,
        excluded: Iterable[str] = (),
        event_id: str | None = None,
        *,
        deferred: bool = False,
    ) -> Answer:
        return await self._call(_rank_call(context, arms, excluded, event_id, deferred))

    async def reward(self, event_id: str, value: float, reward_id: str | None = None) -> Taken:
        return await self._call(_reward_call(event_id, value, reward_id))

    async def activate(self, event_id: str) -> bool:
        return await self._call(_activate_call(event_id))

    async def event(self, event_id: str) -> dict[str, Any]:
        return await self._call(_Call("GET", _event_path(event_id), dict))

    async def policy(self) -> dict[str, Any]:
        return await self._call(_Call("GET", "/policy", dict))

    async def close(self) -> None:
        await self._http.aclose()

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _call(self, call: _Call[T]) -> T:
        waits = _waits(self._retries)
        while True:
            try:
                found: Found = await self._http.request(**call.arguments())
            except httpx.TransportError as error:
                found = error
            if (wait := _wait(found, waits)) is None:
                return call.answer(found)
            await asyncio.sleep(wait)
