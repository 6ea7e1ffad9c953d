"""The paper's Figure 1 as a whole, and what a second worker brings."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from kernelbandits.experiments import load, local, regret_picture, run
from kernelbandits.reporting import save


def _figure_1(seeds: int, jobs: int) -> None:
    """Results written, pictures drawn."""
    with tempfile.TemporaryDirectory() as folder:
        results = run(replace(load("figure-1"), seeds=tuple(range(seeds))), folder, local(jobs))
        results.write(Path(folder))
        save(regret_picture(results), Path(folder) / "figure-1")


def _workers() -> Mapping[str, Callable[[], Any]]:
    return {"ours": partial(_figure_1, 2, 2), "one worker": partial(_figure_1, 2, 1)}


def _full() -> Mapping[str, float]:
    """The whole grid, where starting the workers and drawing weigh less."""
    one, two = _seconds(jobs=1), _seconds(jobs=2)
    return {
        "seconds for the full Figure 1, 480 runs, two workers (goal < 60)": two,
        "seconds with one worker in times that (goal ≥ 1.8)": one / two,
    }


def _seconds(jobs: int) -> float:
    start = time.perf_counter()
    _figure_1(seeds=10, jobs=jobs)
    return time.perf_counter() - start


def cases() -> Iterator[Case]:
    """Two workers against one on a fifth of the grid, and once on the whole."""
    yield Case("figure-1", "Figure 1 with two seeds, two workers against one", _workers, facts=_full)
