"""Levels of arms while rewards arrive: estimated from time to time, used in between."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.levels import ArmLevels, function_levels
from kernelbandits.types import Array, BoolArray, IntArray

ENOUGH = 2
"""With this many rewards, the level of an arm is told apart from a single reward far from it."""


@final
class FollowedLevels:
    """Levels of arms as they were estimated last. An arm that had no rewards by then gets its level with its first.

    For `functions`, the numbers of the arms' reward functions, see `function_levels`.

    Attributes:
        levels: shape (K,).
        center: mean of the levels, that of arms without rewards.
        between: standard deviation of the levels between arms.
        doubt: variances of the levels, shape (K,): `between`² for reward functions without rewards, 0 for those with 2
            or more; for those with one, `ArmLevels.single`² if the model has levels of its own in addition, which is
            so with an offset, else `between`². None if all are 0.

    """

    __slots__ = ("_counts", "_offset", "between", "center", "doubt", "levels")
    _offset: float
    _counts: IntArray
    center: float
    between: float
    levels: Array
    doubt: Array | None

    def __init__(self, n_arms: int, offset: float = 0.0) -> None:
        """Levels count as far as they are `beyond` this offset."""
        self._offset = offset
        self._counts = np.zeros(n_arms, dtype=np.int64)  # of rewards of each arm's function
        self.center = self.between = 0.0
        self.levels = np.zeros(n_arms)
        self.doubt = None

    def _validate(self) -> None:
        n_arms = len(self._counts)
        checks.refuse_misshapen(self, _counts=(n_arms,), levels=(n_arms,))
        if self.doubt is not None:
            checks.refuse_misshapen(self, doubt=(n_arms,))

    def estimate(self, data: ArmData, functions: IntArray) -> ArmLevels:
        """Estimate from all rewards."""
        found = self._found(data, functions)
        self.levels, self.center, self.between, _, _ = found
        self._count(data.counts, functions)
        self._doubt(self._counts == 1, found)
        return found

    def fix(self, level: float) -> None:
        """Take this for the level of every arm, without doubt."""
        self.levels, self.center, self.between, self.doubt = np.full(len(self.levels), level), level, 0.0, None

    def is_unsure(self, arm: int) -> bool:
        """Whether the next reward of this arm is one of its first `ENOUGH`."""
        return self._counts.item(arm) < ENOUGH

    def around(self, mean: Array, std: Array) -> tuple[Array, Array]:
        """The mean of rewards, and its deviation, from those of rewards less levels, shape (…, K), which may change."""
        mean += self.levels
        return mean, std if self.doubt is None else np.sqrt(std * std + self.doubt)

    def observe(self, arm: int, data: ArmData, functions: IntArray) -> None:
        """Learn that one of the first `ENOUGH` rewards of this arm was added to the data. Later ones change nothing."""
        same, first = functions == functions[arm], not self._counts[arm]
        self._count(data.counts, functions, ~same)
        if first:
            found = self._found(data, functions)
            self.levels[same] = found.levels[arm]
            self._doubt(same & (self._counts == 1), found)

    def add_arm(self, counts: IntArray, functions: IntArray) -> None:
        """Add an arm at the mean of all levels: the only one if all arms have one function."""
        self.levels = np.append(self.levels, self.center)
        self._count(counts, functions, np.arange(len(functions)) < len(functions) - 1)

    def _doubt(self, arms: BoolArray, found: ArmLevels) -> None:
        """Set the doubt about arms with one reward."""
        if self.doubt is not None and self._offset:
            self.doubt[arms] = min(found.single, self.between) ** 2

    def _found(self, data: ArmData, functions: IntArray) -> ArmLevels:
        return function_levels(data.rewards, functions).beyond(self._offset)

    def _count(self, counts: IntArray, functions: IntArray, others: BoolArray | None = None) -> None:
        """Count rewards; of the `others`, the doubt stays as it is."""
        known = self.doubt
        self._counts = (functions[:, np.newaxis] == functions) @ counts
        few = self._counts < ENOUGH
        self.doubt = np.where(few, self.between**2, 0.0) if self.between and few.any() else None
        if others is not None and known is not None and self.doubt is not None:
            self.doubt[others] = known[others[: len(known)]]
