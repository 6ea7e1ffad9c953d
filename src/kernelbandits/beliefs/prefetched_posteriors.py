"""Posteriors at prefetched contexts, kept current while observations arrive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.base import Prefetched
from kernelbandits.kernels import Features, Kernel
from kernelbandits.regression import Outlook, Posterior
from kernelbandits.types import Array

_SPARE = 16  # rows for the observations of a block; more are added when these are used up


@final
class PrefetchedPosteriors:
    """Mean and variance of every arm's posterior at its contexts of B rounds, after every observation.

    For each arm it keeps the whitened kernel block V = L⁻¹ K(X, Z), computed by one matrix product for the whole block.
    An observation adds a row to L, hence one row to V: v = (K(x, Z) − ℓᵀV)/p, and then mean += v · (L⁻¹y)_n and
    variance −= v². Past rounds are not updated, so the work shrinks as the block is used up.

    Attributes:
        block: the rounds.
        mean: posterior means, shape (K, B).
        variance: posterior variances, shape (K, B).
        start: rounds before this one are past. The round decided last is kept current, because its reward may come
            after other rewards, or twice.

    """

    block: Prefetched
    mean: Array
    variance: Array
    _V: list[Array]
    _kernel: Kernel
    _contexts: Array
    _n: list[int]
    _K: list[tuple[Array, int] | None]
    _prior: Array
    start: int
    _first: int
    _right: list[Features | None]

    def __init__(
        self,
        posteriors: Sequence[Posterior],
        block: Prefetched,
        contexts: Array,
        last: PrefetchedPosteriors | None,
        start: int = 0,
    ) -> None:
        """One posterior per arm, all over one kernel; `contexts` are those of the block, shape (B, K, d).

        The memory of `last` is reused: it must not be used any more. Rounds before `start` are past.
        """
        self.block = block
        n_rounds, n_arms, dim = contexts.shape
        self._kernel = posteriors[0].kernel
        self._contexts = contexts
        self._n = [posterior.n for posterior in posteriors]
        fits = last is not None and last.mean.shape == (n_arms, n_rounds)
        self._V = last._V if last is not None and fits else [np.empty((0, 0))] * n_arms
        self._K = [None] * n_arms
        self._prior = np.zeros((n_rounds, n_arms))
        self._prior[start:] = self._kernel.diagonal(contexts[start:].reshape(-1, dim)).reshape(-1, n_arms)
        self.mean = np.zeros((n_arms, n_rounds))
        self.variance = self._prior.T.copy()
        self.start = self._first = start
        self._right = [None] * n_arms
        for arm, (n, posterior) in enumerate(zip(self._n, posteriors, strict=True)):
            if len(self._V[arm]) < n + _SPARE:
                self._V[arm] = np.zeros((n + n // 2 + _SPARE, n_rounds))
            if n:
                right = self._right[arm] = self._kernel.right(contexts[start:, arm])
                covariances = self._kernel.evaluate(self._kernel.left(posterior.X), right)
                V = posterior.factor.whiten(covariances, out=self._V[arm][:n, start:])
                np.dot(posterior.whitened_targets[:n], V, out=self.mean[arm, start:])
                self.variance[arm, start:] -= np.einsum("ij,ij->j", V, V)

    def _validate(self) -> None:
        n_rounds, n_arms = self._prior.shape
        ahead = n_rounds - self._first
        checks.refuse_misshapen(self, _contexts=(n_rounds, n_arms, None))
        checks.refuse_misshapen(self, mean=(n_arms, n_rounds), variance=(n_arms, n_rounds))
        fit = [V.ndim == 2 and n <= len(V) and V.shape[1] == n_rounds for n, V in zip(self._n, self._V, strict=True)]
        fit += [0 <= self._first <= self.start <= n_rounds, len(self._K) == len(self._right) == len(fit) == n_arms]
        fit += [known is None or known[0].shape == (n_rounds - known[1],) * 2 for known in self._K]
        fit += [known is None or self._first <= known[1] <= self.start for known in self._K]
        fit += [right is None or {len(part) for part in right} == {ahead} for right in self._right]
        checks.refuse_inconsistent(self, all(n >= 0 for n in self._n), *fit)

    def outlook(self, arm: int, row: int) -> Outlook:
        """What the arm's posterior says about its context of a round that is not past."""
        return Outlook(
            self._V[arm][: self._n[arm], row].copy(),
            self.mean.item(arm, row),
            self._prior.item(row, arm),
            self.variance.item(arm, row),
        )

    def observe(self, posterior: Posterior, arm: int, covariances: Array) -> None:
        """Take the newest observation of the arm's posterior into account.

        `covariances` are those of the observation with the contexts ahead: `within` the block, or `outside` of it.
        """
        n, last, V, start = self._n[arm], posterior.last, self._V[arm], self.start
        if last is None or posterior.n != n + 1:
            raise RuntimeError(f"posteriors are followed one observation at a time; this has {posterior.n} after {n}")
        if n == len(V):
            V = self._V[arm] = np.concatenate([V, np.zeros_like(V)])
        v = np.subtract(covariances, last.row @ V[:n, start:], out=V[n, start:])
        v /= last.pivot
        mean, variance = self.mean[arm, start:], self.variance[arm, start:]
        mean += v * posterior.whitened_targets[n]
        variance -= v * v
        self._n[arm] = n + 1

    def restate(self, posteriors: Sequence[Posterior]) -> None:
        """Follow posteriors with the same observations and other rewards."""
        for arm, (n, posterior) in enumerate(zip(self._n, posteriors, strict=True)):
            np.dot(posterior.whitened_targets[:n], self._V[arm][:n, self.start :], out=self.mean[arm, self.start :])

    def outside(self, posterior: Posterior, arm: int) -> Array:
        """K(x, Z) for the newest observation x of the posterior and the arm's contexts that are not past."""
        newest = self._kernel.left(posterior.points[posterior.n - 1 : posterior.n])
        covariances: Array = self._kernel.evaluate(newest, self._right_features(arm))[0]
        return covariances

    def within(self, arm: int, row: int) -> Array:
        """K(x, Z) for the arm's context x in a round of the block and its contexts that are not past."""
        known = self._K[arm]
        if known is None:
            # K(Z, Z) for all observations of this arm in the rest of the block.
            left = self._kernel.left(self._contexts[self.start :, arm])
            known = self._K[arm] = (self._kernel.evaluate(left, self._right_features(arm)), self.start)
        K, first = known
        return K[row - first, self.start - first :]

    def _right_features(self, arm: int) -> Features:
        """Features of the arm's contexts that are not past."""
        right = self._right[arm]
        if right is None:
            right = self._right[arm] = self._kernel.right(self._contexts[self._first :, arm])
        return tuple([feature[self.start - self._first :] for feature in right])
