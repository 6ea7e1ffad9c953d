"""A tracker whose prior is in units of the rewards' spread, counted from the levels of the arms."""

from __future__ import annotations

from math import ceil, inf
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.base import AffineTracker, Prefetched, Tracker
from kernelbandits.beliefs.followed_levels import FollowedLevels
from kernelbandits.problem import Problem
from kernelbandits.types import Array

_GROWTH = 1.5
_NO_CONTEXT = np.empty(0)


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
        """Refuse, in what was loaded from a file, parts for another number of arms."""
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
        self._levels.add_arm(self._data.counts, self._tracker.functions)
