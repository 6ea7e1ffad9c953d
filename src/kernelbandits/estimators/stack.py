"""Predictors of several arms, asked together for one context an arm."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from kernelbandits.estimators.base import Predictor
from kernelbandits.estimators.gaussian_process import Outlook, Posterior
from kernelbandits.kernels import Kernel, StackedExpansions
from kernelbandits.kernels.base import Features
from kernelbandits.linalg import InverseFactor
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
            covariances = self._kernel.evaluate_each(self._features, self._sizes, right)
            for share in self._shares.values():
                for rows, columns, band in share.bands:
                    band.dot(covariances[columns], rows)
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
        return Outlook(self._terms[1, own].copy(), mean.item(arm), prior.item(arm), variance.item(arm))

    def _look_up(self) -> None:
        if not self._stale:
            return
        crowded = False
        for arm in self._stale:
            if arm not in self._shares:
                self._shares[arm] = _Share(self._kernel)
            crowded |= self._shares[arm].follow(self.posteriors[arm])
        if crowded:
            self._arrange()
        for arm in self._stale:
            posterior, share = self.posteriors[arm], self._shares[arm]
            share.solve_with(posterior.factor, self._terms[1])
            self._terms[0, share.own] = posterior.whitened_targets[: posterior.n]
        self._stale.clear()

    def _arrange(self) -> None:
        """Give every arm its place; behind them is one zero, which is what arms without observations sum up."""
        self._features = [share.features for share in self._shares.values()]
        arms, rooms = [*self._shares], [len(features[0]) for features in self._features]
        edges = [0, *accumulate(rooms)]
        self._arms, self._sizes, self._starts = (np.array(part, dtype=np.int64) for part in (arms, rooms, edges))
        self._places = np.full(len(self.posteriors), len(arms))
        self._places[self._arms] = np.arange(len(arms))
        self._terms = np.zeros((2, edges[-1] + 1))  # whitened targets, and whitened covariances with the contexts
        self._stale.update(arms)
        for share, start, room in zip(self._shares.values(), edges, rooms, strict=False):
            share.start, share.room = start, room


class _Share:
    """What one arm contributes: features of its points, with room for more, and W by bands.

    Attributes:
        start: where it begins in the stack.
        room: how many places it was given there.

    """

    __slots__ = ("_kernel", "_n", "bands", "features", "own", "room", "start")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._n = self.start = self.room = 0
        self.features: Features = ()
        self.own = slice(0)
        self.bands: list[tuple[Array, slice, Array]] = []

    def follow(self, posterior: Posterior) -> bool:
        """Bring the features up to the posterior's points, of which the first are those of the last time.

        The answer is whether they need more places than they were given.
        """
        old, n, width = self._n, posterior.n, posterior.factor.width
        new = self._kernel.left(posterior.points[old:n])
        if width > self.room:
            self.features = tuple([_with_room(feature, width) for feature in self.features or new])
        for features, rows in zip(self.features, new, strict=True):
            features[old:n] = rows
        self._n = n
        return width > self.room

    def solve_with(self, factor: InverseFactor, whitened: Array) -> None:
        """Take in W of all points; its bands read a slice of the stack's covariances and write into `whitened`."""
        at = self.start
        self.own = slice(at, at + factor.n)
        self.bands = [
            (whitened[at + start : at + stop], slice(at, at + rows.shape[1]), rows)
            for start, stop, rows in factor.bands
        ]


def _with_room(feature: Array, room: int) -> Array:
    """The rows with room for more, which repeats the first of them: harmless numbers, whatever the kernel."""
    return np.concatenate([feature, feature[:1].repeat(room - len(feature), axis=0)])
