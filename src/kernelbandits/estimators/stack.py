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

    Kernel values of all arms lie one after the other, so that everything elementwise is done once for all; arms may
    have very different numbers of observations. What an arm contributes is looked up again only after `replace`.
    """

    def __init__(self, posteriors: Sequence[Posterior]) -> None:
        self.posteriors = list(posteriors)
        self._kernel = posteriors[0].kernel
        self._stale = {arm for arm, posterior in enumerate(posteriors) if posterior.n}
        self._arms: list[int] = []  # those with observations; the lists below run with it
        self._features: list[GrowingFeatures] = []
        self._inverses: list[Array] = []
        self._targets = np.zeros(0)
        self._edges = [0]
        self._starts = self._index = np.zeros(0, dtype=np.int64)
        self._asked: tuple[Array, Array, Array, Array, Array] | None = None

    def replace(self, arm: int, posterior: Posterior) -> None:
        """Put the arm's posterior after more observations in the place of the old one."""
        self.posteriors[arm] = posterior
        self._stale.add(arm)
        self._asked = None

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        """For contexts of shape (K, d): two arrays of shape (K,)."""
        self._look_up()
        prior = self._kernel.diagonal(contexts)
        mean, variance = np.zeros(len(prior)), prior.copy()
        whitened = self._targets
        if self._arms:
            features = [feature.current for feature in self._features]
            covariances = self._kernel.evaluate_each(features, self._kernel.right(contexts[self._index]))
            whitened, products = np.empty_like(covariances), np.empty((2, len(covariances)))
            for inverse, start, stop in zip(self._inverses, self._edges, self._edges[1:], strict=False):
                np.matmul(inverse, covariances[start:stop], out=whitened[start:stop])
            np.multiply(whitened, self._targets, out=products[0])
            np.multiply(whitened, whitened, out=products[1])
            mean[self._index], explained = np.add.reduceat(products, self._starts, axis=1)
            variance[self._index] -= explained
        self._asked = (contexts.copy(), whitened, mean, prior, variance)
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def outlook(self, arm: int, context: Array) -> Outlook:
        """What the arm's posterior says about a context: known already if it was the last to be asked about."""
        if self._asked is None or np.count_nonzero(self._asked[0][arm] != context):
            return self.posteriors[arm].at(context)
        _, whitened, mean, prior, variance = self._asked
        own = whitened[:0]
        if self.posteriors[arm].n:
            place = self._arms.index(arm)
            own = whitened[self._edges[place] : self._edges[place + 1]]
        return Outlook(own, float(mean[arm]), float(prior[arm]), float(variance[arm]))

    def _look_up(self) -> None:
        if not self._stale:
            return
        for arm in self._stale:
            if arm not in self._arms:
                self._arms.append(arm)
                self._features.append(GrowingFeatures(self._kernel))
                self._inverses.append(np.zeros((0, 0)))
            place, posterior = self._arms.index(arm), self.posteriors[arm]
            self._features[place].follow(posterior.X)
            self._inverses[place] = posterior.factor.inverse
        self._stale.clear()
        counts = [len(inverse) for inverse in self._inverses]
        targets = [self.posteriors[arm].whitened_targets for arm in self._arms]
        self._targets = np.concatenate([target[:n] for target, n in zip(targets, counts, strict=True)])
        self._edges = [0, *accumulate(counts)]
        self._starts, self._index = np.array(self._edges[:-1]), np.array(self._arms)


class GrowingFeatures:
    """Kernel features of points that are only ever added to."""

    __slots__ = ("_kernel", "_n", "_room", "current")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._n = 0
        self._room: Features = ()
        self.current: Features = ()

    def follow(self, X: Array) -> None:
        """Bring `current` up to the points X, whose first rows are those of the last time."""
        new, n = self._kernel.left(X[self._n :]), len(X)
        if not self._room or n > len(self._room[0]):
            self._room = tuple([np.empty((2 * n + 16, feature.shape[1])) for feature in new])
            new, self._n = self._kernel.left(X), 0
        for room, feature in zip(self._room, new, strict=True):
            room[self._n : n] = feature
        self._n = n
        self.current = tuple([room[:n] for room in self._room])
