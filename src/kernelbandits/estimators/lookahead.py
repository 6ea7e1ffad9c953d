"""Predictions at contexts that are known to come, kept current while observations arrive."""

from __future__ import annotations

import numpy as np

from kernelbandits.estimators.gaussian_process import Posterior
from kernelbandits.types import Array


class Lookahead:
    """Mean and variance of one posterior at B fixed contexts, after every observation.

    It keeps the whitened kernel block V = L⁻¹ K(X, Z), made by one matrix product for the whole block. An observation
    adds a row to L, hence one row to V: v = (K(x, Z) − ℓᵀV)/p, and then mean += v · (L⁻¹y)_n, variance −= v². The
    contexts already passed need no update, so the work shrinks as the block is used up.
    """

    __slots__ = ("_V", "_Z", "_n", "mean", "variance")

    def __init__(self, posterior: Posterior, Z: Array, mean: Array, variance: Array) -> None:
        """`mean` and `variance`, shape (B,), are filled here and kept current: views into the caller's table."""
        n = posterior.n
        self._Z = Z
        self._n = n
        self._V = np.empty((n + 16, len(Z)))
        V = self._V[:n]
        V[:] = posterior.whiten(Z)
        self.mean = mean
        self.variance = variance
        mean[:] = posterior.whitened_targets[:n] @ V
        variance[:] = posterior.kernel.diagonal(Z) - np.einsum("ij,ij->j", V, V)

    def whitened(self, j: int) -> Array:
        """L⁻¹ K(X, z_j) for context j, shape (n,): what `Posterior.absorb` asks for."""
        return self._V[: self._n, j].copy()

    def update(self, posterior: Posterior, start: int) -> None:
        """Take in the newest observation of `posterior` for the contexts from `start` on."""
        n, last = self._n, posterior.last
        assert last is not None
        assert posterior.n == n + 1, "a lookahead follows its posterior one observation at a time"
        if n == len(self._V):
            self._V = np.concatenate([self._V, np.empty_like(self._V)])
        row = self._V[n, start:]
        x = posterior.points[n : n + 1]
        np.matmul(last.row, self._V[:n, start:], out=row)
        np.subtract(posterior.kernel.block(x, self._Z[start:])[0], row, out=row)
        row /= last.pivot
        self.mean[start:] += row * posterior.whitened_targets[n]
        self.variance[start:] -= row * row
        self._n = n + 1
