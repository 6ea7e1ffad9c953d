"""How long an answer waits while a snapshot is loaded: `python -m benchmarks.service.stalls --rewards 100000`."""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from kernelbandits.bandit import Bandit, learn, weigh
from kernelbandits.saving import restore
from kernelbandits.tables import declared_encoder


def main() -> None:
    """Teach a bandit, save it, and decide while another thread loads it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rewards", type=int, default=100_000)
    given = parser.parse_args()
    rng, names = np.random.default_rng(0), [f"x{j}" for j in range(20)]
    bandit = Bandit([f"arm {k}" for k in range(10)], encoder=declared_encoder(dict.fromkeys(names, (0.0, 1.0)), {}))
    for number in range(given.rewards):
        row = dict(zip(names, rng.standard_normal(20).tolist(), strict=True))
        learn(bandit, row, f"arm {number % 10}", 0.5, float(rng.integers(2)))
    sys.setswitchinterval(0.0005)  # as in a web worker
    with tempfile.TemporaryDirectory() as folder:
        path = bandit.save(Path(folder) / "a.kb")
        loading = threading.Event()  # set when it is over
        alone = _decisions(bandit, row, lambda: False, 300)
        thread = threading.Thread(target=_loaded, args=(path, loading))
        began = time.thread_time()
        restore(path)
        cost = time.thread_time() - began
        thread.start()
        during = _decisions(bandit, row, loading.is_set, 10**6)
        thread.join()
    print(f"{given.rewards} rewards: a bundle is loaded in {1e3 * cost:.0f} ms of processor time")
    for name, times in (("alone", alone), ("while loading", during)):
        print(f"  a decision {name}: median {1e3 * np.median(times):.2f} ms, largest {1e3 * max(times):.2f} ms")


def _loaded(path: Path, ended: threading.Event) -> None:
    for _ in range(10):
        restore(path)
    ended.set()


def _decisions(bandit: Bandit, row: dict[str, float], ended: Callable[[], bool], most: int) -> list[float]:
    times: list[float] = []
    while len(times) < most and not ended():
        began = time.perf_counter()
        weigh(bandit, row)
        times.append(time.perf_counter() - began)
    return times


if __name__ == "__main__":
    main()
