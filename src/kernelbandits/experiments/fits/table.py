"""Nyström fits from tables larger than memory: one pass chooses the centres, one sums up the normal equations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kernelbandits.linalg import memory
from kernelbandits.regression.normal_equations import NormalEquations
from kernelbandits.regression.nystrom import Nystrom, NystromPredictor
from kernelbandits.reporting.progress import Progress
from kernelbandits.tables.scans import Block, Scan, scan
from kernelbandits.types import Array, IntArray

CANDIDATES = 10
"""Rows in the sample among which centres are chosen, for each centre."""


def fit_table(
    estimator: Nystrom,
    path: Path | str,
    *,
    reward_column: str,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> NystromPredictor:
    """The fit to all rows of a .parquet, .csv or .csv.gz file, in O(M² + block) memory, with a progress bar.

    Features are `columns`, or all but the reward and `drop`. The first pass draws a uniform sample of 10 rows for each
    centre, among which `estimator.centers` chooses; the second adds up the normal equations.
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
    """One fit for each arm of a logged table, by arm, from the same two passes over the file for all of them."""
    with scan(path, arm_column=arm_column, reward_column=reward_column, columns=columns, drop=drop) as table:
        return _fit(estimator, table)


def _fit(estimator: Nystrom, table: Scan) -> dict[Any, NystromPredictor]:
    memory.require(estimator.memory(table.n, table.dim), f"a fit with {estimator.n_centers} centres", "use fewer")
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
            len(arms) * estimator.memory(table.n, table.dim),
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
    """Every arm in the block with its rows."""
    if block.arms is None:
        yield None, slice(None)
        return
    arms, place = np.unique(block.arms, return_inverse=True)
    order = np.argsort(place, kind="stable")
    ends = np.cumsum(np.bincount(place))
    for arm, start, end in zip(arms.tolist(), [0, *ends[:-1]], ends, strict=True):
        yield arm, order[start:end]


class RowSample:
    """A uniform sample without replacement of at most `size` of the rows that come by.

    Every row gets a random number; the rows with the smallest ones are the sample.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._keys = np.zeros(0)
        self._rows: Array | None = None

    def add(self, X: Array, rng: np.random.Generator) -> None:
        """Let rows come by."""
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
        """The sample, in the order in which its rows came, shape (≤ size, d)."""
        assert self._rows is not None, "no row came by"
        return self._rows
