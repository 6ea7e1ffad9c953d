"""Levels of arms while rewards arrive: estimated from time to time, used in between."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.levels import ArmLevels, function_levels
from kernelbandits.types import Array, IntArray


@final
class FollowedLevels:
    """Levels of arms as they were estimated last. An arm that had no rewards by then gets its level with its first.

    For `functions`, the numbers of the arms' reward functions, see `function_levels`.

    Attributes:
        levels: shape (K,).
        center: mean of the levels, that of arms without rewards.
        between: standard deviation of the levels between arms.
        known: which arms have a reward function with rewards, shape (K,).
        doubt: variances of the levels of arms, `between`² without rewards and else 0, shape (K,); None if all are 0.

    """

    __slots__ = ("_offset", "between", "center", "doubt", "known", "levels")

    def __init__(self, n_arms: int, offset: float = 0.0) -> None:
        """Of levels, what is `beyond` this offset counts."""
        self._offset = offset
        self.levels = np.zeros(n_arms)
        self.center = self.between = 0.0
        self.known = np.zeros(n_arms, dtype=np.bool_)
        self.doubt: Array | None = None

    def estimate(self, data: ArmData, functions: IntArray) -> ArmLevels:
        """Estimate from all rewards."""
        found = self._found(data, functions)
        self.levels, self.center, self.between, _ = found
        self._update(data, functions)
        return found

    def observe_first(self, arm: int, data: ArmData, functions: IntArray) -> None:
        """Give a level to an arm whose first reward was added to the data. The other levels stay."""
        self.levels[functions == functions[arm]] = self._found(data, functions).levels[arm]
        self._update(data, functions)

    def add_arm(self, data: ArmData, functions: IntArray) -> None:
        """Add the last arm of the data: its level is that of its reward function, or the mean of all levels."""
        self.levels = np.append(self.levels, self.center)
        self.levels[-1] = self.levels[np.argmax(functions == functions[-1])]
        self._update(data, functions)

    def _found(self, data: ArmData, functions: IntArray) -> ArmLevels:
        return function_levels(data.rewards, functions).beyond(self._offset)

    def _update(self, data: ArmData, functions: IntArray) -> None:
        self.known = np.isin(functions, functions[data.played])
        self.doubt = None
        if self.between and not self.known.all():
            self.doubt = np.where(self.known, 0.0, self.between**2)
