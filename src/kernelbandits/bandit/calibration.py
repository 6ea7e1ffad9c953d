"""How good past predictions were: what was believed of a reward before it came, compared with the reward."""

from __future__ import annotations

from math import isnan, nan, sqrt
from typing import Any, final

import numpy as np

from kernelbandits.types import Array

NOMINAL = 0.9
"""The part of the rewards that intervals should cover."""

_REACH = 1.6448536269514722  # standard deviations: Φ⁻¹(0.95)
_ENOUGH = 20
"""Predictions before intervals are drawn: the noise of rewards is estimated from what came before."""


@final
class Calibration:
    """Sums over rewards y with means m and deviations s that were believed before they came; all in O(1) memory.

    The noise of rewards is the part of (y − m)² that s² does not explain, on average so far. An interval is
    m ± 1.645 √(s² + noise²): 90 % of the rewards should be inside.

    Attributes:
        n: number of rewards compared.
        n_intervals: those of them with an interval.

    """

    __slots__ = ("_covered", "_errors", "_innovations", "_rewards", "_squares", "_variances", "n", "n_intervals")

    def __init__(self) -> None:
        self.n = self.n_intervals = self._covered = 0
        self._errors = self._squares = self._variances = self._innovations = 0.0
        self._rewards = np.zeros(3)  # the first reward, and sums of differences from it and their squares

    def compare(self, means: Array, deviations: Array, rewards: Array) -> None:
        """Take rewards into account, shape (n,), with what was believed of them; those without a mean are left out."""
        for mean, deviation, reward in zip(means.tolist(), deviations.tolist(), rewards.tolist(), strict=True):
            if not isnan(mean):
                self._compare_one(mean, 0.0 if isnan(deviation) else deviation, reward)

    def _compare_one(self, mean: float, deviation: float, reward: float) -> None:
        error, variance = reward - mean, deviation * deviation
        if self.n >= _ENOUGH:
            spread = sqrt(variance + self.noise_std**2)
            self.n_intervals += 1
            self._covered += abs(error) <= _REACH * spread
            self._innovations += (error / spread) ** 2 if spread else 0.0
        if not self.n:
            self._rewards[0] = reward
        difference = reward - self._rewards.item(0)
        self._rewards[1:] += difference, difference * difference
        self.n += 1
        self._errors += error
        self._squares += error * error
        self._variances += variance

    @property
    def noise_std(self) -> float:
        """Estimated standard deviation of a reward around its mean."""
        return sqrt(max(self._squares - self._variances, 0.0) / self.n) if self.n else nan

    @property
    def bias(self) -> float:
        """Mean of reward less prediction."""
        return self._errors / self.n if self.n else nan

    @property
    def bias_error(self) -> float:
        """Standard error of `bias`."""
        return sqrt(max(self._squares / self.n - self.bias**2, 0.0) / self.n) if self.n else nan

    @property
    def coverage(self) -> float:
        """The part of the rewards inside their intervals; 0.9 if predictions are calibrated."""
        return self._covered / self.n_intervals if self.n_intervals else nan

    @property
    def innovation_std(self) -> float:
        """Root mean square of (y − m)/√(s² + noise²); 1 if predictions are calibrated."""
        return sqrt(self._innovations / self.n_intervals) if self.n_intervals else nan

    @property
    def explained(self) -> float:
        """R²: the part of the rewards' variance that predictions explain; negative if they do worse than the mean."""
        if not self.n:
            return nan
        variance = self._rewards.item(2) / self.n - (self._rewards.item(1) / self.n) ** 2
        return 1.0 - self._squares / self.n / variance if variance > 0.0 else nan

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data; None where there are too few rewards."""
        names = ("bias", "bias_error", "noise_std", "explained", "coverage", "innovation_std")
        figures = {name: getattr(self, name) for name in names}
        return {"n": self.n, **{name: None if isnan(value) else value for name, value in figures.items()}}
