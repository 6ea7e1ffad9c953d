"""How rewards are brought to the units of a prior that a belief states."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import ceil
from typing import final

import numpy as np

from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.base import AffineTracker, Prefetched, Tracker
from kernelbandits.beliefs.followed_levels import FollowedLevels
from kernelbandits.problem import Problem
from kernelbandits.specs import Spec
from kernelbandits.types import Array

_GROWTH = 1.5
_NO_CONTEXT = np.empty(0)


class RewardUnits(Spec, ABC):
    """In which units a prior describes rewards."""

    __slots__ = ()

    @abstractmethod
    def start(self, tracker: AffineTracker, n_arms: int, scale: float = 1.0) -> Tracker:
        """A tracker of rewards, given one without rewards that works in the units of its prior.

        `scale` is taken for the deviation of the rewards until one can be estimated, if that has to be.
        """


@final
@dataclass(frozen=True, slots=True)
class AsGiven(RewardUnits):
    """Rewards as they are: for a prior that is stated in units of the rewards, and for methods as printed.

    Levels and scales of the rewards then matter: a prior around 0 with variance 1 is far from rewards around 100.

    >>> belief = LinearArms(ridge=2.0, rewards=AsGiven())
    """

    def start(self, tracker: AffineTracker, n_arms: int, scale: float = 1.0) -> Tracker:
        return tracker


@final
@dataclass(frozen=True, slots=True)
class Standardized(RewardUnits):
    """Rewards less the level of their arm, divided by their standard deviation within arms.

    So decisions are the same for rewards in any unit, counted from any origin. Levels and deviation are estimated from
    all rewards whenever their number has grown by half (`arm_levels`), and all rewards are then restated, in O(n²) for
    n rewards of an arm. Before two different rewards are known all means are equal, and deviations are those of the
    prior. The level of an arm without rewards is the mean of all levels, and their deviation between arms adds to its
    own. Arms with one reward function (`JointArms`) have one level.

    Between estimates it matters which rewards came first. When one falls due, the order of arrival does not.

    >>> belief = LinearArms(ridge=2.0, rewards=Standardized())
    """

    def start(self, tracker: AffineTracker, n_arms: int, scale: float = 1.0) -> Tracker:
        return _StandardizingTracker(tracker, n_arms, scale)


@final
class _StandardizingTracker(Tracker):
    """Restates rewards for a tracker, and its answers for the caller: mean · scale + level, std · scale."""

    __slots__ = ("_data", "_levels", "_next_estimate", "_scale", "_scale_is_known", "_tracker")

    def __init__(self, tracker: AffineTracker, n_arms: int, scale: float) -> None:
        self._tracker = tracker
        self._data = ArmData(n_arms, dim=0)
        self._levels = FollowedLevels(n_arms)
        self._scale = scale
        self._scale_is_known = False
        self._next_estimate = 1
        tracker.restate(self._levels.levels, self._scale)

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        mean, std = self._tracker.mean_and_std(contexts)
        mean *= self._scale
        mean += self._levels.levels
        std *= self._scale
        if self._levels.doubt is not None:
            std = np.sqrt(std * std + self._levels.doubt)
        return mean, std

    def observe(self, context: Array, arm: int, reward: float) -> None:
        self._data.add(_NO_CONTEXT, arm, reward)
        if not self._levels.known[arm]:
            self._levels.observe_first(arm, self._data, self._tracker.functions)
        difference = reward - self._levels.levels.item(arm)
        self._tracker.observe(context, arm, difference / self._scale)
        due = len(self._data) >= self._next_estimate
        if due:
            self._next_estimate = ceil(_GROWTH * len(self._data))
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
        self._levels.add_arm(self._data, self._tracker.functions)
