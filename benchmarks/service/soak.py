"""A soak at half load: `python -m benchmarks.service.soak --minutes 30`. Memory must stay flat, and nothing may fail.

At first 32 clients ask as fast as they are answered, and send a reward for half of the decisions. Then they do so half
as often, for as long as is wanted. What other programs leave of the machine therefore counts as its whole power.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from math import inf

import numpy as np

from benchmarks.service.running import Connection, body, resident, serving

_N_CLIENTS, _N_BODIES, _DIM = 32, 256, 20
_EVENT = b'"event_id":"'


async def _client(port: int, rate: float, end: float, seed: int, bodies: list[bytes], counts: dict[str, int]) -> None:
    rng, connection, due = np.random.default_rng(seed), await Connection(port).open(), time.monotonic()
    while time.monotonic() < end:
        status, text = await connection.post("/rank", bodies[rng.integers(_N_BODIES)])
        counts["rank"] += 1
        if status != 200:
            counts["error"] += 1
        elif rng.random() < 0.5:
            event = text.partition(_EVENT)[2].partition(b'"')[0].decode()
            status, _ = await connection.post(f"/events/{event}/reward", b'{"value": %d}' % rng.integers(2))
            counts["reward"] += 1
            counts["error"] += status != 200
        due = max(due + 1.0 / rate, time.monotonic() - 1.0)  # at most a second is made up for
        await asyncio.sleep(max(due - time.monotonic(), 0.0))
    connection.close()


async def _soak(port: int, pid: int, seconds: float, rate: float, bodies: list[bytes]) -> float:
    """Ask for decisions at a rate; returns the rate that was reached."""
    counts, began = {"rank": 0, "reward": 0, "error": 0}, time.monotonic()
    end, each = began + seconds, rate / _N_CLIENTS
    clients = [asyncio.create_task(_client(port, each, end, seed, bodies, counts)) for seed in range(_N_CLIENTS)]
    while time.monotonic() < end:
        await asyncio.sleep(min(60.0, max(end - time.monotonic(), 0.1)))
        passed = time.monotonic() - began
        print(
            f"{passed / 60:6.1f} min  {counts['rank'] / passed:7.0f} decisions/s  {resident(pid):8.1f} MB  {counts}",
            flush=True,
        )
    await asyncio.gather(*clients)
    return counts["rank"] / (time.monotonic() - began)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--rate", type=float, help="decisions per second; half of what is reached, if left out")
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    bodies = [body(_DIM, rng) for _ in range(_N_BODIES)]
    with serving(10, _DIM, reward_wait=60) as (port, process, _):
        rate = given.rate or asyncio.run(_soak(port, process.pid, 30.0, inf, bodies)) / 2.0
        print(f"now {rate:.0f} decisions per second", flush=True)
        asyncio.run(_soak(port, process.pid, 60.0 * given.minutes, rate, bodies))


if __name__ == "__main__":
    main()
