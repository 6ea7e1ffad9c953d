"""A Nyström fit to a million rows of a parquet file, in a process of its own: time and memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks.cases import Case
from benchmarks.measure import nothing

N, DIM, CENTERS = 1_000_000, 50, 1000

_CHILD = """
import json, sys, time
import kernelbandits as kb
from benchmarks.measure import resident_peak
from threadpoolctl import threadpool_limits
start = time.perf_counter()
with threadpool_limits(1):
    fit = kb.fit_table(kb.Nystrom(kb.Gaussian(1.0), 1.0, int(sys.argv[2])), sys.argv[1], reward_column="reward")
print(json.dumps({
    "seconds": time.perf_counter() - start,
    "rows": fit.report.n,
    "peak memory of the whole process in MB (goal < 1500)": resident_peak() / 1e6,
}))
"""


def write_table(path: Path, n: int) -> None:
    """N rows of normal features and a reward that depends on a few of them."""
    import polars as pl

    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, DIM))
    reward = np.sin(X[:, :3].sum(axis=1)) + 0.1 * rng.standard_normal(n)
    pl.DataFrame({**{f"x{j}": X[:, j] for j in range(DIM)}, "reward": reward}).write_parquet(path)


def _facts() -> Mapping[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_table(path, N)
        command = [sys.executable, "-c", _CHILD, str(path), str(CENTERS)]
        # The error stream is passed on: the bar shows there when it is a terminal.
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    facts: dict[str, float] = json.loads(done.stdout)
    return facts


def cases() -> Iterator[Case]:
    """One case."""
    title = f"fit_table on a parquet file, N = {N}, d = {DIM}, M = {CENTERS}, one thread"
    yield Case("nystrom-table", title, nothing, facts=_facts)
