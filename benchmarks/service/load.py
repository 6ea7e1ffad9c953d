"""A client that costs little: many connections, one thread, requests that were made before."""

from __future__ import annotations

import select
import socket
import time
from typing import final

_LENGTH = b"\r\ncontent-length: "


@final
class _Caller:
    """A connection that sends its next request when the last is answered."""

    __slots__ = ("_due", "_got", "began", "socket")

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._got, self._due, self.began = b"", 0, 0.0

    def send(self, content: bytes) -> None:
        self.began = time.perf_counter()
        self.socket.sendall(content)

    def is_answered(self) -> bool:
        """Read what has come; whether it is the whole answer."""
        self._got += self.socket.recv(262_144)
        if not self._due:
            head = self._got.find(b"\r\n\r\n")
            if head < 0:
                return False
            if not self._got.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(self._got.decode(errors="replace"))
            place = self._got.index(_LENGTH, 0, head) + len(_LENGTH)
            self._due = head + 4 + int(self._got[place : self._got.index(b"\r", place)])
        if len(self._got) < self._due:
            return False
        self._got, self._due = b"", 0
        return True


def load(port: int, requests: list[bytes], n: int, seconds: float) -> list[float]:
    """Latencies in seconds of n connections that ask as fast as they are answered."""
    latencies: list[float] = []
    callers = [_Caller(port) for _ in range(n)]
    by_number = {caller.socket.fileno(): caller for caller in callers}
    waiting = select.epoll()
    for number in by_number:
        waiting.register(number, select.EPOLLIN)
    end, sent = time.perf_counter() + seconds, 0
    for caller in callers:
        caller.send(requests[sent % len(requests)])
        sent += 1
    left = n
    while left:
        for number, _ in waiting.poll():
            caller = by_number[number]
            if not caller.is_answered():
                continue
            now = time.perf_counter()
            latencies.append(now - caller.began)
            if now < end:
                caller.send(requests[sent % len(requests)])
                sent += 1
            else:
                left -= 1
    waiting.close()
    for caller in callers:
        caller.socket.close()
    return latencies
