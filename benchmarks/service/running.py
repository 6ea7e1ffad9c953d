"""A service in a temporary folder, and a quick client."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, final

import numpy as np

from kernelbandits.reporting import toml_value

PATIENCE = 600.0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def settings_text(arms: Sequence[str], dim: int, port: int, workers: int, **others: Any) -> str:
    """A settings file with these arms and so many features."""
    features = "\n".join(f"x{j} = {{ mean = 0, std = 1 }}" for j in range(dim))
    more = "\n".join(f"{name} = {toml_value(value)}" for name, value in others.items())
    head = f"arms = {json.dumps(arms)}\n{more}\n[server]\nport = {port}\nworkers = {workers}\n"
    return f"{head}[features]\n{features}\n" if dim else head


def body(dim: int, rng: np.random.Generator) -> bytes:
    """A request with so many features."""
    return json.dumps({"context": {f"x{j}": float(value) for j, value in enumerate(rng.standard_normal(dim))}}).encode()


def wait_until_ready(port: int, path: str) -> None:
    """Wait for the first good answer."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", path)
            if connection.getresponse().status == 200:
                return
        except OSError:
            pass  # it does not listen yet
        finally:
            connection.close()
        time.sleep(0.1)
    raise TimeoutError(f"nothing answers on port {port}")


@contextmanager
def serving(
    arms: int | Sequence[str],
    dim: int,
    workers: int = 1,
    prepare: Callable[[Path], None] = lambda folder: None,
    **others: Any,
) -> Iterator[tuple[int, subprocess.Popen[bytes], Path]]:
    """A service: its port, its process and its folder, in which `prepare` may write files first."""
    names = [f"arm {k}" for k in range(arms)] if isinstance(arms, int) else [*arms]
    with TemporaryDirectory(prefix="kernelbandits-bench-") as folder:
        port, path = free_port(), Path(folder) / "shop.toml"
        prepare(Path(folder))
        path.write_text(settings_text(names, dim, port, workers, **others), encoding="utf-8")
        command = [sys.executable, "-m", "kernelbandits", "serve", str(path)]
        with (Path(folder) / "log.txt").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603
            try:
                for _ in range(10 * workers):  # any of the workers may answer
                    wait_until_ready(port, "/readyz")
                yield port, process, Path(folder)
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(PATIENCE)


def request(path: str, content: bytes) -> bytes:
    """A request as it goes over the wire."""
    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: "
    return head.encode() + str(len(content)).encode() + b"\r\n\r\n" + content


class Connection:
    """One connection that asks and waits for the answer."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def open(self) -> Connection:
        """Connect."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        return self

    async def post(self, path: str, content: bytes) -> tuple[int, bytes]:
        """Status and body of the answer."""
        self._writer.write(request(path, content))
        start = await self._reader.readuntil(b"\r\n\r\n")
        length = int(start.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        return int(start.split(b" ", 2)[1]), await self._reader.readexactly(length)

    def close(self) -> None:
        """Hang up."""
        self._writer.close()


def family(pid: int, kind: bytes = b"") -> Iterator[Path]:
    """The folders in /proc of a process and of those that it started, with `kind` of those whose command has it."""
    folder = Path(f"/proc/{pid}")
    if kind in (folder / "cmdline").read_bytes():
        yield folder
    for child in (folder / "task" / str(pid) / "children").read_text().split():
        yield from family(int(child), kind)


def resident(pid: int) -> float:
    """Memory of a process and of those that it started, in MB."""
    pages = sum(int((each / "statm").read_text().split()[1]) for each in family(pid))
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def cpu_seconds(pid: int, kind: bytes = b"") -> float:
    """Processor time of a family of processes."""
    fields = [(each / "stat").read_text().rpartition(")")[2].split() for each in family(pid, kind)]
    return sum(int(own[11]) + int(own[12]) for own in fields) / os.sysconf("SC_CLK_TCK")


def spread(pid: int, kind: bytes = b"") -> None:
    """Let each process of a family run on a processor of its own.

    The kernel moves processes to whoever wakes them, and a client on the same machine draws all to its processor.
    """
    for number, each in enumerate(family(pid, kind)):
        for thread in (each / "task").iterdir():
            os.sched_setaffinity(int(thread.name), {number % (os.cpu_count() or 1)})


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
