"""The paper's Figure 1 as a whole, with one worker and with two."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.measure import seconds
from kernelbandits.experiments import load_experiment, local, regret_picture, run
from kernelbandits.reporting import save


def _figure_1(seeds: int, jobs: int) -> None:
    """Run, write the results and draw the figure."""
    with tempfile.TemporaryDirectory() as folder:
        results = run(replace(load_experiment("figure-1"), seeds=tuple(range(seeds))), folder, local(jobs))
        results.write(Path(folder))
        save(regret_picture(results), Path(folder) / "figure-1")


def _workers() -> Mapping[str, Callable[[], Any]]:
    return {"ours": partial(_figure_1, 2, 2), "one worker": partial(_figure_1, 2, 1)}


def _full() -> Mapping[str, float]:
    """Time the whole grid, where starting workers and drawing count for less."""
    one, two = (seconds(partial(_figure_1, 10, jobs)) for jobs in (1, 2))
    return {
        "seconds for the full Figure 1, 480 runs, two workers (goal < 60)": two,
        "seconds with one worker divided by that (goal ≥ 1.8)": one / two,
    }


def cases() -> Iterator[Case]:
    """Yield two workers against one on a fifth of the grid; the facts are for the whole."""
    yield Case("figure-1", "Figure 1 with two seeds, two workers against one", _workers, facts=_full)
