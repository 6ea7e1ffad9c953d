"""The page, and its data as server-sent events."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from importlib.resources import files
from typing import Any

import msgspec

from kernelbandits.service.events import n_awaiting, newest_events
from kernelbandits.service.metrics import latency, totals
from kernelbandits.service.storage import StorageUnavailable
from kernelbandits.service.web.messages import Request, Response
from kernelbandits.service.worker import Worker

_EVERY = 1.0  # seconds between two messages
_NEWEST = 12
_ASSETS = files("kernelbandits.service.web") / "assets"


def asset(name: str, kind: bytes) -> Callable[[Worker, Request], Awaitable[Response]]:
    """Who answers with a file of the page."""

    async def answer(worker: Worker, request: Request) -> Response:
        return Response((_ASSETS / name).read_bytes(), kind=kind + b"; charset=utf-8")

    return answer


async def stream(worker: Worker, request: Request) -> Response:
    """What the page shows, once a second, until the client or the service goes."""
    return Response(b"", kind=b"text/event-stream; charset=utf-8", parts=_messages(worker))


async def _messages(worker: Worker) -> AsyncIterator[bytes]:
    while not worker.stopping.is_set():
        try:
            yield b"data: %b\n\n" % msgspec.json.encode(await shown(worker))
        except StorageUnavailable as error:
            yield b"event: trouble\ndata: %b\n\n" % msgspec.json.encode(str(error))
        with suppress(TimeoutError):
            await asyncio.wait_for(worker.stopping.wait(), _EVERY)


async def shown(worker: Worker) -> dict[str, Any]:
    """All that the page shows; read at most once per interval, however many look."""
    now = time.monotonic()
    if worker.page is None or now - worker.page[0] > 0.8 * _EVERY:
        worker.page = (now, await worker.read(lambda tx: (totals(tx), newest_events(tx, _NEWEST), n_awaiting(tx))))
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
