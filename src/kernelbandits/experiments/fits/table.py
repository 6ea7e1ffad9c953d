"""Nyström fits to tables larger than memory: the first pass chooses centres, the second sums the normal equations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kernelbandits.linalg import require_memory
from kernelbandits.regression import NormalEquations, Nystrom, NystromPredictor
from kernelbandits.reporting.progress import Progress
from kernelbandits.tables.scans import Scan, scan
from kernelbandits.types import Array

CANDIDATES = 10
"""Size of the sample from which centres are chosen, in rows per centre."""


def fit_table(
    estimator: Nystrom,
    path: Path | str,
    *,
    reward_column: str,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> NystromPredictor:
    """Fit all rows of a .parquet, .csv or .csv.gz file, in O(M² + block) memory, with a progress bar.

    Features are `columns`, or all columns but the reward and `drop`. The first pass draws a uniform sample of 10 rows
    per centre, from which `estimator.centers` chooses; the second sums the normal equations.
    """
    with scan(path, reward_column=reward_column, columns=columns, drop=drop) as table:
        [fit] = _fit(estimator, table).values()
        return fit


def fit_arms(
    estimator: Nystrom,
    path: Path | str,
    *,
    arm_column: str,
    reward_column: str,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> dict[Any, NystromPredictor]:
    """Fit each arm of a logged table, in two passes over the file for all arms together."""
    with scan(path, arm_column=arm_column, reward_column=reward_column, columns=columns, drop=drop) as table:
        return _fit(estimator, table)


def _fit(estimator: Nystrom, table: Scan) -> dict[Any, NystromPredictor]:
    cost = estimator.cost(table.n, table.dim)
    require_memory(cost.bytes, f"a fit with {estimator.n_centers} centres", "use fewer centres")
    with Progress(table.name, 2 * table.n) as progress:
        samples: dict[Any, RowSample] = {}
        rng = np.random.default_rng(estimator.seed)
        for arm, X, _ in _rows_by_arm(table, lambda done: progress.show(done, "choosing centres")):
            samples.setdefault(arm, RowSample(CANDIDATES * estimator.n_centers)).add(X, rng)
        what = f"a fit of {len(samples)} arms with {estimator.n_centers} centres each"
        require_memory(len(samples) * cost.bytes, what, "use fewer centres")
        equations = {arm: NormalEquations(estimator.basis(samples.pop(arm).rows)) for arm in sorted(samples)}
        for arm, X, y in _rows_by_arm(table, lambda done: progress.show(table.n + done, "fitting")):
            equations[arm].add(X, y)
        return {arm: estimator.solve(equations.pop(arm)) for arm in [*equations]}


def _rows_by_arm(table: Scan, show: Callable[[int], None]) -> Iterator[tuple[Any, Array, Array]]:
    """For each block, each of its arms with its rows X and y; the arm is None without a column of arms."""
    done = 0
    for X, y, arm_of_row in table.blocks():
        if arm_of_row is None:
            yield None, X, y
        else:
            arms, place = np.unique(arm_of_row, return_inverse=True)
            rows_of_arms = np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1])
            for arm, rows in zip(arms.tolist(), rows_of_arms, strict=True):
                yield arm, X[rows], y[rows]
        done += len(y)
        show(done)


class RowSample:
    """A uniform sample without replacement of at most `size` rows of a stream.

    Each row gets a random key; the sample is the rows with the smallest keys.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._keys = np.zeros(0)
        self._rows: Array | None = None

    def add(self, X: Array, rng: np.random.Generator) -> None:
        """Offer rows X of shape (n, d)."""
        keys = rng.random(len(X))
        if len(self._keys) == self._size:
            promising = keys < self._keys.max()
            X, keys = X[promising], keys[promising]
        rows = X if self._rows is None else np.concatenate([self._rows, X])
        keys = np.concatenate([self._keys, keys])
        if len(keys) > self._size:
            kept = np.sort(np.argpartition(keys, self._size)[: self._size])
            rows, keys = rows[kept], keys[kept]
        self._rows, self._keys = rows, keys

    @property
    def rows(self) -> Array:
        """The sample in the order of the stream, shape (≤ size, d)."""
        assert self._rows is not None, "no rows were added"
        return self._rows
