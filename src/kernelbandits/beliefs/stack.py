"""Predictors of several arms, asked together for one context an arm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np

from kernelbandits.kernels import Features, Kernel, StackedExpansions
from kernelbandits.linalg import Segments, aligned_zeros
from kernelbandits.regression.base import Predictor
from kernelbandits.regression.gaussian_process import Outlook, Posterior
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
        first = posteriors[0]
        self._kernel = first.kernel
        points = np.zeros((len(posteriors), first.dim))
        self._prior = first.kernel.diagonal(points) if first.kernel.stationary else None
        self._stale = {arm for arm, posterior in enumerate(posteriors) if posterior.n}
        self._shares: dict[int, _Share] = {}  # of the arms with observations
        self._asked: tuple[Array, Array, Array, Array] | None = None
        self._arrange()

    def __reduce__(self) -> tuple[type[PosteriorStack], tuple[list[Posterior]]]:
        """A copy is arranged anew: parts of one array would become arrays of their own."""
        return PosteriorStack, (self.posteriors,)

    def replace(self, arm: int, posterior: Posterior) -> None:
        """Put the arm's posterior after more observations in the place of the old one."""
        self.posteriors[arm] = posterior
        self._stale.add(arm)
        self._asked = None

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        """For contexts of shape (K, d): two arrays of shape (K,)."""
        self._asked = None  # until all of it is known
        if self._stale:
            self._look_up()
        kernel = self._kernel
        prior = kernel.diagonal(contexts) if self._prior is None else self._prior
        shown = contexts.take(self._arms, axis=0)
        if self._shares:
            kernel.evaluate_each(self._features, kernel.right(shown), self._covariances)
            for share in self._shares.values():
                for times, covariances, rows in share.solves:
                    times(covariances, rows)
        np.multiply(self._terms, self._terms[1], out=self._products)
        mean, explained = np.add.reduceat(self._products, self._starts, axis=1)
        variance = prior - explained
        self._asked = (shown, mean, prior, variance)
        return mean.copy(), np.sqrt(np.maximum(variance, 0.0))

    def outlook(self, arm: int, context: Array) -> Outlook:
        """What the arm's posterior says about a context: known already if it was the last to be asked about."""
        share, posterior = self._shares.get(arm), self.posteriors[arm]
        if share is None or self._asked is None:
            return posterior.at(context)
        shown, mean, prior, variance = self._asked
        if shown[share.place].tobytes() != context.tobytes():
            return posterior.at(context)
        whitened = share.whitened[: posterior.n].copy()
        return Outlook(whitened, mean.item(arm), prior.item(arm), variance.item(arm))

    def _look_up(self) -> None:
        crowded = False
        for arm in self._stale:
            share = self._shares.get(arm)
            if share is None:
                share = self._shares[arm] = _Share(self._kernel)
            crowded |= share.follow(self.posteriors[arm])
        if crowded:
            self._arrange()
        for arm in self._stale:
            self._shares[arm].solve_with(self.posteriors[arm])
        self._stale.clear()

    def _arrange(self) -> None:
        """Give every arm its place; one without observations sums up a single zero."""
        self._shares = dict(sorted(self._shares.items()))
        self._arms = np.array([*self._shares], dtype=np.int64)
        self._features = [*zip(*(share.features for share in self._shares.values()), strict=True)]
        self._covariances = Segments([share.room for share in self._shares.values()])
        rooms = [self._shares[arm].room if arm in self._shares else 1 for arm in range(len(self.posteriors))]
        edges = [*accumulate(rooms, initial=0)]
        self._starts = np.array(edges[:-1], dtype=np.int64)
        self._terms = np.zeros((2, edges[-1]))  # whitened targets, and whitened covariances with the contexts
        self._products = np.empty_like(self._terms)
        self._stale.update(self._shares)
        for place, (arm, share) in enumerate(self._shares.items()):
            share.move(place, self._covariances.parts[place], *self._terms[:, edges[arm] : edges[arm + 1]])


class _Share:
    """What one arm contributes: features of its points, with room for more, and W by bands.

    Attributes:
        place: number of the arm among those with observations.
        features: of the arm's points; harmless numbers where there is room.
        room: how many points there is room for.
        whitened: the arm's part of the whitened covariances, to be written.
        solves: the bands of W as (product with a vector, the vector, where to write it).

    """

    __slots__ = ("_covariances", "_kernel", "_n", "_targets", "features", "place", "room", "solves", "whitened")

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._n = self.place = self.room = 0
        self._covariances = self._targets = self.whitened = np.zeros(0)
        self.features: Features = ()
        self.solves: list[tuple[Callable[[Array, Array], Array], Array, Array]] = []

    def follow(self, posterior: Posterior) -> bool:
        """Bring the features up to the posterior's points, of which the first are those of the last time.

        The answer is whether they needed more room.
        """
        old, n, width = self._n, posterior.n, posterior.factor.width
        new, crowded = posterior.points[old:n], width > self.room
        if crowded:
            features = self.features or self._kernel.left(new)
            self.features = tuple([_with_room(feature, width) for feature in features])
            self.room = width
        self._kernel.left(new, out=tuple([feature[old:n] for feature in self.features]))
        self._n = n
        return crowded

    def move(self, place: int, covariances: Array, targets: Array, whitened: Array) -> None:
        """Read and write here from now on: where the stack has room for as many numbers as there are features."""
        self.place = place
        self._covariances, self._targets, self.whitened = covariances, targets, whitened
        self.solves.clear()

    def solve_with(self, posterior: Posterior) -> None:
        """Take in W and the targets of all points."""
        solves, n = self.solves, self._n
        del solves[-1:]  # the last band has grown; those before it were full
        for start, stop, rows in posterior.factor.bands[len(solves) :]:
            solves.append((rows.dot, self._covariances[: rows.shape[1]], self.whitened[start:stop]))
        self._targets[:n] = posterior.whitened_targets[:n]


def _with_room(feature: Array, room: int) -> Array:
    """The rows with room for more, which repeats the first of them: harmless numbers, whatever the kernel."""
    larger = aligned_zeros((room, feature.shape[1]))
    larger[: len(feature)] = feature
    larger[len(feature) :] = feature[0]
    return larger
