"""In which units models see rewards: as they are given, or measured from the levels of the arms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.base import AffineTracker, Prefetched, Tracker
from kernelbandits.beliefs.estimation import next_estimate
from kernelbandits.beliefs.followed_levels import FollowedLevels
from kernelbandits.beliefs.levels import fit_levels, left_out_levels
from kernelbandits.problem import Problem
from kernelbandits.specs import Spec
from kernelbandits.types import Array

_NO_CONTEXT = np.empty(0)


class RewardUnits(Spec, ABC):
    """In which units a prior or an estimator describes rewards.

    Two arms with rewards around 100 and 104, and a prior around 0 with variance 1:

    >>> for units in (AsGiven(), Standardized()):
    ...     belief = IndependentArms(GaussianProcess(Gaussian(), ridge=1.0), rewards=units)
    ...     tracker = belief.start(Problem(n_arms=2, dim=1))
    ...     for arm, reward in [(0, 99.0), (0, 101.0), (1, 103.0), (1, 105.0)]:
    ...         tracker.observe(np.ones(1), arm, reward)
    ...     tracker.mean_and_std(np.ones((2, 1)))[0].round(1)
    array([66.7, 69.3])
    array([100.1, 103.4])

    See also `Standardized`, `AsGiven`.
    """

    __slots__ = ()

    @abstractmethod
    def start(self, tracker: AffineTracker, n_arms: int, scale: float = 1.0) -> Tracker:
        """A tracker of rewards, given one without rewards that works in the units of its prior.

        `scale` is taken for the deviation of the rewards until one can be estimated, if that has to be.
        """

    @abstractmethod
    def levels(self, rewards: Sequence[Array]) -> Array:
        """What to subtract from every arm's rewards before a fit, shape (K,); one array of shape (nᵢ,) per arm."""

    @abstractmethod
    def left_out_levels(self, rewards: Sequence[Array]) -> list[Array]:
        """For every arm the level without each of its rewards, shapes (nᵢ,); every nᵢ is at least 2."""


@final
@dataclass(frozen=True, slots=True)
class AsGiven(RewardUnits):
    """Rewards as they are: for a prior that is stated in units of the rewards, and for methods as printed.

    Levels and scales of the rewards then matter: a prior around 0 with variance 1 is far from rewards around 100.

    >>> model = GaussianProcess(Gaussian(), ridge=1.0)
    >>> tracker = IndependentArms(model, rewards=AsGiven()).start(Problem(n_arms=1, dim=1))
    >>> tracker.observe(np.ones(1), 0, 100.0)
    >>> tracker.mean_and_std(np.ones((1, 1)))[0].round(3)  # halfway between the prior's 0 and the reward
    array([50.])

    See also `RewardUnits`, `Standardized`.
    """

    def start(self, tracker: AffineTracker, n_arms: int, scale: float = 1.0) -> Tracker:
        return tracker

    def levels(self, rewards: Sequence[Array]) -> Array:
        return np.zeros(len(rewards))

    def left_out_levels(self, rewards: Sequence[Array]) -> list[Array]:
        return [np.zeros(len(each)) for each in rewards]


