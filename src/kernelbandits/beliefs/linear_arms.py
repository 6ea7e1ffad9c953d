"""Ridge regressions of all arms, each updated by one point at a time."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.base import AffineTracker, Belief, Prefetched, Tracker
from kernelbandits.beliefs.reward_units import RewardUnits, Standardized
from kernelbandits.problem import Problem
from kernelbandits.specs import Positive
from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True)
class LinearArms(Belief):
    """f⁽ⁱ⁾(x) = θ⁽ⁱ⁾ᵀx with θ⁽ⁱ⁾ ~ N(0, I/ridge), independent for every arm; noise of variance 1.

    The mean is ridge regression, θ̂ᵀx with θ̂ = A⁻¹ Σ x y, and the standard deviation √(xᵀA⁻¹x) with
    A = ridge · I + Σ xxᵀ. With `intercept` a feature that is always 1 is added, regularised like the others. Features
    are not divided by √d as in the kernels. All this is in the units that `rewards` says: by default y is a reward less
    the level of its arm, in units of the rewards' spread; `AsGiven()` for rewards as they are.

    Cost: O(d²) per reward, O(K d²) per round, independent of the number of rewards.

    Attributes:
        ridge: prior precision of every coefficient of θ, for noise of variance 1; a larger one shrinks θ̂ more.
        intercept: whether a feature that is always 1 is added, so that contexts need none.
        rewards: in which units rewards are modelled: `Standardized()` or `AsGiven()`.

    >>> tracker = LinearArms(ridge=1e-6).start(Problem(n_arms=1, dim=1))
    >>> for x in (0.0, 1.0, 2.0):
    ...     tracker.observe(np.array([x]), 0, 5.0 + 3.0 * x)
    >>> tracker.mean_and_std(np.array([[10.0]]))[0].round(2)
    array([35.])

    See also `Belief`, `IndependentArms`, `BudgetedArms`, `JointArms`.
    """

    ridge: Positive = 1.0
    intercept: bool = True
    rewards: RewardUnits = Standardized()

    def start(self, problem: Problem, rng: np.random.Generator | int = 0) -> Tracker:
        tracker = _LinearTracker(problem.n_arms, problem.dim, self.ridge, self.intercept)
        return self.rewards.start(tracker, problem.n_arms)


@final
class _LinearTracker(AffineTracker):
    """K ridge regressions: weights θ̂ and a square root R of the inverse, A⁻¹ = R Rᵀ.

    A new point replaces R by R − R v vᵀ / (s + √s) with v = Rᵀx and s = 1 + vᵀv: O(d²) like an update of A⁻¹ itself,
    but xᵀA⁻¹x = ‖Rᵀx‖² can never become negative. Rewards that were all 1 would have the weights A⁻¹ Σ x; so the sums
    of the points are what a change of units needs.
    """

    __slots__ = ("_intercept", "_ridge", "_roots", "_sums", "_weights")
    _intercept: bool
    _ridge: float
    _weights: Array
    _sums: Array
    _roots: Array

    def __init__(self, n_arms: int, dim: int, ridge: float, intercept: bool) -> None:
        size = dim + intercept
        self._intercept = intercept
        self._ridge = ridge
        self._weights = np.zeros((n_arms, size))
        self._sums = np.zeros((n_arms, size))
        self._roots = np.tile(np.eye(size) / sqrt(ridge), (n_arms, 1, 1))

    def _validate(self) -> None:
        n_arms, size = len(self._weights), self._weights.shape[-1]
        checks.refuse_misshapen(self, _weights=(n_arms, size), _sums=(n_arms, size), _roots=(n_arms, size, size))
        checks.refuse_inconsistent(self, self._ridge > 0.0)

    def _size(self) -> tuple[int, int]:
        return len(self._weights), self._weights.shape[1] - self._intercept

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        X = self._features(contexts)
        V = np.matmul(X[:, np.newaxis], self._roots)[:, 0]
        mean: Array = np.einsum("kd,kd->k", self._weights, X)
        return mean, np.sqrt(np.einsum("kd,kd->k", V, V))

    def means_and_stds(self, contexts: Array) -> tuple[Array, Array]:
        d = contexts.shape[2]
        means, stds = np.empty(contexts.shape[:2]), np.empty(contexts.shape[:2])
        for arm, (weights, root) in enumerate(zip(self._weights, self._roots, strict=True)):
            X = contexts[:, arm]
            V, mean = X @ root[:d], X @ weights[:d]
            if self._intercept:  # added here, because a column of ones would cost a copy of the contexts
                V += root[d]
                mean += weights[d]
            means[:, arm], stds[:, arm] = mean, np.sqrt(np.vecdot(V, V))
        return means, stds

    def observe(self, context: Array, arm: int, reward: float) -> None:
        x = self._features(context[np.newaxis])[0]
        root = self._roots[arm]
        v = x @ root
        gain = root @ v
        scale = 1.0 + float(v @ v)
        self._weights[arm] += gain * ((reward - float(self._weights[arm] @ x)) / scale)
        gain /= -(scale + sqrt(scale))
        root += np.outer(gain, v)
        self._sums[arm] += x

    @property
    def functions(self) -> IntArray:
        return np.arange(len(self._weights))

    def restate(self, shifts: Array, factor: float) -> None:
        sums = self._sums[:, np.newaxis]
        of_ones = np.matmul(np.matmul(sums, self._roots), self._roots.swapaxes(1, 2))[:, 0]
        self._weights -= shifts[:, np.newaxis] * of_ones
        self._weights /= factor

    def prefetch(self, block: Prefetched | None) -> None:
        """Nothing: a round costs little, and every reward changes it."""

    def add_arm(self, problem: Problem) -> None:
        size = self._weights.shape[1]
        self._weights = np.concatenate([self._weights, np.zeros((1, size))])
        self._sums = np.concatenate([self._sums, np.zeros((1, size))])
        self._roots = np.concatenate([self._roots, np.eye(size)[np.newaxis] / sqrt(self._ridge)])

    def _features(self, contexts: Array) -> Array:
        return np.hstack([contexts, np.ones((len(contexts), 1))]) if self._intercept else contexts
