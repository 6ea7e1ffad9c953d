"""Rounds in which arms are tried in turn."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits.policies.base import Choice
from kernelbandits.policies.choosing import mask_scores
from kernelbandits.types import BoolArray


@final
class Turns:
    """Counts the turns of every arm; the eligible arm with the fewest is next, the lowest number of those.

    Turns are decisions, not rewards: while rewards are on their way, no arm is tried again and again.
    """

    __slots__ = ("_counts", "_last")

    def __init__(self, n_arms: int) -> None:
        self._counts = np.zeros(n_arms)
        self._last = 0

    @property
    def total(self) -> int:
        """Turns taken by all arms."""
        return int(self._counts.sum())

    def fewest(self, eligible: BoolArray | None) -> int:
        """Turns of the eligible arm that has had the fewest."""
        return int(self._counts.min() if eligible is None else self._counts[eligible].min())

    def of(self, arms: BoolArray) -> int:
        """Turns taken by these arms together."""
        return int(self._counts[arms].sum())

    def next(self, eligible: BoolArray | None) -> Choice:
        """The arm whose turn it is. Known beforehand, so its propensity is 1."""
        arm = int(mask_scores(-self._counts, eligible).argmax())
        self._counts[arm] += 1
        self._last = arm
        return Choice(arm, 1.0, mask_scores(np.zeros(len(self._counts)), eligible), explored=True)

    def give_back(self) -> None:
        """The last turn was not taken."""
        self._counts[self._last] -= 1

    def add_arm(self) -> None:
        """One more arm, which has had no turn."""
        self._counts = np.append(self._counts, 0.0)