@final
@dataclass(frozen=True, slots=True)
class Standardized(RewardUnits):
    """Rewards less the level of their arm, divided by their standard deviation within arms.

    So decisions are the same for rewards in any unit, counted from any origin. A policy that fits once subtracts
    `fit_levels`; the scale does not matter for it. A belief that goes on learning estimates levels and deviation from
    all rewards whenever their number has grown by half (`arm_levels`), and all rewards are then restated, in O(n²) for
    n rewards of an arm. Before two different rewards are known all means are equal, and deviations are those of the
    prior. The level of an arm without rewards is the mean of all levels. With fewer than two rewards of an arm, the
    deviation of levels between arms adds to its own. Arms with one reward function (`JointArms`) have one level.

    Between estimates it matters which rewards came first. When one falls due, the order of arrival does not.

    >>> for unit in (1.0, 1000.0):
    ...     agent = LinearThompsonSampling(rewards=Standardized()).start(Problem(n_arms=2, dim=1), rng=0)
    ...     agent.observe_batch(np.ones((4, 1)), [0, 0, 1, 1], [unit * y for y in (0.0, 1.0, 1.0, 2.0)])
    ...     agent.score([[1.0]]).probabilities.round(3)
    array([[0.103, 0.897]])
    array([[0.103, 0.897]])

    See also `RewardUnits`, `AsGiven`.
    """

    def start(self, tracker: AffineTracker, n_arms: int, scale: float = 1.0) -> Tracker:
        return StandardizingTracker(tracker, n_arms, scale)

    def levels(self, rewards: Sequence[Array]) -> Array:
        return fit_levels(rewards)

    def left_out_levels(self, rewards: Sequence[Array]) -> list[Array]:
        return left_out_levels(rewards)


@final
class StandardizingTracker(Tracker):
    """Restates rewards for a tracker, and its answers for the caller: mean · scale + level, std · scale."""

    __slots__ = ("_data", "_levels", "_next_estimate", "_scale", "_scale_is_known", "_tracker")
    _tracker: AffineTracker
    _data: ArmData
    _levels: FollowedLevels
    _scale: float
    _scale_is_known: bool
    _next_estimate: int

    def __init__(self, tracker: AffineTracker, n_arms: int, scale: float) -> None:
        self._tracker = tracker
        self._data = ArmData(n_arms, dim=0)
        self._levels = FollowedLevels(n_arms)
        self._scale = scale
        self._scale_is_known = False
        self._next_estimate = 1
        tracker.restate(self._levels.levels, self._scale)

    def _validate(self) -> None:
        sizes = {len(self._data.counts), len(self._levels.levels), len(self._tracker.functions)}
        checks.refuse_inconsistent(self, len(sizes) == 1, self._data.dim == 0, 0.0 < self._scale < inf)

    def _size(self) -> tuple[int, int] | None:
        return self._tracker._size()

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        return self._restated(*self._tracker.mean_and_std(contexts))

    def means_and_stds(self, contexts: Array) -> tuple[Array, Array] | None:
        found = self._tracker.means_and_stds(contexts)
        return None if found is None else self._restated(*found)

    def _restated(self, mean: Array, std: Array) -> tuple[Array, Array]:
        """In units of the rewards, for arrays of shape (…, K) that may be changed."""
        mean *= self._scale
        mean += self._levels.levels
        std *= self._scale
        if self._levels.doubt is not None:
            std = np.hypot(std, np.sqrt(self._levels.doubt))
        return mean, std

    def observe(self, context: Array, arm: int, reward: float) -> None:
        self._data.add(_NO_CONTEXT, arm, reward)
        if self._levels.is_unsure(arm):
            self._levels.observe(arm, self._data, self._tracker.functions)
        difference = reward - self._levels.levels.item(arm)
        self._tracker.observe(context, arm, difference / self._scale)
        due = len(self._data) >= self._next_estimate
        if due:
            self._next_estimate = next_estimate(len(self._data))
        if due or (difference and not self._scale_is_known):
            self._estimate()

    def _estimate(self) -> None:
        """Estimate levels and scale from all rewards, and restate them."""
        before, scale = self._levels.levels, self._scale
        found = self._levels.estimate(self._data, self._tracker.functions)
        spread = found.within or found.between
        if spread:
            self._scale, self._scale_is_known = spread, True
        self._tracker.restate((found.levels - before) / scale, self._scale / scale)

    def prefetch(self, block: Prefetched | None) -> None:
        self._tracker.prefetch(block)

    def add_arm(self, problem: Problem) -> None:
        self._tracker.add_arm(problem)
        self._data.add_arm()
        self._levels.add_arm(self._data.counts, self._tracker.functions)
