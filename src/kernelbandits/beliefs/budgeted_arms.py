"""Gaussian processes for very many rounds: one posterior per arm, on centres that follow the effective dimension."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import NamedTuple, final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.base import AffineTracker, Belief, Prefetched, Tracker
from kernelbandits.beliefs.reward_units import RewardUnits, Standardized
from kernelbandits.beliefs.sketch import Sketch
from kernelbandits.linalg import pieces
from kernelbandits.problem import Problem
from kernelbandits.regression import Basis, GaussianProcess, rows_of_block
from kernelbandits.specs import Count, Positive
from kernelbandits.types import Array, IntArray

_FEW = 16
_GROWTH = 1.2


@final
@dataclass(frozen=True, slots=True)
class BudgetedArms(Belief):
    """f⁽ⁱ⁾ ~ GP(0, K) as in `IndependentArms`, on a sketch of at most `budget` centres per arm.

    Whenever an arm's rewards have grown by a fifth, its centres are drawn anew: a context becomes one with probability
    min(1, oversampling · var/ridge), its current ridge leverage score, so that their number follows the effective
    dimension Σ var/ridge. If there are more than `budget`, that many of them are drawn in proportion to their scores.
    For `rewards` see `IndependentArms`.

    Cost with r ≤ budget centres: O(r² + r d) per reward and O(K (r² + r d)) per round, less if it was prefetched;
    memory O(K r²) in addition to the contexts themselves.

    Reference: Calandriello, Carratino, Lazaric, Valko & Rosasco 2019 (BKB); here every arm has its own sketch.

    Attributes:
        model: kernel and noise variance of the Gaussian process of an arm, in the units that `rewards` says.
        budget: the largest number of centres per arm; it bounds r, and so the cost of a round.
        oversampling: factor of the leverage scores; a larger one keeps more centres, and is more accurate.
        rewards: in which units rewards are modelled: `Standardized()` or `AsGiven()`.

    >>> model, rng = GaussianProcess(Gaussian(gamma=4.0), ridge=0.01), np.random.default_rng(0)
    >>> beliefs = (IndependentArms(model), BudgetedArms(model, budget=20))
    >>> trackers = [belief.start(Problem(n_arms=1, dim=1)) for belief in beliefs]
    >>> for x in rng.uniform(-1.0, 1.0, 300):
    ...     for tracker in trackers:
    ...         tracker.observe(np.array([x]), 0, np.sin(2.0 * x))
    >>> [tracker.mean_and_std(np.full((1, 1), 0.5))[0].round(2).item() for tracker in trackers]  # sin 1 is 0.84
    [0.84, 0.84]

    See also `Belief`, `LinearArms`, `JointArms`, `HierarchicalBayes`.
    """

    model: GaussianProcess
    budget: Count = 300
    oversampling: Positive = 4.0
    rewards: RewardUnits = Standardized()

    def start(self, problem: Problem, rng: np.random.Generator | int = 0) -> Tracker:
        return self.rewards.start(_BudgetedTracker(self, problem, checks.generator(rng)), problem.n_arms)


@final
class _BudgetedTracker(AffineTracker):
    _data: ArmData
    _arms: list[_SketchedArm]
    _belief: BudgetedArms
    _rng: np.random.Generator

    def __init__(self, belief: BudgetedArms, problem: Problem, rng: np.random.Generator) -> None:
        self._data = ArmData(problem.n_arms, problem.dim)
        self._arms = [_SketchedArm(belief, arm, own) for arm, own in enumerate(rng.spawn(problem.n_arms))]
        self._belief = belief
        self._rng = rng

    def _validate(self) -> None:
        fit = [own.fits(arm, self._data.dim) for arm, own in enumerate(self._arms)]
        checks.refuse_inconsistent(self, len(fit) == len(self._data.counts), *fit)

    def _size(self) -> tuple[int, int]:
        return len(self._arms), self._data.dim

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        mean, variance = np.array([arm.mean_and_variance(contexts) for arm in self._arms]).T
        return mean, np.sqrt(variance)

    def observe(self, context: Array, arm: int, reward: float) -> None:
        self._data.add(context, arm, reward)
        self._arms[arm].observe(*self._data.arrived(arm))

    @property
    def functions(self) -> IntArray:
        return np.arange(len(self._arms))

    def restate(self, shifts: Array, factor: float) -> None:
        self._data.restate(shifts, factor)
        for arm, shift in zip(self._arms, shifts, strict=True):
            arm.restate(float(shift), factor)

    def prefetch(self, block: Prefetched | None) -> None:
        for arm in self._arms:
            arm.prefetch(block)

    def add_arm(self, problem: Problem) -> None:
        self._data.add_arm()
        self._arms.append(_SketchedArm(self._belief, len(self._arms), self._rng.spawn(1)[0]))
        self.prefetch(None)


class _Predictions(NamedTuple):
    """Features (r, m) of m contexts if the arm has a sketch, and mean and variance there, shape (m,)."""

    features: Array | None
    mean: Array
    variance: Array


@final
@dataclass(slots=True, eq=False)
class _SketchedArm:
    """One arm's sketch, and its predictions at prefetched contexts, which every reward changes by a rank-one step."""

    _belief: BudgetedArms
    _arm: int
    _rng: np.random.Generator
    _sketch: Sketch | None = None
    _next: int = 1
    _block: Prefetched | None = None
    _prefetched: _Predictions | None = None

    def fits(self, arm: int, dim: int) -> bool:
        """Whether what was loaded from a file can be this arm of contexts with `dim` features."""
        size, dims = (None, dim) if self._sketch is None else self._sketch.basis.centers.shape
        fit = (self._arm, dims) == (arm, dim) and self._next >= 1
        if self._prefetched is None:
            return fit
        features, mean, variance = self._prefetched
        known = None if features is None else features.shape
        n = None if self._block is None else len(self._block.contexts)
        return fit and mean.shape == variance.shape == (n,) and known == (None if size is None else (size, n))

    def mean_and_variance(self, contexts: Array) -> tuple[float, float]:
        """Mean and variance at the arm's context of a round, whose contexts have shape (K, d)."""
        if self._block is not None and self._prefetched is not None and contexts is self._block.shown:
            found, row = self._prefetched, self._block.row
        else:
            found, row = self._predict(contexts[self._arm : self._arm + 1]), 0
        return found.mean.item(row), found.variance.item(row)

    def _predict(self, Z: Array) -> _Predictions:
        prior = self._belief.model.kernel.diagonal(Z)
        if self._sketch is None:
            return _Predictions(None, np.zeros(len(Z)), prior)
        features = self._sketch.features(Z)
        return _Predictions(features, *self._sketch.mean_and_variance(features, prior))

    def prefetch(self, block: Prefetched | None) -> None:
        """Predict at the arm's contexts of the block, and keep the predictions current; None forgets them."""
        self._block = block
        self._prefetched = None if block is None else self._predict(block.contexts[:, self._arm])

    def observe(self, X: Array, y: Array) -> None:
        """Take the last of the rewards y at the rows of X into account."""
        if self._sketch is None or len(y) >= self._next:
            centers = X if self._sketch is None else self._drawn(X, self._sketch.basis.size)
            self._sketch = Sketch(Basis.of(self._belief.model.kernel, centers), self._belief.model.ridge, X, y)
            self._next = len(y) + 1 if len(y) < _FEW else ceil(_GROWTH * len(y))
            self.prefetch(self._block)
            return
        known = None if self._prefetched is None else self._prefetched.features
        row = None if self._block is None else self._block.row_with(X[-1], self._arm)
        phi = self._sketch.features(X[-1:])[:, 0] if known is None or row is None else known[:, row]
        direction, gain, loss = self._sketch.observe(phi, float(y[-1]))
        if self._prefetched is not None and known is not None:
            h = direction @ known
            mean, variance = self._prefetched.mean, self._prefetched.variance
            mean += h * gain
            np.maximum(variance - h * h * loss, 0.0, out=variance)

    def restate(self, shift: float, factor: float) -> None:
        """Replace every reward y by (y − shift)/factor."""
        if self._sketch is not None:
            self._sketch.restate(shift, factor)
            if self._prefetched is not None and self._prefetched.features is not None:
                self._prefetched.mean[:] = self._sketch.mean(self._prefetched.features)

    def _drawn(self, X: Array, size: int) -> Array:
        """Centres among the rows of X, by their ridge leverage scores; the sketch has `size` centres."""
        if len(X) <= _FEW:
            return X
        scores = np.empty(len(X))
        for rows in pieces(len(X), rows_of_block(size)):
            scores[rows] = self._predict(X[rows]).variance
        chances = np.minimum(1.0, self._belief.oversampling / self._belief.model.ridge * scores)
        # Exponential clocks: the first `budget` of them to ring are a draw in proportion to their scores.
        drawn = np.flatnonzero(self._rng.random(len(X)) < chances)
        if len(drawn) > self._belief.budget:
            clocks = self._rng.exponential(size=len(drawn)) / scores[drawn]
            drawn = drawn[np.sort(np.argpartition(clocks, self._belief.budget)[: self._belief.budget])]
        return X[drawn] if len(drawn) else X[-1:]
