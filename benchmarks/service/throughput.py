"""`rank` against a bare FastAPI echo of the same body: `python -m benchmarks.service.throughput`.

All are asked in turns, by 32 and 64 connections and by one; each worker has a processor of its own. The echo does not
decide, and writes nothing; two workers of it against one show what the machine and the client leave to gain. The client
sends requests that were made before, so that it leaves the processor to the servers. The processor time per answer does
not depend on what else the machine does. It needs `pip install fastapi`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

import msgspec
import numpy as np

from benchmarks.service.running import (
    Connection,
    body,
    cpu_seconds,
    free_port,
    load,
    request,
    serving,
    spread,
    wait_until_ready,
)
from kernelbandits.service.decisions import decide
from kernelbandits.service.learner import rebuilt
from kernelbandits.service.opening import salt_of
from kernelbandits.service.requests import RankRequest
from kernelbandits.service.storage import open_database

ECHO = """
from fastapi import FastAPI
from pydantic import BaseModel

class Body(BaseModel):
    context: dict[str, float]

app = FastAPI()

@app.get("/readyz")
async def ready() -> dict[str, str]:
    return {}

@app.post("/rank")
async def rank(body: Body) -> Body:
    return body
"""
_N_BODIES, _TIMES = 64, 500


class Server(NamedTuple):
    """A server under test; `kind` is part of the command lines of its processes that answer."""

    name: str
    port: int
    pid: int
    kind: bytes


class Found(NamedTuple):
    """Answers per second, latencies in milliseconds, and processor time per answer in microseconds."""

    rate: float
    p50: float
    p99: float
    cost: float


def measured(server: Server, requests: list[bytes], n: int, seconds: float) -> Found:
    """Ask a server for some seconds."""
    before = cpu_seconds(server.pid, server.kind)
    latencies = load(server.port, requests, n, seconds)
    used = cpu_seconds(server.pid, server.kind) - before
    p50, p99 = 1e3 * np.quantile(latencies, [0.5, 0.99])
    return Found(len(latencies) / seconds, float(p50), float(p99), 1e6 * used / len(latencies))


@contextmanager
def echoing(workers: int = 1) -> Iterator[Server]:
    """The echo with so many workers."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "echo.py").write_text(ECHO, encoding="utf-8")
        port = free_port()
        command = [sys.executable, "-m", "uvicorn", "echo:app", "--port", str(port), "--no-access-log"]
        environment = {**os.environ, "PYTHONPATH": folder}
        command += ["--log-level", "warning", "--workers", str(workers)]
        process = subprocess.Popen(command, env=environment)  # noqa: S603
        try:
            wait_until_ready(port, "/readyz")
            yield Server(f"echo, {workers}", port, process.pid, b"" if workers == 1 else b"spawn_main")
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


async def _teach(port: int, dim: int, n: int, rng: np.random.Generator) -> None:
    """Let the policy learn n rewards first."""
    connection = await Connection(port).open()
    for _ in range(n):
        _, text = await connection.post("/rank", body(dim, rng))
        name = json.loads(text)["event_id"]
        await connection.post(f"/events/{name}/reward", b'{"value": %d}' % rng.integers(2))
    connection.close()
    await asyncio.sleep(3.0)


def parts_ms(folder: Path, content: bytes) -> tuple[float, float]:
    """Median times in milliseconds of one decision of the service in a folder, and of one commit of a row.

    The commit is to a SQLite database of its own with synchronous=FULL. Both are done in turns, as for one client:
    right after another commit a commit takes less time.
    """
    database = open_database(str(folder / "shop.db"))
    state = rebuilt(database)
    with database.read() as tx:
        snapshot = state.snapshot(salt_of(tx))
    database.close()
    wanted, times = msgspec.json.decode(content, type=RankRequest), []
    with tempfile.TemporaryDirectory() as other:
        connection = sqlite3.connect(f"{other}/a.db", isolation_level=None)
        connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (x TEXT)")
        for _ in range(_TIMES):
            began = time.perf_counter()
            decide(snapshot, wanted, "an event")
            decided = time.perf_counter()
            connection.execute("INSERT INTO t VALUES (?)", ("x" * 2000,))
            times.append((decided - began, time.perf_counter() - decided))
        connection.close()
    decision, commit = 1e3 * np.median(times, axis=0)
    return float(decision), float(commit)


def compare(n_arms: int, dim: int, workers: list[int], rounds: int, seconds: float, taught: int) -> None:
    """Print the echo and services with so many workers, asked in turns."""
    rng = np.random.default_rng(0)
    bodies = [body(dim, rng) for _ in range(_N_BODIES)]
    requests = [request("/rank", content) for content in bodies]
    print(f"K = {n_arms}, d = {dim}, {taught} rewards learned, {len(bodies[0])} bytes")
    with ExitStack() as stack:
        servers = [stack.enter_context(echoing(n_workers)) for n_workers in workers]
        for n_workers in workers:
            port, process, folder = stack.enter_context(serving(n_arms, dim, n_workers, control=0.0))
            servers.append(Server(f"{n_workers} workers", port, process.pid, b"\0web\0"))
            asyncio.run(_teach(port, dim, taught, rng))
        for server in servers:
            spread(server.pid, server.kind)
        for n in (32, 64, 1):
            turns = [[measured(server, requests, n, seconds) for server in servers] for _ in range(rounds)]
            for number, (server, found) in enumerate(zip(servers, zip(*turns, strict=True), strict=True)):
                first = len(workers) * (number >= len(workers))
                _print(n, server, found, [turn[0] for turn in turns], [turn[first] for turn in turns])
        parts = [median(turn[0].p50 for turn in turns), *parts_ms(folder, bodies[0])]
        sums = f"{parts[0]:.2f} + {parts[1]:.2f} + {parts[2]:.2f} = {sum(parts):.2f} ms"
        print(f"   1 connection: echo, a decision, a commit by themselves {sums}; with 20 % {1.2 * sum(parts):.2f} ms")


def _print(n: int, server: Server, found: tuple[Found, ...], echo: list[Found], one: list[Found]) -> None:
    rate, p50, p99, cost = np.median(found, axis=0)
    ratios = [each.rate / bare.rate for each, bare in zip(found, echo, strict=True)]
    to_one = median(each.rate / first.rate for each, first in zip(found, one, strict=True))
    print(
        f"  {n:2d} connections, {server.name:>9}: {rate:6.0f}/s, p50 {p50:.2f}, p99 {p99:.2f} ms, {cost:.0f} µs of "
        f"processor time; {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) × the echo's rate, "
        f"{median(each.cost for each in echo) / cost:.2f} × per processor time, {to_one:.2f} × one worker's rate",
        flush=True,
    )


def main() -> None:
    """Compare at several sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--taught", type=int, default=500)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    given = parser.parse_args()
    for n_arms, dim in ((10, 20), (50, 100)):
        compare(n_arms, dim, given.workers, given.rounds, given.seconds, given.taught)


if __name__ == "__main__":
    main()
