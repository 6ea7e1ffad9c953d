"""The ASGI application: finds the route, checks key and size, answers or says what is wrong. Never a trace."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any, final
from urllib.parse import unquote

from kernelbandits.errors import KernelBanditsError
from kernelbandits.service.web.messages import Refusal, Request, Response, refusal_of, refused
from kernelbandits.service.web.protocol import WHOLE, SendWhole
from kernelbandits.service.web.security import HEADERS, Guard
from kernelbandits.service.web.table import ROUTES, Route
from kernelbandits.service.worker import Worker

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
_log = logging.getLogger(__name__)
_LINES = b"".join(b"%b: %b\r\n" % header for header in HEADERS)


@final
class Application:
    """The service as an ASGI application."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._guard = Guard(worker.settings)
        self._exact = {(route.method, route.path): route for route in ROUTES if "*" not in route.path}
        self._patterns = [(route, route.path.split("/")) for route in ROUTES]

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._worker.start()
                await send({"type": "lifespan.startup.complete"})
            else:
                await asyncio.to_thread(self._worker.stop)
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _answer(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        began, label = time.perf_counter(), "none"
        headers = dict(scope["headers"])
        try:
            async with asyncio.timeout(self._worker.settings.server.timeout):
                route, names = self._found(scope)
                label = route.label
                client = scope["client"][0] if scope.get("client") else ""
                self._guard.admit(headers, route.scope, client)
                body = await self._body(headers, receive) if scope["method"] in ("POST", "PUT") else b""
                request = Request(names, scope.get("query_string", b""), headers, body)
                response = await route.handler(self._worker, request)
        except TimeoutError:
            message = "the request took too long; if it has an id, it can be sent again"
            response = refused(Refusal(503, "timeout", "", message, ((b"retry-after", b"1"),)))
        except KernelBanditsError as error:
            response = refused(refusal_of(error))
        except _Gone:
            return
        except Exception:
            _log.exception("a request failed")
            response = refused(Refusal(500, "failed", "", "the service failed on this request; its log says why"))
        if response.parts is not None:
            await send_parts(response, response.parts, receive, send)
            return
        seconds = time.perf_counter() - began
        await _sent(response, scope, send)
        self._worker.metrics.answered(label, response.status, seconds)

    def _found(self, scope: MutableMapping[str, Any]) -> tuple[Route, tuple[str, ...]]:
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        route = self._exact.get((method, scope["path"]))
        if route is not None:
            return route, ()
        try:
            parts = [unquote(part, errors="strict") for part in scope["raw_path"].decode("ascii").split("/")]
        except UnicodeDecodeError as error:
            raise Refusal(400, "not_text", "path", "expected a path in UTF-8") from error
        there = False
        for route, pattern in self._patterns:
            if len(pattern) == len(parts) and all(want in ("*", got) for want, got in zip(pattern, parts, strict=True)):
                if route.method == method:
                    return route, tuple(_name(got) for want, got in zip(pattern, parts, strict=True) if want == "*")
                there = True
        self._guard.admit(dict(scope["headers"]), "any", "")
        if there:
            raise Refusal(405, "wrong_method", "method", f"this address does not take {scope['method'][:16]}")
        raise Refusal(404, "not_found", "path", "there is nothing at this address; see /docs")

    async def _body(self, headers: dict[bytes, bytes], receive: Receive) -> bytes:
        limit = self._worker.settings.server.body_limit
        stated = headers.get(b"content-length", b"0")
        large, body, more = not stated.isdigit() or int(stated[:20]) > limit, bytearray(), True
        while more and not large:
            message = await receive()
            if message["type"] != "http.request":
                raise _Gone
            body += message.get("body", b"")
            large, more = len(body) > limit, message.get("more_body", False)
        if large:
            raise Refusal(413, "too_large", "body", f"expected at most {limit:,} bytes")
        return bytes(body)


@final
class _Gone(Exception):  # noqa: N818
    """The client has hung up."""


def _name(text: str) -> str:
    if not 1 <= len(text) <= 256 or not text.isprintable():
        raise Refusal(422, "invalid", "path", "expected a name of 1 to 256 printable characters in the path")
    return text


async def _sent(response: Response, scope: MutableMapping[str, Any], send: Send) -> None:
    length = b"%d" % len(response.body)
    whole: SendWhole | None = scope.get("extensions", {}).get(WHOLE)
    if whole is not None and not response.headers:
        lines = b"content-type: %b\r\ncontent-length: %b\r\n%b" % (response.kind, length, _LINES)
        if whole(response.status, lines, response.body):
            return
    headers = [(b"content-type", response.kind), (b"content-length", length), *HEADERS, *response.headers]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body})


async def send_parts(response: Response, parts: AsyncIterator[bytes], receive: Receive, send: Send) -> None:
    """Send the parts of an answer as they come, until there are no more or the client hangs up."""
    headers = [(b"content-type", response.kind), *HEADERS]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    gone = asyncio.create_task(_hung_up(receive))
    async for part in parts:
        if gone.done():
            return
        await send({"type": "http.response.body", "body": part, "more_body": True})
    gone.cancel()
    await send({"type": "http.response.body", "body": b""})


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
