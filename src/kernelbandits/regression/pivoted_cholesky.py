"""Pivots of a partial Cholesky factorisation of a kernel matrix that is never made: K ≈ F Fᵀ, one column a pivot."""

from __future__ import annotations

import numpy as np

from kernelbandits.kernels import Kernel
from kernelbandits.linalg import EPS
from kernelbandits.types import Array, IntArray

_BLOCK = 100
"""Pivots proposed at once."""


class PartialCholesky:
    """F of shape (N, k) with K ≈ F Fᵀ, and what is left of the diagonal. Grows by columns."""

    def __init__(self, kernel: Kernel, X: Array, room: int) -> None:
        self._kernel, self._X = kernel, X
        self._left = kernel.left(X)
        self._columns = np.empty((room, len(X)))  # Fᵀ, so that a new column is a row that lies together
        self.pivots: list[int] = []
        self.diagonal = kernel.diagonal(X)
        self._floor = 10.0 * len(X) * EPS * float(self.diagonal.max())

    @property
    def remaining(self) -> Array:
        """What is left of the diagonal; what is below rounding error is 0."""
        return np.where(self.diagonal > self._floor, self.diagonal, 0.0)

    def residual(self, rows: IntArray) -> Array:
        """(K − F Fᵀ) at the given rows against all points, shape (len(rows), N)."""
        F = self._columns[: len(self.pivots)]
        K = self._kernel.evaluate(self._left, self._kernel.right(self._X[rows])).T
        return K - F[:, rows].T @ F

    def absorb(self, rows: IntArray, columns: Array) -> None:
        """Take in pivots with their columns of F, given as rows of shape (len(rows), N)."""
        k = len(self.pivots)
        self._columns[k : k + len(rows)] = columns
        self.pivots.extend(int(row) for row in rows)
        self.diagonal -= np.einsum("ij,ij->j", columns, columns)
        self.diagonal[self.pivots] = 0.0


def greedy_pivots(kernel: Kernel, X: Array, n: int) -> IntArray:
    """Numbers of at most n rows: always the one with most of its diagonal left. Fewer where nothing is left."""
    partial = PartialCholesky(kernel, X, min(n, len(X)))
    while len(partial.pivots) < min(n, len(X)):
        remaining = partial.remaining
        row = int(remaining.argmax())
        if not remaining[row]:
            break
        rows = np.array([row])
        partial.absorb(rows, partial.residual(rows) / np.sqrt(partial.diagonal[row]))
    return np.array(partial.pivots, dtype=np.int64)


def random_pivots(kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> IntArray:
    """Numbers of at most n rows, each drawn with probability proportional to what is left of its diagonal."""
    partial = PartialCholesky(kernel, X, min(n, len(X)))
    while (wanted := min(n, len(X)) - len(partial.pivots)) > 0:
        remaining = partial.remaining
        if not remaining.any():
            break
        proposed = rng.choice(len(X), min(_BLOCK, max(wanted, 2)), p=remaining / remaining.sum())
        residual = partial.residual(proposed)
        accepted, factor = _thin(residual[:, proposed], remaining[proposed], rng, wanted)
        partial.diagonal[proposed] = residual[np.arange(len(proposed)), proposed]  # without the rounding so far
        if accepted:
            columns = np.linalg.solve(factor, residual[accepted]).astype(np.float64, copy=False)
            partial.absorb(proposed[accepted], columns)
    return np.array(partial.pivots, dtype=np.int64)


def _thin(block: Array, before: Array, rng: np.random.Generator, most: int) -> tuple[list[int], Array]:
    """Which proposals of a block to keep, and the lower Cholesky factor of the block at those.

    Proposal i is kept with probability (what is left of its diagonal now) / (what was left when it was proposed): so a
    kept one has the distribution of a pivot drawn now.
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
