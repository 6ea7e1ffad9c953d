"""Exploration in turn."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits.policies.decisions import Choice
from kernelbandits.policies.selection import mask_scores
from kernelbandits.types import BoolArray


@final
class RoundRobin:
    """Counts the turns of every arm; next is the eligible arm with the fewest turns and the lowest number.

    Turns are decisions, not rewards: while rewards are on their way, no arm is tried again and again.
    """

    __slots__ = ("_counts", "_fewest", "_last")

    def __init__(self, n_arms: int) -> None:
        self._counts = np.zeros(n_arms)
        self._fewest = self._last = 0

    @property
    def total(self) -> int:
        """Turns of all arms together."""
        return int(self._counts.sum())

    def of(self, arms: BoolArray) -> int:
        """Turns of these arms together."""
        return int(self._counts[arms].sum())

    def due(self, n_turns: int, eligible: BoolArray | None) -> bool:
        """Whether an eligible arm has had fewer than `n_turns` turns."""
        # `_fewest` answers at once in nearly all rounds.
        return self._fewest < n_turns and (eligible is None or bool(self._counts[eligible].min() < n_turns))

    def next(self, eligible: BoolArray | None) -> Choice:
        """The arm whose turn it is. Known beforehand, so its propensity is 1."""
        arm = int(mask_scores(-self._counts, eligible).argmax())
        self._last = arm
        self._count(arm, 1)
        return Choice(arm, 1.0, mask_scores(np.zeros(len(self._counts)), eligible), explored=True)

    def withdraw(self) -> None:
        """Take the last turn back."""
        self._count(self._last, -1)

    def _count(self, arm: int, turns: int) -> None:
        self._counts[arm] += turns
        self._fewest = int(self._counts.min())

    def add_arm(self) -> None:
        """Add an arm without turns."""
        self._counts = np.append(self._counts, 0.0)
        self._fewest = 0
