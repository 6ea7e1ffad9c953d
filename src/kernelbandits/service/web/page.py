"""The page, its data as server-sent events, and the description of the routes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

import msgspec

from kernelbandits.service.events import EVENT_COLUMNS, event_record
from kernelbandits.service.metrics import latency, totals
from kernelbandits.service.storage import StorageUnavailable, Transaction
from kernelbandits.service.web.messages import Request, Response, answered
from kernelbandits.service.web.security import HEADERS
from kernelbandits.service.worker import Worker

_EVERY = 1.0  # seconds between two messages
_NEWEST = 12
_ASSETS = files("kernelbandits.service.web") / "assets"


def _asset(name: str, kind: bytes) -> Response:
    return Response((_ASSETS / name).read_bytes(), kind=kind + b"; charset=utf-8")


async def index(worker: Worker, request: Request) -> Response:
    """The page itself, which shows what `stream` sends."""
    return _asset("page.html", b"text/html")


async def script(worker: Worker, request: Request) -> Response:
    """The script of the page."""
    return _asset("page.js", b"text/javascript")


async def style(worker: Worker, request: Request) -> Response:
    """The style of the page."""
    return _asset("page.css", b"text/css")


async def docs(worker: Worker, request: Request) -> Response:
    """The routes, for people."""
    from kernelbandits.service.web.description import as_html

    return Response(as_html().encode(), kind=b"text/html; charset=utf-8")


async def openapi(worker: Worker, request: Request) -> Response:
    """The routes, for programs."""
    from kernelbandits.service.web.description import as_openapi

    return answered(as_openapi())


async def never(worker: Worker, request: Request) -> Response:
    """Stand in for the stream, which `Application` sends itself."""
    raise NotImplementedError


async def stream(worker: Worker, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
    """Send what the page shows, once a second, until the client or the service goes."""
    headers = [(b"content-type", b"text/event-stream; charset=utf-8"), *HEADERS]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    while not worker.stopping.is_set():
        try:
            data = msgspec.json.encode(await shown(worker)).decode()
            text = f"data: {data}\n\n"
        except StorageUnavailable as error:
            text = f"event: trouble\ndata: {msgspec.json.encode(str(error)).decode()}\n\n"
        await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
        try:
            await asyncio.wait_for(worker.stopping.wait(), _EVERY)
        except TimeoutError:
            continue
    await send({"type": "http.response.body", "body": b""})


async def shown(worker: Worker) -> dict[str, Any]:
    """All that the page shows; read at most once per interval, however many look."""
    now = time.monotonic()
    if worker.page is None or now - worker.page[0] > 0.8 * _EVERY:
        worker.page = (now, await worker.read(_newest))
    counts, newest, awaiting = worker.page[1]
    snapshot = worker.snapshot
    return {
        "settings": {} if snapshot is None else msgspec.to_builtins(snapshot.learning),
        **worker.published,
        "counts": {name: value for name, value in counts.items() if " " not in name},
        "latency": {"p50": latency(counts, 0.5), "p99": latency(counts, 0.99)},
        "awaiting": awaiting,
        "newest": newest,
        "time": worker.clock.now(),
    }


def _newest(tx: Transaction) -> tuple[dict[str, float], list[dict[str, Any]], int]:
    sql = f"SELECT {EVENT_COLUMNS} FROM events ORDER BY n DESC LIMIT ?"  # noqa: S608 (constants)
    rows = [event_record(row) for row in tx.rows(sql, (_NEWEST,))]
    waiting = tx.rows("SELECT count(*) FROM events WHERE settled = 0 AND active = 1")[0][0]
    return totals(tx), rows, waiting
