"""Pivots of a partial Cholesky factorisation K ≈ F Fᵀ, one column of F per pivot. K is never held."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from kernelbandits.linalg.machine import EPS
from kernelbandits.types import Array, IntArray

_BLOCK = 100  # pivots proposed at once

MatrixRows: TypeAlias = Callable[[IntArray], Array]
"""Row numbers → those rows of K, shape (len(rows), N)."""


class PivotedFactor:
    """F of shape (N, k) with K ≈ F Fᵀ, and the diagonal of K − F Fᵀ. Grows by columns; overwrites `diagonal`."""

    def __init__(self, diagonal: Array, rows_of: MatrixRows, room: int) -> None:
        self._rows_of = rows_of
        self._columns = np.empty((room, len(diagonal)))  # Fᵀ, so that a new column is contiguous
        self.pivots: list[int] = []
        self.diagonal = diagonal
        self._floor = 10.0 * len(diagonal) * EPS * float(diagonal.max())

    @property
    def remaining(self) -> Array:
        """The diagonal of K − F Fᵀ, with 0 where it is below rounding error."""
        return np.where(self.diagonal > self._floor, self.diagonal, 0.0)

    def residual(self, rows: IntArray) -> Array:
        """Rows of K − F Fᵀ, shape (len(rows), N)."""
        F = self._columns[: len(self.pivots)]
        return self._rows_of(rows) - F[:, rows].T @ F

    def append(self, rows: IntArray, columns: Array) -> None:
        """Add pivots with their columns of F, given as rows of shape (len(rows), N)."""
        k = len(self.pivots)
        self._columns[k : k + len(rows)] = columns
        self.pivots.extend(int(row) for row in rows)
        self.diagonal -= np.einsum("ij,ij->j", columns, columns)
        self.diagonal[self.pivots] = 0.0


def greedy_pivots(diagonal: Array, rows_of: MatrixRows, n: int) -> IntArray:
    """At most n row numbers, each with the largest remaining diagonal. Overwrites the diagonal of K, shape (N,)."""
    n = min(n, len(diagonal))
    partial = PivotedFactor(diagonal, rows_of, n)
    while len(partial.pivots) < n:
        remaining = partial.remaining
        row = int(remaining.argmax())
        if not remaining[row]:
            break
        rows = np.array([row])
        partial.append(rows, partial.residual(rows) / np.sqrt(partial.diagonal[row]))
    return np.array(partial.pivots, dtype=np.int64)


def random_pivots(diagonal: Array, rows_of: MatrixRows, n: int, rng: np.random.Generator) -> IntArray:
    """`greedy_pivots`, but each pivot is drawn with probability proportional to its remaining diagonal."""
    n = min(n, len(diagonal))
    partial = PivotedFactor(diagonal, rows_of, n)
    while (wanted := n - len(partial.pivots)) > 0:
        remaining = partial.remaining
        if not remaining.any():
            break
        proposed = rng.choice(len(diagonal), min(_BLOCK, max(wanted, 2)), p=remaining / remaining.sum())
        residual = partial.residual(proposed)
        accepted, factor = _thin(residual[:, proposed], remaining[proposed], rng, wanted)
        partial.diagonal[proposed] = residual[np.arange(len(proposed)), proposed]  # free of accumulated rounding
        if accepted:
            columns = np.linalg.solve(factor, residual[accepted]).astype(np.float64, copy=False)
            partial.append(proposed[accepted], columns)
    return np.array(partial.pivots, dtype=np.int64)


def _thin(block: Array, before: Array, rng: np.random.Generator, most: int) -> tuple[list[int], Array]:
    """Choose which proposals of a block to keep; also the lower Cholesky factor of the block at those.

    Proposal i is kept with probability (its remaining diagonal now) / (its remaining diagonal when proposed), so that
    a kept one has the distribution of a pivot drawn now.
    """
    block = block.copy()
    accepted: list[int] = []
    rows: list[Array] = []
    for i, chance in enumerate(rng.random(len(block))):
        if len(accepted) == most:
            break
        if chance * before[i] >= block[i, i] or block[i, i] <= 1e-10 * before[i]:
            continue
        column = block[i] / np.sqrt(block[i, i])
        accepted.append(i)
        rows.append(column)
        block -= np.outer(column, column)
    return accepted, np.array(rows).reshape(len(rows), len(block))[:, accepted].T
