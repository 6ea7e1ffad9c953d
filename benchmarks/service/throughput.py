"""`rank` against a bare FastAPI echo of the same body: `python -m benchmarks.service.throughput`.

Both are asked in turns, by 32 connections and by one. The echo does not decide, and writes nothing. The processor time
per answer does not depend on what else the machine does. It needs `pip install fastapi`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.service.running import Connection, body, cpu_seconds, free_port, serving, wait_until_ready

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


async def _ask(port: int, content: bytes, end: float, latencies: list[float]) -> None:
    connection = await Connection(port).open()
    while time.perf_counter() < end:
        began = time.perf_counter()
        status, text = await connection.post("/rank", content)
        if status != 200:
            raise RuntimeError(text.decode())
        latencies.append(time.perf_counter() - began)
    connection.close()


async def _load(port: int, content: bytes, n: int, seconds: float) -> tuple[float, float, float]:
    """Answers per second, and the median and the 99th percentile of the latency in milliseconds."""
    latencies: list[float] = []
    end = time.perf_counter() + seconds
    await asyncio.gather(*(_ask(port, content, end, latencies) for _ in range(n)))
    p50, p99 = np.quantile(latencies, [0.5, 0.99])
    return len(latencies) / seconds, 1e3 * float(p50), 1e3 * float(p99)


async def _teach(port: int, dim: int, n: int, rng: np.random.Generator) -> None:
    """Let the policy learn n rewards first."""
    connection = await Connection(port).open()
    for _ in range(n):
        _, text = await connection.post("/rank", body(dim, rng))
        name = json.loads(text)["event_id"]
        await connection.post(f"/events/{name}/reward", b'{"value": %d}' % rng.integers(2))
    connection.close()
    await asyncio.sleep(3.0)


def fsync_ms() -> float:
    """The median time of one commit to a SQLite database with synchronous=FULL, in milliseconds."""
    import sqlite3

    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(f"{folder}/a.db", isolation_level=None)
        connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (x TEXT)")
        times = []
        for _ in range(100):
            began = time.perf_counter()
            connection.execute("INSERT INTO t VALUES (?)", ("x" * 2000,))
            times.append(time.perf_counter() - began)
        connection.close()
    return 1e3 * median(times)


def compare(n_arms: int, dim: int, workers: int, rounds: int, seconds: float, taught: int, **others: Any) -> None:
    """Print both, in turns."""
    rng = np.random.default_rng(0)
    content, echo_port = body(dim, rng), free_port()
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(n_arms, dim, workers, control=0.0, **others) as (port, service, _),
    ):
        (Path(folder) / "echo.py").write_text(ECHO, encoding="utf-8")
        command = [sys.executable, "-m", "uvicorn", "echo:app", "--port", str(echo_port), "--no-access-log"]
        environment = {**os.environ, "PYTHONPATH": folder}
        echo = subprocess.Popen([*command, "--log-level", "warning"], env=environment)  # noqa: S603
        try:
            wait_until_ready(echo_port, "/readyz")
            asyncio.run(_teach(port, dim, taught, rng))
            print(f"K = {n_arms}, d = {dim}, {workers} workers, {taught} rewards learned, {len(content)} bytes")
            for n in (32, 1):
                ratios, rows = [], []
                for _ in range(rounds):
                    before = cpu_seconds(echo.pid), cpu_seconds(service.pid, b"\0web\0")
                    bare = asyncio.run(_load(echo_port, content, n, seconds))
                    ours = asyncio.run(_load(port, content, n, seconds))
                    ratios.append(ours[0] / bare[0])
                    used = cpu_seconds(echo.pid) - before[0], cpu_seconds(service.pid, b"\0web\0") - before[1]
                    costs = [1e6 * each / (rate * seconds) for each, rate in zip(used, (bare[0], ours[0]), strict=True)]
                    rows.append((*bare, *ours, fsync_ms(), *costs))
                found = np.median(rows, axis=0)
                print(
                    f"  {n:2d} connections: echo {found[0]:6.0f}/s p50 {found[1]:.2f} p99 {found[2]:.2f} ms; rank "
                    f"{found[3]:6.0f}/s p50 {found[4]:.2f} p99 {found[5]:.2f} ms; ratio {median(ratios):.2f} "
                    f"({min(ratios):.2f} to {max(ratios):.2f}); commit {found[6]:.2f} ms; processor time per answer "
                    f"{found[7]:.0f} and {found[8]:.0f} µs, ratio {found[7] / found[8]:.2f}",
                    flush=True,
                )
        finally:
            echo.send_signal(signal.SIGTERM)
            echo.wait()


def main() -> None:
    """Compare at several sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--taught", type=int, default=500)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    given = parser.parse_args()
    for n_arms, dim in ((10, 20), (50, 100)):
        for workers in given.workers:
            compare(n_arms, dim, workers, given.rounds, given.seconds, given.taught)


if __name__ == "__main__":
    main()
