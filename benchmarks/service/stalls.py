"""How long learning makes an answer wait: `python -m benchmarks.service.stalls --rewards 100000`.

A service starts warm from a log of that many rewards. Four clients ask for decisions, first alone, then while rewards
come in and a new snapshot of the policy is published and loaded every second. The longest waits of both are to be
compared: what the machine itself holds up is in both. Meanwhile a program that does nothing else writes 8 kB to another
file every 5 ms and waits for the disk, to tell how long the machine alone makes one wait.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.service.running import Connection, body, serving

_N_CLIENTS, _PAUSE = 4, 0.005
_DIM, _ARMS = 20, tuple(f"arm {k}" for k in range(10))


def write_log(path: Path, n: int, rng: np.random.Generator) -> None:
    """A log of n rewards of arms that were chosen at random."""
    X, arms = rng.standard_normal((n, _DIM)), rng.integers(len(_ARMS), size=n)
    rewards = rng.random(n) < 0.3 + 0.3 * (X[np.arange(n), arms] > 0.0)
    columns = {f"x{j}": X[:, j] for j in range(_DIM)}
    shown = [_ARMS[arm] for arm in arms]
    pl.DataFrame({**columns, "arm": shown, "reward": rewards.astype(float)}).write_parquet(path)


async def _client(port: int, end: float, share: float, seed: int, waits: list[float], versions: set[int]) -> None:
    rng, connection = np.random.default_rng(seed), await Connection(port).open()
    while time.perf_counter() < end:
        content, began = body(_DIM, rng), time.perf_counter()
        status, text = await connection.post("/rank", content)
        waits.append(time.perf_counter() - began)
        if status != 200:
            raise RuntimeError(text.decode())
        answer = json.loads(text)
        versions.add(answer["version"])
        if rng.random() < share:
            await connection.post(f"/events/{answer['event_id']}/reward", b'{"value": %d}' % rng.integers(2))
        await asyncio.sleep(_PAUSE)
    connection.close()


_PROBE = """
import os, sys, time
file, waits = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT), []
end = time.perf_counter() + float(sys.argv[2])
while (began := time.perf_counter()) < end:
    os.pwrite(file, b"x" * 8192, 8192 * (len(waits) % 100))
    os.fdatasync(file)
    waits.append(time.perf_counter() - began)
    time.sleep(0.005)
print(*waits)
"""


async def _waits(port: int, seconds: float, share: float) -> tuple[list[float], int]:
    """Times that answers took while this share of the events got a reward, and how many snapshots answered."""
    waits: list[float] = []
    versions: set[int] = set()
    end = time.perf_counter() + seconds
    await asyncio.gather(*(_client(port, end, share, seed, waits, versions) for seed in range(_N_CLIENTS)))
    return waits, len(versions)


def main() -> None:
    """Ask with and without learning, in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rewards", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()

    def prepare(folder: Path) -> None:
        write_log(folder / "old.parquet", given.rewards, np.random.default_rng(0))

    start = {"log": "old.parquet", "arm": "arm", "reward": "reward"}
    with serving(_ARMS, 0, prepare=prepare, warm_start=start) as (port, _, folder):
        for _ in range(given.rounds):
            for name, share in (("alone", 0.0), ("while it learns", 0.5)):
                command = [sys.executable, "-c", _PROBE, str(folder / "probe"), str(given.seconds)]
                with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as probe:  # noqa: S603
                    waits, n_versions = asyncio.run(_waits(port, given.seconds, share))
                    bare = [float(wait) for wait in probe.communicate()[0].split()]
                print(f"{name:>16}: {_shown(waits)}, {len(waits)} answers of {n_versions} snapshots", flush=True)
                print(f"{'the disk':>16}: {_shown(bare)}", flush=True)


def _shown(waits: list[float]) -> str:
    p50, p99, most = 1e3 * np.quantile(waits, [0.5, 0.99, 1.0])
    late = sum(wait > 0.02 for wait in waits)
    return f"median {p50:.2f}, 99 % {p99:.2f}, longest {most:.2f} ms, {late} above 20 ms"


if __name__ == "__main__":
    main()
