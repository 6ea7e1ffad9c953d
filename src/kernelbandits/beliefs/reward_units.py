"""How rewards are brought to the units of a prior that a belief states."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

from kernelbandits.beliefs.base import AffineTracker, Tracker
from kernelbandits.beliefs.standardizing_tracker import StandardizingTracker
from kernelbandits.specs import Spec


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
    prior. The level of an arm without rewards is the mean of all levels. With fewer than two rewards of an arm, the
    deviation of levels between arms adds to its own. Arms with one reward function (`JointArms`) have one level.

    Between estimates it matters which rewards came first. When one falls due, the order of arrival does not.

    >>> belief = LinearArms(ridge=2.0, rewards=Standardized())
    """

    def start(self, tracker: AffineTracker, n_arms: int, scale: float = 1.0) -> Tracker:
        return StandardizingTracker(tracker, n_arms, scale)
