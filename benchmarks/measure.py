"""Measuring time and memory. Contenders take turns in one process, so that other load hits all of them alike."""

from __future__ import annotations

import re
import time
import tracemalloc
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, final

import numpy as np
from threadpoolctl import threadpool_limits

P = ParamSpec("P")
Value = TypeVar("Value")


@final
@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of several runs."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median, which a disturbed run does not move."""
        return float(np.median(self.seconds))

    @property
    def spread(self) -> float:
        """Distance of the quartiles relative to the median."""
        low, high = np.quantile(self.seconds, [0.25, 0.75])
        return float(high - low) / self.median


def interleave(
    contenders: Mapping[str, Callable[[], Any]], repeats: int, threads: int
) -> tuple[dict[str, Timing], dict[str, Any]]:
    """Give every contender `repeats` turns, in rotation, after a warm-up; return the times and the answers.

    A turn of a short contender is as many runs as fill a quarter of a second, so that it is not measured with caches
    that another contender has just emptied.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    answers: dict[str, Any] = {}
    with threadpool_limits(threads):
        runs_per_turn = {name: _runs_per_turn(run) for name, run in contenders.items()}
        for _ in range(repeats):
            for name, run in contenders.items():
                start = time.perf_counter()
                for _ in range(runs_per_turn[name]):
                    answers[name] = run()
                times[name].append((time.perf_counter() - start) / runs_per_turn[name])
    return {name: Timing(tuple(values)) for name, values in times.items()}, answers


def _runs_per_turn(run: Callable[[], Any], turn: float = 0.25) -> int:
    run()
    return max(1, round(turn / seconds(run)))


def seconds(run: Callable[[], Any]) -> float:
    """Return the seconds of one run."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def processor_seconds(run: Callable[[], Any]) -> float:
    """Return the processor time of one run, in all threads: other load does not count."""
    start = time.process_time()
    run()
    return time.process_time() - start


def median_ratio(timings: Mapping[str, Timing], name: str, reference: str) -> float:
    """Return the median over the rounds of time(name) / time(reference)."""
    pairs = zip(timings[name].seconds, timings[reference].seconds, strict=True)
    return float(np.median([other / own for other, own in pairs]))


def in_new_process(function: Callable[P, Value], *arguments: P.args, **keywords: P.kwargs) -> Value:
    """Return function(…) from a process of its own with one BLAS thread, for instance to measure its memory."""
    with ProcessPoolExecutor(1, get_context("spawn"), threadpool_limits, (1,)) as process:
        return process.submit(function, *arguments, **keywords).result()


def resident_peak() -> int:
    """Return the largest resident size of this process so far, in bytes (Linux)."""
    [kilobytes] = re.findall(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
    return int(kilobytes) * 1024


def peak_bytes(run: Callable[[], Any]) -> int:
    """Return the most memory that numpy and Python held at once beyond what they held before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def exponent(sizes: list[float], values: list[float]) -> float:
    """Return the slope of log(value) against log(size): how fast the cost grows."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])
