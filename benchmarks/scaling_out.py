"""Speedup of an experiment and of a fit to a parquet file by more workers: processes, and Dask on this machine."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.measure import nothing, seconds
from benchmarks.million import write_table
from kernelbandits import Gaussian, Nystrom, fit_parquet
from kernelbandits.experiments import load_experiment, run
from kernelbandits.experiments.engines import Engine, dask, local

ROWS, CENTERS, SEEDS = 1_000_000, 1000, 2


def _engines() -> dict[str, Engine]:
    engines: dict[str, Engine] = {"one process": local(1), "two processes": local(2)}
    if find_spec("distributed"):
        engines |= {"one Dask worker": dask(n_jobs=1), "two Dask workers": dask(n_jobs=2)}
    return engines


def _grid(engine: Engine) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run(replace(load_experiment("figure-1"), seeds=tuple(range(SEEDS))), folder, engine)


def _fit(path: Path, engine: Engine) -> None:
    estimator = Nystrom(Gaussian(1.0), 1.0, CENTERS)
    fit_parquet(estimator, path, reward_column="reward", engine=engine, rows_per_part=100_000)


def _facts() -> Mapping[str, float]:
    facts: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_table(path, ROWS)
        works: dict[str, Callable[[Engine], Any]] = {
            f"Figure 1 with {SEEDS} seeds": _grid,
            f"fit_parquet, N = {ROWS:,}, M = {CENTERS}": partial(_fit, path),
        }
        for name, work in works.items():
            facts |= {
                f"seconds for {name}: {title}": seconds(partial(work, engine)) for title, engine in _engines().items()
            }
    return facts


def cases() -> Iterator[Case]:
    """Yield one case; times with Dask include starting and ending the cluster."""
    yield Case("workers", "what more workers bring", nothing, facts=_facts)
