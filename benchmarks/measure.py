"""Timing contenders fairly: interleaved in one process, so that what else the machine does hits all of them alike."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from threadpoolctl import threadpool_limits


@final
@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of several runs."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle one: robust against a disturbed run."""
        return float(np.median(self.seconds))

    @property
    def spread(self) -> float:
        """Distance of the quartiles relative to the median."""
        low, high = np.quantile(self.seconds, [0.25, 0.75])
        return float(high - low) / self.median


def interleave(
    contenders: Mapping[str, Callable[[], Any]], repeats: int, threads: int
) -> tuple[dict[str, Timing], dict[str, Any]]:
    """Give every contender `repeats` turns, one after the other, after a warm-up; times, and what each returned.

    A turn of a short contender is as many runs as fill a quarter of a second, so that it is not measured with caches
    that another contender has just emptied.
    """
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    answers: dict[str, Any] = {}
    with threadpool_limits(threads):
        runs_a_turn = {name: _runs_a_turn(run) for name, run in contenders.items()}
        for _ in range(repeats):
            for name, run in contenders.items():
                start = time.perf_counter()
                for _ in range(runs_a_turn[name]):
                    answers[name] = run()
                seconds[name].append((time.perf_counter() - start) / runs_a_turn[name])
    return {name: Timing(tuple(values)) for name, values in seconds.items()}, answers


def _runs_a_turn(run: Callable[[], Any], turn: float = 0.25) -> int:
    run()
    start = time.perf_counter()
    run()
    return max(1, round(turn / (time.perf_counter() - start)))


def median_ratio(timings: Mapping[str, Timing], name: str, reference: str) -> float:
    """Median over the rounds of time(name) / time(reference), each round measured side by side."""
    pairs = zip(timings[name].seconds, timings[reference].seconds, strict=True)
    return float(np.median([ours / theirs for ours, theirs in pairs]))


def peak_resident(code: str, setup: str) -> int:
    """Bytes by which the largest resident size of a process grows when it runs `code` after `setup` (Linux)."""
    peak = "from benchmarks.measure import resident_peak as peak"
    script = f"{peak}\n{setup}\nbefore = peak()\n{code}\nprint(peak() - before)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return int(done.stdout)


def resident_peak() -> int:
    """The largest resident size of this process so far, in bytes (Linux)."""
    [kilobytes] = re.findall(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(kilobytes) * 1024


def peak_bytes(run: Callable[[], Any]) -> int:
    """Most memory that numpy and Python held at once beyond what they held before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def exponent(sizes: list[float], values: list[float]) -> float:
    """Slope of log(value) against log(size): how fast the cost grows."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def nothing() -> Mapping[str, Callable[[], Any]]:
    """Contenders of a case that has figures but no race."""
    return {"ours": lambda: None}
