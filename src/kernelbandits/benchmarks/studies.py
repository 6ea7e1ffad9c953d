"""The paper's Figure 1 as a whole, and what a second worker brings."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from kernelbandits.benchmarks.cases import Case, Goal
from kernelbandits.experiments import load, local, run
from kernelbandits.experiments.figures import regret_curves, save


def _figure_1(seeds: int, jobs: int) -> None:
    """Results written, pictures drawn."""
    with tempfile.TemporaryDirectory() as folder:
        results = run(replace(load("figure-1"), seeds=tuple(range(seeds))), folder, local(jobs))
        results.write(Path(folder))
        save(regret_curves(results), Path(folder) / "figure-1")


def _workers() -> Mapping[str, Callable[[], Any]]:
    return {"ours": partial(_figure_1, 2, 2), "one worker": partial(_figure_1, 2, 1)}


def _full() -> Mapping[str, float]:
    import time

    start = time.perf_counter()
    _figure_1(seeds=10, jobs=2)
    return {"seconds for the full Figure 1, 480 runs, two workers (goal < 60)": time.perf_counter() - start}


def cases() -> Iterator[Case]:
    """Two workers against one on a fifth of the grid; the whole grid once."""
    title = "Figure 1 with two seeds, two workers against one"
    yield Case("figure-1", title, _workers, goals=(Goal("one worker", 1.8),), facts=_full)
