"""A Nyström fit to a million rows of a parquet file, in a process of its own: time and memory."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks.cases import Case
from benchmarks.measure import in_new_process, nothing, resident_peak
from kernelbandits import Gaussian, Nystrom, fit_table

N, DIM, CENTERS = 1_000_000, 50, 1000


def write_table(path: Path, n: int) -> None:
    """Write n rows of normal features and a reward that depends on a few of them."""
    import polars as pl

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, DIM))
    reward = np.sin(X[:, :3].sum(axis=1)) + 0.1 * rng.standard_normal(n)
    pl.DataFrame({**{f"x{j}": X[:, j] for j in range(DIM)}, "reward": reward}).write_parquet(path)


def _facts() -> Mapping[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_table(path, N)
        return in_new_process(_fit, path)


def _fit(path: Path) -> dict[str, float]:
    start = time.perf_counter()
    fit = fit_table(Nystrom(Gaussian(1.0), 1.0, CENTERS), path, reward_column="reward")
    return {
        "seconds": time.perf_counter() - start,
        "rows": fit.report.n,
        "peak memory of the whole process in MB (goal < 1500)": resident_peak() / 1e6,
    }


def cases() -> Iterator[Case]:
    """Yield one case."""
    title = f"fit_table on a parquet file, N = {N}, d = {DIM}, M = {CENTERS}, one thread"
    yield Case("nystrom-table", title, nothing, facts=_facts)
