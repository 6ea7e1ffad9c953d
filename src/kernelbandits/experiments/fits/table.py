"""Nyström fits to tables larger than memory: the first pass chooses centres, the second sums the normal equations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kernelbandits.linalg import memory
from kernelbandits.regression import NormalEquations, Nystrom, NystromPredictor
from kernelbandits.reporting.progress import Progress
from kernelbandits.tables.scans import Block, Scan, scan
from kernelbandits.types import Array, IntArray

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
    cost.require(f"a fit with {estimator.n_centers} centres", "use fewer centres")
    with Progress(table.name, 2 * table.n) as progress:
        samples: dict[Any, RowSample] = {}
        rng = np.random.default_rng(estimator.seed)
        done = 0
        for block in table.blocks():
            for arm, rows in _by_arm(block):
                samples.setdefault(arm, RowSample(CANDIDATES * estimator.n_centers)).add(block.X[rows], rng)
            done += len(block.y)
            progress.show(done, "choosing centres")
        arms = sorted(samples)
        memory.require(
            len(arms) * cost.bytes,
            f"a fit of {len(arms)} arms with {estimator.n_centers} centres each",
            "use fewer centres",
        )
        equations = {arm: NormalEquations(estimator.basis(samples.pop(arm).rows)) for arm in arms}
        for block in table.blocks():
            for arm, rows in _by_arm(block):
                equations[arm].add(block.X[rows], block.y[rows])
            done += len(block.y)
            progress.show(done, "fitting")
        return {arm: estimator.solve(equations.pop(arm)) for arm in arms}


def _by_arm(block: Block) -> Iterator[tuple[Any, IntArray | slice]]:
    """Each arm in the block with its rows."""
    if block.arms is None:
        yield None, slice(None)
        return
    arms, place = np.unique(block.arms, return_inverse=True)
    order = np.argsort(place, kind="stable")
    ends = np.cumsum(np.bincount(place))
    for arm, start, end in zip(arms.tolist(), [0, *ends[:-1]], ends, strict=True):
        yield arm, order[start:end]


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
