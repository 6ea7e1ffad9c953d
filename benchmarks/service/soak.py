"""A soak: `python -m benchmarks.service.soak --minutes 30 --rate 100`. Memory must stay flat, and nothing may fail."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from urllib.parse import quote

import numpy as np

from benchmarks.service.running import Connection, body, resident, serving


async def _client(port: int, dim: int, rate: float, end: float, seed: int, counts: dict[str, int]) -> None:
    rng, connection = np.random.default_rng(seed), await Connection(port).open()
    while time.monotonic() < end:
        began = time.monotonic()
        status, text = await connection.post("/rank", body(dim, rng))
        counts["rank"] += 1
        if status != 200:
            counts["error"] += 1
        elif rng.random() < 0.5:
            event = quote(json.loads(text)["event_id"])
            status, _ = await connection.post(f"/events/{event}/reward", b'{"value": %d}' % rng.integers(2))
            counts["reward"] += 1
            counts["error"] += status != 200
        await asyncio.sleep(max(1.0 / rate - (time.monotonic() - began), 0.0))
    connection.close()


async def _soak(port: int, pid: int, minutes: float, rate: float, dim: int) -> None:
    counts = {"rank": 0, "reward": 0, "error": 0}
    end, n = time.monotonic() + 60.0 * minutes, 8
    clients = [asyncio.create_task(_client(port, dim, rate / n, end, seed, counts)) for seed in range(n)]
    began = time.monotonic()
    while time.monotonic() < end:
        print(f"{(time.monotonic() - began) / 60:6.1f} min  {resident(pid):8.1f} MB  {counts}", flush=True)
        await asyncio.sleep(min(60.0, max(end - time.monotonic(), 0.1)))
    await asyncio.gather(*clients)
    print(f"   end      {resident(pid):8.1f} MB  {counts}")


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--rate", type=float, default=100.0, help="decisions per second")
    given = parser.parse_args()
    with serving(10, 20, reward_wait=60) as (port, process, _):
        asyncio.run(_soak(port, process.pid, given.minutes, given.rate, 20))


if __name__ == "__main__":
    main()
