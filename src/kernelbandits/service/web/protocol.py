"""Connections whose clients must say something, and whose answers leave in one piece."""

from collections.abc import Callable
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

WHOLE = "kernelbandits.whole"  # the extension of ASGI by which an answer is sent at once: see `send_whole`

SendWhole = Callable[[int, bytes, bytes], bool]
_PATIENCE = 15.0  # seconds for the headers of the first request


class TimedProtocol(HttpToolsProtocol):
    """uvicorn's protocol, which by itself waits for ever for the end of the headers, and sends them by themselves."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._headers_due = self.loop.call_later(_PATIENCE, self._give_up)

    def on_headers_complete(self) -> None:
        self._headers_due.cancel()
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:
            self.scope["extensions"] = {WHOLE: partial(send_whole, self.cycle)}  # type: ignore[dict-item]

    def connection_lost(self, exc: Exception | None) -> None:
        self._headers_due.cancel()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


def send_whole(cycle: RequestResponseCycle, status: int, headers: bytes, body: bytes) -> bool:
    """Do what two calls of `cycle.send` do for a whole answer, in one write; False if it has to be sent so.

    `headers` are lines as they go over the wire, with the right content-length, and without `connection`.
    """
    if cycle.flow.write_paused or cycle.response_started:
        return False
    if cycle.disconnected:
        return True
    end = b"\r\n" if cycle.keep_alive else b"connection: close\r\n\r\n"
    shown = b"" if cycle.scope["method"] == "HEAD" else body
    cycle.response_started, cycle.waiting_for_100_continue = True, False
    cycle.transport.write(b"".join((STATUS_LINE[status], headers, end, shown)))
    cycle.response_complete = True
    cycle.message_event.set()
    if not cycle.keep_alive:
        cycle.transport.close()
    cycle.on_response()
    return True
