"""Connections that must say something: a client that sends its headers too slowly is hung up on."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_PATIENCE = 15.0  # seconds for the headers of the first request


class TimedProtocol(HttpToolsProtocol):
    """uvicorn's protocol, which by itself waits for ever for the end of the headers."""

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
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
