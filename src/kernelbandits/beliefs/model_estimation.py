"""The next model of the rewards, made step by step while the last one answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.arm_models import ArmModel, Construction, ExactConstruction, KnownArm
from kernelbandits.beliefs.belief_budget import BeliefBudget
from kernelbandits.beliefs.component_search import ComponentSearch
from kernelbandits.beliefs.followed_levels import FollowedLevels
from kernelbandits.beliefs.levels import rounding
from kernelbandits.beliefs.sketched_arms import SketchConstruction
from kernelbandits.types import Array

_COARSE = 4  # rewards take few values if each of them is there so many times on average
_RESOLVED = 0.1  # the least standard deviation of noise that such rewards can show, in units of their smallest step


def least_noise(rewards: Sequence[Array]) -> float:
    """The least variance of noise that is believed: 0, unless the rewards of all arms take few values, such as 0 and 1.

    Where a policy does well, nearly all of its rewards are equal. Rewards from near contexts then agree to the last
    digit, by which a normal likelihood proves that there is no noise, however many values lie farther apart than that.

    >>> least_noise([np.array([0.0, 1.0, 1.0, 1.0] * 2)]), least_noise([np.linspace(0.0, 1.0, 8)])
    (0.010000000000000002, 0.0)
    """
    values = np.sort(np.concatenate(rewards))
    steps = np.diff(values)
    steps = steps[steps > rounding(float(np.abs(values).max(initial=0.0)))]
    few = 0 < _COARSE * len(steps) <= len(values) - _COARSE
    return (_RESOLVED * float(steps.min())) ** 2 if few else 0.0


@final
class RewardSearch:
    """The search for components and levels, and then the construction of the model."""

    __slots__ = ("_arms", "_budget", "_data", "_levels", "_search")
    _budget: BeliefBudget
    _data: ArmData
    _levels: Array
    _arms: list[tuple[Array, Array]]
    _search: ComponentSearch

    def __init__(self, data: ArmData, levels: FollowedLevels, budget: BeliefBudget) -> None:
        self._budget, self._data = budget, data.snapshot()
        self._levels = levels.estimate(self._data, np.arange(len(data.counts))).levels
        self._arms = [self._some_of(arm, budget.evidence(data.counts)) for arm in data.played]
        self._search = ComponentSearch(self._arms, self._variance(levels.between), least_noise(self._data.rewards))

    def _validate(self) -> None:
        """Refuse, in what was loaded from a file, parts for another number of arms."""
        checks.refuse_misshapen(self, _levels=(len(self._data.counts),))
        checks.refuse_inconsistent(self, len(self._arms) == len(self._data.played))

    def _some_of(self, arm: int, most: int) -> tuple[Array, Array]:
        """At most so many contexts and rewards of an arm, these less its level."""
        X, y = self._data.thinned(arm, most)
        return X, y - self._levels[arm]

    @property
    def done(self) -> bool:
        return self._search.done

    def step(self) -> float:
        return self._search.step()

    def construction(self) -> Construction:
        """Of an exact model, or of a sketch if rewards are many."""
        (components, grams), levels, data = self._search.found(), self._levels, self._data
        if self._budget.sketches(data.counts):
            return SketchConstruction(components, levels, data, self._budget.n_features)
        known = {
            arm: KnownArm(X, y, gram)
            for arm, (X, y), gram in zip(data.played, self._arms, grams, strict=False)  # there may be no matrices
            if len(y) == data.counts[arm]
        }
        return ExactConstruction(components, levels, data, known)

    def _variance(self, between: float) -> float:
        """The variance of rewards less levels. Where it is nothing but rounding, the variance of the levels."""
        rewards = self._data.rewards
        variance = float(np.var(np.concatenate([y - level for y, level in zip(rewards, self._levels, strict=True)])))
        largest = max(float(np.abs(y).max(initial=0.0)) for y in rewards)
        return variance if variance > rounding(largest) ** 2 else between**2


@final
class Estimation:
    """The next model of the rewards, made step by step; rewards that come in the meantime are kept until it is done.

    Attributes:
        levels: those of the new model.
        arrived: contexts, arms and rewards that came in the meantime.

    """

    __slots__ = ("_stage", "arrived", "levels")
    _stage: RewardSearch | Construction
    levels: FollowedLevels
    arrived: list[tuple[Array, int, float]]

    def __init__(self, stage: RewardSearch | Construction, levels: FollowedLevels) -> None:
        self._stage = stage
        self.levels = levels
        self.arrived = []

    def advance(self, work: float) -> ArmModel | None:
        """Do about this much work; the model if it is complete now."""
        while work > 0.0:
            stage = self._stage
            if not stage.done:
                work -= stage.step()
            elif isinstance(stage, RewardSearch):
                self._stage = stage.construction()
            else:
                return stage.model()
        return None
