"""Predictors of several arms, asked together for one context an arm."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from kernelbandits.estimators.base import Predictor
from kernelbandits.estimators.gaussian_process import Outlook, Posterior
from kernelbandits.kernels import Kernel, StackedExpansions
from kernelbandits.kernels.base import Features
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
        self._shares: dict[int, _Share] = {}  # of the arms with observations; all that follows runs with it
        self._asked: tuple[Array, Array, Array, Array] | None = None
        self._arrange()

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
            right = self._kernel.right(contexts.take(self._arms, axis=0))
            covariances = self._kernel.evaluate_each(self._features, self._rooms, right)
            for share in self._shares.values():
                own = share.own
                whitened[own] = share.inverse @ covariances[own]
        sums = np.add.reduceat(self._terms * whitened, self._starts, axis=1)
        mean, explained = sums.take(self._places, axis=1)
        variance = prior - explained
        self._asked = (contexts.copy(), mean, prior, variance)
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def outlook(self, arm: int, context: Array) -> Outlook:
        """What the arm's posterior says about a context: known already if it was the last to be asked about."""
        if self._asked is None or np.count_nonzero(self._asked[0][arm] != context):
            return self.posteriors[arm].at(context)
        _, mean, prior, variance = self._asked
        own = self._shares[arm].own if arm in self._shares else slice(0)
        return Outlook(self._terms[1, own].copy(), float(mean[arm]), float(prior[arm]), float(variance[arm]))

    def _look_up(self) -> None:
        crowded = False
        for arm in self._stale:
            if arm not in self._shares:
                self._shares[arm] = _Share(self._kernel)
            crowded |= self._shares[arm].follow(self.posteriors[arm])
        if crowded:
            self._arrange()
        for arm in self._stale:
            posterior, share = self.posteriors[arm], self._shares[arm]
            share.own = slice(share.start, share.start + posterior.n)
            self._terms[0, share.own] = posterior.whitened_targets[: posterior.n]
        self._stale.clear()

    def _arrange(self) -> None:
        """Give every arm its place; behind them is one zero, which is what arms without observations sum up."""
        shares = self._shares
        rooms = [share.room for share in shares.values()]
        edges = [0, *accumulate(rooms)]
        self._features = [share.features for share in shares.values()]
        self._arms, self._rooms, self._starts = np.array([*shares], np.int64), np.array(rooms, np.int64), np.array(edges)
        self._places = np.full(len(self.posteriors), len(shares))
        self._places[self._arms] = np.arange(len(shares))
        self._terms = np.zeros((2, edges[-1] + 1))  # whitened targets, and whitened covariances with the contexts
        for share, start in zip(shares.values(), edges, strict=False):
            share.start = start
        self._stale.update(shares)


class _Share:
    """What one arm contributes: features of its points, only ever added to, and the inverse of its factor."""

    __slots__ = ("_kernel", "_n", "features", "inverse", "own", "room", "start")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._n = self.room = self.start = 0
        self.features: Features = ()
        self.own = slice(0)

    def follow(self, posterior: Posterior) -> bool:
        """Come up to a posterior with more observations; whether that took more room than there was."""
        X, n = posterior.X, posterior.n
        crowded = n > self.room
        if crowded:
            self.room, self._n = n + max(16, n // 8), 0
        new = self._kernel.left(X[self._n :])
        if crowded:
            # Room not yet used repeats the first point: harmless numbers, whatever the kernel.
            self.features = tuple([np.repeat(feature[:1], self.room, axis=0) for feature in new])
        for features, feature in zip(self.features, new, strict=True):
            features[self._n : n] = feature
        self._n = n
        self.inverse = posterior.factor.inverse
        return crowded
