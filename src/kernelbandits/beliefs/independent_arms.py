"""Independent arms: one Gaussian-process posterior per arm, asked together for one context per arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_slices import ArmSlice
from kernelbandits.beliefs.base import AffineTracker, Belief, Prefetched, Tracker, restated
from kernelbandits.beliefs.prefetched_posteriors import PrefetchedPosteriors
from kernelbandits.beliefs.reward_units import RewardUnits, Standardized
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Features, Kernel
from kernelbandits.linalg import Segments
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess, Outlook, Posterior
from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True)
class IndependentArms(Belief):
    """f⁽ⁱ⁾ ~ GP(0, K), independent for every arm; noise of variance `model.ridge`.

    `rewards` says what the units of this prior are: by default rewards less the level of their arm, in units of their
    spread, so that shift and scale of the rewards do not matter; `AsGiven()` for rewards as they are.

    Cost with n observations per arm: O(n² + n d) per reward, O(K (n² + n d)) per round, less if it was prefetched.

    Attributes:
        model: kernel and noise variance of the Gaussian process of an arm, in the units that `rewards` says.
        rewards: in which units rewards are modelled: `Standardized()` or `AsGiven()`.

    >>> belief = IndependentArms(GaussianProcess(Gaussian(gamma=4.0), ridge=1.0), rewards=AsGiven())
    >>> tracker = belief.start(Problem(n_arms=2, dim=1))
    >>> tracker.observe(np.ones(1), arm=0, reward=4.0)
    >>> tracker.mean_and_std(np.ones((2, 1)))[0].round(3)  # arm 1 learns nothing from it
    array([2., 0.])

    See also `Belief`, `EmpiricalBayes`, `LinearArms`, `BudgetedArms`.
    """

    model: GaussianProcess
    rewards: RewardUnits = Standardized()

    def start(self, problem: Problem, rng: np.random.Generator | int = 0) -> Tracker:
        return self.rewards.start(ArmsTracker.without_data(self.model, problem), problem.n_arms)


@final
class ArmsTracker(AffineTracker):
    """Mean and standard deviation of every arm's posterior at its own context, in few calls.

    Kernel values of all arms with observations are stored one after the other, so that elementwise work is done once
    for all arms; they may have very different numbers of observations. Each has spare room, so that an observation
    moves nothing. What an arm contributes is looked up again only after an observation.

    Attributes:
        posteriors: of every arm after all rewards so far.
        prior: that of an arm without rewards.

    """

    posteriors: list[Posterior]
    prior: Posterior
    _kernel: Kernel
    _prefetched: PrefetchedPosteriors | None
    _prior_variance: Array | None
    _stale: set[int]
    _slices: dict[int, ArmSlice]
    _asked: tuple[Array, Array, Array, Array] | None
    _arms: IntArray
    _features: list[Features]
    _covariances: Segments
    _starts: IntArray
    _terms: Array
    _products: Array

    def __init__(self, posteriors: Sequence[Posterior], prior: Posterior) -> None:
        """One posterior per arm, all over the kernel of `prior`, which is that of an arm without rewards."""
        self.posteriors = list(posteriors)
        self.prior = prior
        self._kernel = prior.kernel
        self._prefetched = None
        self._restart()

    @classmethod
    def without_data(cls, model: GaussianProcess, problem: Problem) -> ArmsTracker:
        """One prior per arm."""
        prior = model.without_data(problem.dim)
        return cls([prior] * problem.n_arms, prior)

    def _restart(self) -> None:
        n_arms, kernel = len(self.posteriors), self._kernel
        self._prior_variance = kernel.diagonal(np.zeros((n_arms, self.prior.dim))) if kernel.stationary else None
        self._stale = {arm for arm, posterior in enumerate(self.posteriors) if posterior.n}
        self._slices = {}  # of the arms with observations
        self._asked = None
        self._arrange()

    def _validate(self) -> None:
        posteriors, slices = self.posteriors, self._slices
        if not all(arm in range(len(posteriors)) for arm in (*slices, *self._stale)) or not all(
            part.is_sound(index, posteriors[arm]) for index, (arm, part) in enumerate(slices.items())
        ):
            raise InvalidArgument("the arms of a tracker must stand one after the other, each with room for its points")
        capacities = [slices[arm].capacity if arm in slices else 1 for arm in range(len(posteriors))]
        edges, n_arms, dim = [*accumulate(capacities, initial=0)], len(posteriors), self.prior.dim
        checks.refuse_misshapen(self, _terms=(2, edges[-1]), _products=(2, edges[-1]))
        alike = {(posterior.dim, posterior.kernel) for posterior in posteriors} <= {(dim, self._kernel)}
        told = self._arms.tolist() == [*slices] and self._starts.tolist() == edges[:-1]
        features = [*zip(*(part.features for part in slices.values()), strict=True)]
        same = [[part.shape for part in own] for own in self._features] == [[p.shape for p in own] for own in features]
        sizes = [*self._covariances.sizes] == [part.capacity for part in slices.values()]
        shown, *rest = self._asked or (None,)
        rest += [] if self._prior_variance is None else [self._prior_variance]
        asked = shown is None or shown.shape == (len(slices), dim)
        asked &= all(part is None or part.shape == (n_arms,) for part in rest)
        followed = all(arm in self._stale or (arm in slices) == (p.n > 0) for arm, p in enumerate(posteriors))
        checks.refuse_inconsistent(self, alike, told, same, sizes, asked, followed)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is arranged anew: views of one array would become arrays of their own."""
        return ArmsTracker, (self.posteriors, self.prior), {"_prefetched": self._prefetched}

    @property
    def functions(self) -> IntArray:
        return np.arange(len(self.posteriors))

    def _size(self) -> tuple[int, int]:
        return len(self.posteriors), self.prior.dim

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        prefetched = self._prefetched
        if prefetched is not None and contexts is prefetched.block.shown:
            row = prefetched.start = prefetched.block.row
            return prefetched.mean[:, row].copy(), np.sqrt(np.maximum(prefetched.variance[:, row], 0.0))
        self._asked = None  # until all of it is known
        if self._stale:
            self._look_up()
        kernel = self._kernel
        prior = kernel.diagonal(contexts) if self._prior_variance is None else self._prior_variance
        shown = contexts.take(self._arms, axis=0)
        if self._slices:
            kernel.evaluate_each(self._features, kernel.right(shown), self._covariances)
            for part in self._slices.values():
                for band, covariances, rows in part.solves:
                    band.dot(covariances, rows)
        np.multiply(self._terms, self._terms[1], out=self._products)
        mean, explained = np.add.reduceat(self._products, self._starts, axis=1)
        variance = prior - explained
        self._asked = (shown, mean, prior, variance)
        return mean.copy(), np.sqrt(np.maximum(variance, 0.0))

    def shared_means_and_stds(self, points: Array) -> tuple[Array, Array]:
        """`mean_and_std` at points of shape (B, d) that all arms share: two new arrays of shape (B, K).

        The kernel is evaluated once for all arms.
        """
        prior = self._kernel.diagonal(points)[:, np.newaxis]
        means, explained = np.zeros((2, len(points), len(self.posteriors)))
        if self._stale:
            self._look_up()
        if self._slices:
            features = [np.concatenate(parts) for parts in self._features]
            covariances, stop = self._kernel.evaluate(features, self._kernel.right(points)), 0
            for arm, part in self._slices.items():
                posterior, start, stop = self.posteriors[arm], stop, stop + part.capacity
                whitened = posterior.factor.whiten(covariances[start : start + posterior.n])
                np.matmul(posterior.whitened_targets[: posterior.n], whitened, out=means[:, arm])
                np.einsum("ij,ij->j", whitened, whitened, out=explained[:, arm])
        return means, np.sqrt(np.maximum(prior - explained, 0.0))

    def outlook(self, context: Array, arm: int) -> Outlook:
        """What is known about the arm's reward at a context."""
        prefetched = self._prefetched
        if prefetched is None or (row := prefetched.block.row_with(context, arm)) is None:
            return self._live_outlook(context, arm)
        return prefetched.outlook(arm, row)

    def _live_outlook(self, context: Array, arm: int) -> Outlook:
        """`outlook` at a context that is not prefetched: known if it was asked about last."""
        part, posterior = self._slices.get(arm), self.posteriors[arm]
        if part is not None and self._asked is not None:
            shown, mean, prior, variance = self._asked
            if shown[part.index].tobytes() == context.tobytes():
                whitened = part.whitened[: posterior.n].copy()
                return Outlook(whitened, mean.item(arm), prior.item(arm), variance.item(arm))
        return posterior.at(context)

    def observe(self, context: Array, arm: int, reward: float) -> None:
        prefetched = self._prefetched
        row = None if prefetched is None else prefetched.block.row_with(context, arm)
        if prefetched is None or row is None:
            outlook = self._live_outlook(context, arm)
        else:
            outlook = prefetched.outlook(arm, row)
        self.posteriors[arm] = posterior = self.posteriors[arm]._extend(context, reward, outlook)
        self._stale.add(arm)
        self._asked = None
        if prefetched is not None:
            known = prefetched.outside(posterior, arm) if row is None else prefetched.within(arm, row)
            prefetched.observe(posterior, arm, known)

    def restate(self, shifts: Array, factor: float) -> None:
        for arm, (posterior, shift) in enumerate(zip(self.posteriors, shifts, strict=True)):
            if posterior.n:
                self.posteriors[arm] = restated(posterior, np.full(posterior.n, shift), factor)
                self._stale.add(arm)
        self._asked = None
        if self._prefetched is not None:
            self._prefetched.restate(self.posteriors)

    def prefetch(self, block: Prefetched | None) -> None:
        last, self._prefetched = self._prefetched, None
        if block is not None:
            self._prefetched = PrefetchedPosteriors(self.posteriors, block, block.contexts, last, max(block.row, 0))

    def add_arm(self, problem: Problem) -> None:
        self.posteriors.append(self.prior)
        self.prefetch(None)
        self._restart()

    def _look_up(self) -> None:
        crowded = False
        for arm in self._stale:
            if arm not in self._slices:
                self._slices[arm] = ArmSlice(self._kernel)
            crowded |= self._slices[arm].follow(self.posteriors[arm])
        if crowded:
            self._arrange()
        for arm in self._stale:
            self._slices[arm].solve_with(self.posteriors[arm])
        self._stale.clear()

    def _arrange(self) -> None:
        """Assign a segment to every arm; one without observations sums a single zero."""
        self._slices = dict(sorted(self._slices.items()))
        self._arms = np.array([*self._slices], dtype=np.int64)
        self._features = [*zip(*(part.features for part in self._slices.values()), strict=True)]
        self._covariances = Segments([part.capacity for part in self._slices.values()])
        capacities = [self._slices[arm].capacity if arm in self._slices else 1 for arm in range(len(self.posteriors))]
        edges = [*accumulate(capacities, initial=0)]
        self._starts = np.array(edges[:-1], dtype=np.int64)
        self._terms = np.zeros((2, edges[-1]))  # whitened targets, and whitened covariances with the contexts
        self._products = np.zeros_like(self._terms)
        self._stale.update(self._slices)
        for index, (arm, part) in enumerate(self._slices.items()):
            part.move(index, self._covariances.parts[index], *self._terms[:, edges[arm] : edges[arm + 1]])
