"""Connections whose clients must say something, and whose answers leave in one piece."""

from __future__ import annotations

from asyncio import AbstractEventLoop, Transport
from typing import Any, final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_PATIENCE = 15.0  # seconds for the headers of the first request


class TimedProtocol(HttpToolsProtocol):
    """uvicorn's protocol, which by itself waits for ever for the end of the headers, and sends them by themselves."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(GatheredWrites(transport, self.loop))  # type: ignore[arg-type]
        self._headers_due = self.loop.call_later(_PATIENCE, self._give_up)

    def on_headers_complete(self) -> None:
        """Stop waiting."""
        self._headers_due.cancel()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._headers_due.cancel()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


@final
class GatheredWrites:
    """A transport that sends what is written during one turn of the event loop at once: each call costs 10 µs."""

    def __init__(self, transport: Transport, loop: AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Send data with what else is written in this turn."""
        if not self._parts:
            self._loop.call_soon(self._flush)
        self._parts.append(data)

    def close(self) -> None:
        """Send what was written, and hang up."""
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._parts:
            parts, self._parts = self._parts, []
            self._transport.write(b"".join(parts))

    def __getattr__(self, name: str) -> Any:
        """What else a transport can do."""
        return getattr(self._transport, name)
