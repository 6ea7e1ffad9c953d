"""Levels of arms while rewards arrive: estimated from time to time, used in between."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.levels import ArmLevels, function_levels
from kernelbandits.types import Array, IntArray

ENOUGH = 2
"""As many rewards of an arm tell a level from a reward that is far from it."""


@final
class FollowedLevels:
    """Levels of arms as they were estimated last. An arm that had no rewards by then gets its level with its first.

    For `functions`, the numbers of the arms' reward functions, see `function_levels`.

    Attributes:
        levels: shape (K,).
        center: mean of the levels, that of arms without rewards.
        between: standard deviation of the levels between arms.
        doubt: variances of the levels, `between`² for reward functions with fewer than two rewards, else 0, shape (K,);
            None if all are 0.

    """

    __slots__ = ("_counts", "_offset", "between", "center", "doubt", "levels")

    def __init__(self, n_arms: int, offset: float = 0.0) -> None:
        """Of levels, what is `beyond` this offset counts."""
        self._offset = offset
        self._counts = np.zeros(n_arms, dtype=np.int64)  # of rewards of each arm's function
        self.center = self.between = 0.0
        self.levels = np.zeros(n_arms)
        self.doubt: Array | None = None

    def _validate(self) -> None:
        """Refuse, in what was loaded from a file, levels of another number of arms."""
        shape = (len(self._counts),)
        checks.refuse_unfit("counts of rewards", self._counts, np.int64, shape)
        for what, array in (("levels", self.levels), ("doubts", self.levels if self.doubt is None else self.doubt)):
            checks.refuse_unfit(what, array, np.float64, shape)

    def estimate(self, data: ArmData, functions: IntArray) -> ArmLevels:
        """Estimate from all rewards."""
        found = self._found(data, functions)
        self.levels, self.center, self.between, _ = found
        self._count(data.counts, functions)
        return found

    def is_unsure(self, arm: int) -> bool:
        """Whether the next reward of this arm is one of its first `ENOUGH`."""
        return self._counts.item(arm) < ENOUGH

    def observe(self, arm: int, data: ArmData, functions: IntArray) -> None:
        """Learn that one of the first `ENOUGH` rewards of this arm was added to the data. Later ones change nothing."""
        if not self._counts[arm]:
            self.levels[functions == functions[arm]] = self._found(data, functions).levels[arm]
        self._count(data.counts, functions)

    def add_arm(self, counts: IntArray, functions: IntArray) -> None:
        """Add an arm at the mean of all levels: the only one if all arms have one function."""
        self.levels = np.append(self.levels, self.center)
        self._count(counts, functions)

    def _found(self, data: ArmData, functions: IntArray) -> ArmLevels:
        return function_levels(data.rewards, functions).beyond(self._offset)

    def _count(self, counts: IntArray, functions: IntArray) -> None:
        self._counts = (functions[:, np.newaxis] == functions) @ counts
        few = self._counts < ENOUGH
        self.doubt = np.where(few, self.between**2, 0.0) if self.between and few.any() else None
