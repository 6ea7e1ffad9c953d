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

    __slots__ = ("_K", "_V", "_Z", "_n", "_prior", "mean", "variance")

    def __init__(self, posterior: Posterior, Z: Array, mean: Array, variance: Array) -> None:
        """`mean` and `variance`, shape (B,), are filled here and kept current: views into the caller's table."""
        n = self._n = posterior.n
        self._Z = Z
        self._K: Array | None = None
        self._V = np.empty((n + 16, len(Z)))
        V = self._V[:n]
        V[:] = posterior.whiten(Z)
        self._prior = posterior.kernel.diagonal(Z)
        self.mean = mean
        self.variance = variance
        mean[:] = posterior.whitened_targets[:n] @ V
        variance[:] = self._prior - np.einsum("ij,ij->j", V, V)

    def absorb(self, posterior: Posterior, row: int, reward: float) -> Posterior:
        """The posterior after a reward for context `row`: what `absorb` would compute is known here already."""
        whitened = self._V[: self._n, row].copy()
        return posterior.absorb(self._Z[row], reward, whitened, float(self._prior[row]))

    def update(self, posterior: Posterior, start: int, row: int | None) -> None:
        """Take in the newest observation of `posterior`, context `row` of the block if it is one, from `start` on."""
        n, last = self._n, posterior.last
        assert last is not None
        assert posterior.n == n + 1, "a lookahead follows its posterior one observation at a time"
        if n == len(self._V):
            self._V = np.concatenate([self._V, np.empty_like(self._V)])
        v = self._V[n, start:]
        np.matmul(last.row, self._V[:n, start:], out=v)
        np.subtract(self._covariances(posterior, row)[start:], v, out=v)
        v /= last.pivot
        self.mean[start:] += v * posterior.whitened_targets[n]
        self.variance[start:] -= v * v
        self._n = n + 1

    def _covariances(self, posterior: Posterior, row: int | None) -> Array:
        """K(x, Z) for the newest observation x, shape (B,); a row of K(Z, Z), made once, if x is of the block."""
        if row is None:
            newest = posterior.points[posterior.n - 1 : posterior.n]
            covariances: Array = posterior.kernel.block(newest, self._Z)[0]
            return covariances
        if self._K is None:
            self._K = posterior.kernel.gram(self._Z)
        known: Array = self._K[row]
        return known
