"""In which units models see rewards: as they are given, or measured from the levels of the arms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs.base import AffineTracker, Tracker
from kernelbandits.beliefs.fit_levels import fit_levels, left_out_levels
from kernelbandits.beliefs.standardizing_tracker import StandardizingTracker
from kernelbandits.specs import Spec
from kernelbandits.types import Array


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
