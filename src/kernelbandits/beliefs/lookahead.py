"""Predictions at contexts that are known to come, kept current while observations arrive."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelbandits.kernels import Features
from kernelbandits.regression.gaussian_process import Outlook, Posterior
from kernelbandits.types import Array

_NO_ROOM: Array = np.empty((0, 0))
_SPARE = 16  # rows for the observations of a block; more are made when they are used up


class Lookahead:
    """Mean and variance of every arm's posterior at its contexts of B rounds, after every observation.

    For each arm it keeps the whitened kernel block V = L⁻¹ K(X, Z), made by one matrix product for the whole block. An
    observation adds a row to L, hence one row to V: v = (K(x, Z) − ℓᵀV)/p, and then mean += v · (L⁻¹y)_n and
    variance −= v². Rounds already passed need no update, so the work shrinks as the block is used up.

    Attributes:
        mean: posterior means, shape (K, B).
        variance: posterior variances, shape (K, B).

    """

    _V: list[Array]
    mean: Array
    variance: Array
    __slots__ = ("_K", "_V", "_contexts", "_kernel", "_n", "_prior", "_right", "mean", "variance")

    def __init__(self, posteriors: Sequence[Posterior], contexts: Array, last: Lookahead | None = None) -> None:
        """One posterior an arm, all over one kernel; contexts of shape (B, K, d).

        `last` is the lookahead before, whose memory is taken over: it must not be used any more.
        """
        n_rounds, n_arms, dim = contexts.shape
        self._kernel = posteriors[0].kernel
        self._contexts = contexts
        self._n = [posterior.n for posterior in posteriors]
        self._V = self._rooms(n_rounds, last)
        self._K: list[tuple[Array, int] | None] = [None] * n_arms
        self._prior = self._kernel.diagonal(contexts.reshape(-1, dim)).reshape(n_rounds, n_arms)
        self.mean = np.zeros((n_arms, n_rounds))
        self.variance = self._prior.T.copy()
        self._right: list[Features | None] = [None] * n_arms
        for arm, posterior in enumerate(posteriors):
            if posterior.n:
                self._fill(arm, posterior)

    def _rooms(self, n_rounds: int, last: Lookahead | None) -> list[Array]:
        """Room for V of every arm and some more rows: from the lookahead before where it is large enough."""
        rooms: list[Array] = [_NO_ROOM] * len(self._n)
        if last is not None and last.mean.shape == (len(self._n), n_rounds):
            rooms = last._V
        return [
            room if len(room) >= n + _SPARE else np.empty((n + n // 2 + _SPARE, n_rounds))
            for n, room in zip(self._n, rooms, strict=True)
        ]

    def _fill(self, arm: int, posterior: Posterior) -> None:
        n, right = posterior.n, self._kernel.right(self._contexts[:, arm])
        covariances = self._kernel.evaluate(self._kernel.left(posterior.X), right)
        V = posterior.factor.whiten(covariances, out=self._V[arm][:n])
        np.dot(posterior.whitened_targets[:n], V, out=self.mean[arm])
        self.variance[arm] -= np.einsum("ij,ij->j", V, V)
        self._right[arm] = right

    def absorb(self, posterior: Posterior, arm: int, row: int, reward: float) -> Posterior:
        """The arm's posterior after a reward in round `row`, about which everything is known here already."""
        outlook = Outlook(
            self._V[arm][: self._n[arm], row].copy(),
            self.mean.item(arm, row),
            self._prior.item(row, arm),
            self.variance.item(arm, row),
        )
        return posterior._extend(self._contexts[row, arm], reward, outlook)

    def update(self, posterior: Posterior, arm: int, row: int | None, start: int) -> None:
        """Take in the newest observation of the arm's posterior, made in round `row` of the block if in one.

        Rounds before `start` are left behind.
        """
        n, last, V = self._n[arm], posterior.last, self._V[arm]
        assert last is not None
        assert posterior.n == n + 1, "a lookahead follows its posteriors one observation at a time"
        if n == len(V):
            V = self._V[arm] = np.concatenate([V, np.empty_like(V)])
        v = np.subtract(self._covariances(posterior, arm, row, start), last.row @ V[:n, start:], out=V[n, start:])
        v /= last.pivot
        mean, variance = self.mean[arm, start:], self.variance[arm, start:]
        mean += v * posterior.whitened_targets[n]
        variance -= v * v
        self._n[arm] = n + 1

    def _covariances(self, posterior: Posterior, arm: int, row: int | None, start: int) -> Array:
        """K(x, Z) for the newest observation x and the arm's contexts from `start` on."""
        if row is None:
            newest = self._kernel.left(posterior.points[posterior.n - 1 : posterior.n])
            fresh: Array = self._kernel.evaluate(newest, self._right_from(arm, start))[0]
            return fresh
        known = self._K[arm]
        if known is None:
            # K(Z, Z) of what is still ahead of this arm, for all of its observations in this block.
            ahead = self._kernel.left(self._contexts[start:, arm])
            known = self._K[arm] = (self._kernel.evaluate(ahead, self._right_from(arm, start)), start)
        K, first = known
        return K[row - first, start - first :]

    def _right_from(self, arm: int, start: int) -> Features:
        """Features of the arm's contexts from `start` on."""
        right = self._right[arm]
        if right is None:
            right = self._right[arm] = self._kernel.right(self._contexts[:, arm])
        return tuple([feature[start:] for feature in right])
