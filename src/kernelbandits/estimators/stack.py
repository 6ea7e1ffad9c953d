"""Predictors of several arms, asked together for one context an arm."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelbandits.estimators.base import Predictor
from kernelbandits.estimators.gaussian_process import Posterior
from kernelbandits.kernels import StackedExpansions
from kernelbandits.kernels.base import Features
from kernelbandits.linalg import segment_sums
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
        self._stale = set(range(len(posteriors)))
        self._features: list[Features] = [()] * len(posteriors)
        self._inverses: list[Array] = [np.zeros((0, 0))] * len(posteriors)
        self._targets: list[Array] = [np.zeros(0)] * len(posteriors)

    def replace(self, arm: int, posterior: Posterior) -> None:
        """Put another posterior in the place of this arm's."""
        self.posteriors[arm] = posterior
        self._stale.add(arm)

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        """For contexts of shape (K, d): two arrays of shape (K,)."""
        self._look_up()
        covariances = self._kernel.evaluate_each(self._features, self._kernel.right(contexts))
        whitened = np.empty_like(covariances)
        starts, stop = [], 0
        for inverse in self._inverses:
            start, stop = stop, stop + len(inverse)
            starts.append(start)
            np.dot(inverse, covariances[start:stop], out=whitened[start:stop])
        mean = segment_sums(whitened * np.concatenate(self._targets), starts)
        variance = self._kernel.diagonal(contexts) - segment_sums(whitened * whitened, starts)
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def _look_up(self) -> None:
        for arm in self._stale:
            posterior = self.posteriors[arm]
            self._features[arm] = self._kernel.left(posterior.X)
            self._inverses[arm] = posterior.factor.inverse
            self._targets[arm] = posterior.whitened_targets[: posterior.n]
        self._stale.clear()
