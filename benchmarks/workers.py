"""What more workers bring, to Figure 1 and to a fit to a parquet file: processes, and Dask on this machine."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.measure import seconds
from benchmarks.nystrom import write_table
from kernelbandits import Gaussian, Nystrom, Results, fit_parquet
from kernelbandits.experiments import load_experiment, regret_picture, run
from kernelbandits.experiments.engines import Engine, dask, local
from kernelbandits.reporting import save

ROWS, CENTERS, SEEDS = 1_000_000, 1000, 2


def _grid(folder: str, engine: Engine, seeds: int = SEEDS) -> Results:
    return run(replace(load_experiment("figure-1"), seeds=tuple(range(seeds))), folder, engine)


def _figure_1(jobs: int, seeds: int = SEEDS) -> None:
    """Run, write the results and draw the figure."""
    with tempfile.TemporaryDirectory() as folder:
        results = _grid(folder, local(jobs), seeds)
        results.write(Path(folder))
        save(regret_picture(results), Path(folder) / "figure-1")


def _two_against_one() -> Mapping[str, Callable[[], Any]]:
    return {"ours": partial(_figure_1, 2), "one worker": partial(_figure_1, 1)}


def _full() -> Mapping[str, float]:
    """Time the whole grid, where starting workers and drawing count for less."""
    one, two = (seconds(partial(_figure_1, jobs, 10)) for jobs in (1, 2))
    return {
        "seconds for the full Figure 1, 480 runs, two workers (goal < 60)": two,
        "seconds with one worker divided by that (goal ≥ 1.8)": one / two,
    }


def _fit(path: Path, engine: Engine) -> None:
    estimator = Nystrom(Gaussian(1.0), 1.0, CENTERS)
    fit_parquet(estimator, path, reward_column="reward", engine=engine, rows_per_part=100_000)


def _by_engine() -> Mapping[str, float]:
    engines: dict[str, Engine] = {"one process": local(1), "two processes": local(2)}
    if find_spec("distributed"):
        engines |= {"one Dask worker": dask(n_jobs=1), "two Dask workers": dask(n_jobs=2)}
    facts = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_table(path, ROWS)
        for title, engine in engines.items():
            with tempfile.TemporaryDirectory() as store:
                facts[f"seconds for Figure 1 with {SEEDS} seeds: {title}"] = seconds(partial(_grid, store, engine))
        for title, engine in engines.items():
            name = f"fit_parquet, N = {ROWS:,}, M = {CENTERS}"
            facts[f"seconds for {name}: {title}"] = seconds(partial(_fit, path, engine))
    return facts


def cases() -> Iterator[Case]:
    """Yield two workers against one on a fifth of the grid, with facts for the whole; then all kinds of workers.

    Times with Dask include starting and ending the cluster.
    """
    yield Case("figure-1", "Figure 1 with two seeds, two workers against one", _two_against_one, facts=_full)
    yield Case("workers", "what more workers bring", facts=_by_engine)
