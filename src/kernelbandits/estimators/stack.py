"""Predictors of several arms, asked together for one context an arm."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from kernelbandits.estimators.base import Predictor
from kernelbandits.estimators.gaussian_process import Outlook, Posterior
from kernelbandits.kernels import Kernel, StackedExpansions
from kernelbandits.kernels.base import Features
from kernelbandits.linalg import bands
from kernelbandits.types import Array


def stacked(predictors: Sequence[Predictor]) -> StackedExpansions | None:
    """The predictors' means as one function of contexts (K, d), if all are expansions over one kernel."""
    expansions = [predictor.expansion for predictor in predictors]
    known = [expansion for expansion in expansions if expansion is not None]
    if len(known) < len(predictors) or len({expansion.kernel for expansion in known}) > 1:
        return None
    return StackedExpansions(known)


class PosteriorStack:
    """Mean and standard deviation of every arm's posterior at its own context, in few calls.

    Kernel values of all arms with observations lie one after the other, so that everything elementwise is done once for
    all; arms may have very different numbers of observations. Each has room for some more, so that an observation
    moves nothing, and what an arm contributes is looked up again only after `replace`.
    """

    def __init__(self, posteriors: Sequence[Posterior]) -> None:
        self.posteriors = list(posteriors)
        self._kernel = posteriors[0].kernel
        self._stale = {arm for arm, posterior in enumerate(posteriors) if posterior.n}
        self._shares: dict[int, _Share] = {}  # of the arms with observations, in the order of the stack
        self._asked: tuple[Array, Array, Array, Array] | None = None
        self._arrange([])

    def replace(self, arm: int, posterior: Posterior) -> None:
        """Put the arm's posterior after more observations in the place of the old one."""
        self.posteriors[arm] = posterior
        self._stale.add(arm)
        self._asked = None

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        """For contexts of shape (K, d): two arrays of shape (K,)."""
        self._look_up()
        prior = self._kernel.diagonal(contexts)
        whitened = self._terms[1]
        if self._shares:
            shares = self._shares.values()
            right = self._kernel.right(contexts.take(self._arms, axis=0))
            covariances = self._kernel.evaluate_each([share.features for share in shares], self._sizes, right)
            for share in shares:
                for rows, columns, band in share.bands:
                    whitened[rows] = band @ covariances[columns]
        sums = np.add.reduceat(self._terms * whitened, self._starts, axis=1)
        mean, explained = sums.take(self._places, axis=1)
        variance = prior - explained
        self._asked = (contexts.copy(), mean, prior, variance)
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def outlook(self, arm: int, context: Array) -> Outlook:
        """What the arm's posterior says about a context: known already if it was the last to be asked about."""
        if self._asked is None or self._asked[0][arm].tobytes() != context.tobytes():
            return self.posteriors[arm].at(context)
        _, mean, prior, variance = self._asked
        own = self._shares[arm].own if arm in self._shares else slice(0)
        return Outlook(self._terms[1, own].copy(), float(mean[arm]), float(prior[arm]), float(variance[arm]))

    def _look_up(self) -> None:
        if not self._stale:
            return
        for arm in self._stale:
            if arm not in self._shares:
                self._shares[arm] = _Share(self._kernel)
            self._shares[arm].follow(self.posteriors[arm].X)
        rooms = [share.room for share in self._shares.values()]
        if rooms != self._rooms:
            self._arrange(rooms)
        for arm in self._stale:
            posterior, share = self.posteriors[arm], self._shares[arm]
            share.solve_with(posterior.factor.inverse)
            self._terms[0, share.own] = posterior.whitened_targets[: posterior.n]
        self._stale.clear()

    def _arrange(self, rooms: list[int]) -> None:
        """Give every arm its place; behind them is one zero, which is what arms without observations sum up."""
        arms, edges = [*self._shares], [0, *accumulate(rooms)]
        for share, start in zip(self._shares.values(), edges, strict=False):
            share.start = start
        self._stale.update(arms)
        self._arms, self._sizes, self._starts = (np.array(part, dtype=np.int64) for part in (arms, rooms, edges))
        self._places = np.full(len(self.posteriors), len(arms))
        self._places[self._arms] = np.arange(len(arms))
        self._terms = np.zeros((2, edges[-1] + 1))  # whitened targets, and whitened covariances with the contexts
        self._rooms = rooms


class _Share:
    """What one arm contributes: features of its points, with room for more, and W by bands, placed from `start` on."""

    __slots__ = ("_kernel", "_n", "bands", "features", "own", "start")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._n = self.start = 0
        self.features: Features = ()
        self.own = slice(0)
        self.bands: list[tuple[slice, slice, Array]] = []

    @property
    def room(self) -> int:
        return len(self.features[0])

    def follow(self, X: Array) -> None:
        """Bring the features up to the points X, whose first rows are those of the last time."""
        n = len(X)
        if not self.features or n > self.room:
            self.features = tuple([_with_room(feature) for feature in self._kernel.left(X)])
        else:
            for features, new in zip(self.features, self._kernel.left(X[self._n :]), strict=True):
                features[self._n : n] = new
        self._n = n

    def solve_with(self, inverse: Array) -> None:
        """Take in W of all points; the slices say where in the stack its bands read and write."""
        start = self.start
        self.own = slice(start, start + len(inverse))
        self.bands = [(slice(start + a, start + b), slice(start, start + b), band) for a, b, band in bands(inverse)]


def _with_room(feature: Array) -> Array:
    """The rows with room for more, which repeats the first of them: harmless numbers, whatever the kernel."""
    n = len(feature)
    return np.concatenate([feature, np.repeat(feature[:1], max(16, n // 8), axis=0)])
