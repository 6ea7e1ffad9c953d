"""How good past predictions were: what was believed of a reward before it came, compared with the reward."""

from math import isnan, nan, sqrt
from typing import Any, final

import numpy as np

from kernelbandits import checks
from kernelbandits.bandit.logged_rows import LoggedRows
from kernelbandits.errors import InvalidArgument
from kernelbandits.policies import Agent
from kernelbandits.reporting import Progress
from kernelbandits.types import Array, IntArray

NOMINAL = 0.9  # the part of the rewards that intervals should cover
_REACH = 1.6448536269514722  # standard deviations: Φ⁻¹(0.95)
_ENOUGH = 20  # predictions before intervals are drawn: the noise of rewards is estimated from what came before
_SUMS = ("weight", "error", "square", "variance", "reward", "reward_square", "intervals", "covered", "innovation")
_KEPT = 1.0 - 1.0 / 500.0
_GROWTH = 1.25
_PREDICTED = 64
"""Rewards are observed 64 at a time; whenever their number has grown by a quarter, the next 64 are predicted first."""


@final
class Calibration:
    """Sums over rewards y with means m and deviations s that were believed before they came; all in O(1) memory.

    What is old counts less: each comparison weighs 499/500 of the next. The noise of rewards is the part of (y − m)²
    that s² does not explain, on average so far. An interval is m ± 1.645 √(s² + noise²): 90 % of the rewards should be
    inside.

    Attributes:
        n: number of rewards compared so far, old ones counted in full.

    >>> calibration, rewards = Calibration(), np.random.default_rng(0).standard_normal(500)
    >>> calibration.compare(np.zeros(500), np.zeros(500), rewards)  # the mean 0 was believed, without doubt
    >>> round(calibration.noise_std, 1), round(calibration.coverage, 1)
    (1.0, 0.9)

    See also `Bandit`, `ArmSummary`, `Ledger`, `Awaiting`.
    """

    __slots__ = ("_origin", "_sums", "n")
    n: int
    _origin: float
    _sums: dict[str, float]

    def __init__(self) -> None:
        self.n = 0
        self._origin = 0.0  # the first reward: sums of differences from it lose no digits
        self._sums = dict.fromkeys(_SUMS, 0.0)

    def _validate(self) -> None:
        """Refuse, in what was loaded from a file, what are not these sums."""
        checks.whole("n", self.n, at_least=0)
        if (*self._sums,) != _SUMS or not all(type(value) is float for value in (self._origin, *self._sums.values())):
            raise InvalidArgument("the sums of a calibration do not fit each other")

    def compare(self, means: Array, deviations: Array, rewards: Array) -> None:
        """Take rewards into account, shape (n,), with what was believed of them; those without a mean are left out."""
        for mean, deviation, reward in zip(means.tolist(), deviations.tolist(), rewards.tolist(), strict=True):
            if not isnan(mean):
                self._compare_one(mean, 0.0 if isnan(deviation) else deviation, reward)

    def _compare_one(self, mean: float, deviation: float, reward: float) -> None:
        error, variance = reward - mean, deviation * deviation
        if not self.n:
            self._origin = reward
        difference = reward - self._origin
        found = {"weight": 1.0, "error": error, "square": error * error, "variance": variance}
        found |= {"reward": difference, "reward_square": difference * difference}
        spread = sqrt(variance + self.noise_std**2) if self.n >= _ENOUGH else 0.0
        if spread:
            found |= {"intervals": 1.0, "covered": abs(error) <= _REACH * spread, "innovation": (error / spread) ** 2}
        for name, total in self._sums.items():
            self._sums[name] = _KEPT * total + found.get(name, 0.0)
        self.n += 1

    def _mean(self, name: str, of: str = "weight") -> float:
        return self._sums[name] / self._sums[of] if self._sums[of] else nan

    @property
    def noise_std(self) -> float:
        """Estimated standard deviation of a reward around its mean."""
        return sqrt(max(self._mean("square") - self._mean("variance"), 0.0)) if self.n else nan

    @property
    def bias(self) -> float:
        """Mean of reward less prediction."""
        return self._mean("error")

    @property
    def bias_error(self) -> float:
        """Standard error of `bias`."""
        return sqrt(max(self._mean("square") - self.bias**2, 0.0) / self._sums["weight"]) if self.n else nan

    @property
    def coverage(self) -> float:
        """The part of the rewards inside their intervals; 0.9 if predictions are calibrated."""
        return self._mean("covered", of="intervals")

    @property
    def innovation_std(self) -> float:
        """Root mean square of (y − m)/√(s² + noise²); 1 if predictions are calibrated."""
        return sqrt(self._mean("innovation", of="intervals"))

    @property
    def explained(self) -> float:
        """R²: the part of the rewards' variance that predictions explain; negative if they do worse than the mean."""
        variance = self._mean("reward_square") - self._mean("reward") ** 2
        return 1.0 - self._mean("square") / variance if variance > 0.0 else nan

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain data; None where there are too few rewards."""
        names = ("bias", "bias_error", "noise_std", "explained", "coverage", "innovation_std")
        figures = {name: getattr(self, name) for name in names}
        return {"n": self.n, **{name: None if isnan(value) else value for name, value in figures.items()}}


def learn_rows(agent: Agent, rows: LoggedRows) -> Calibration:
    """Observe all rewards in the order of the log; returns how good predictions of some of them were."""
    calibration, n, due = Calibration(), len(rows.rewards), _PREDICTED
    with Progress("fit", n) as progress:
        for start in range(0, n, _PREDICTED):
            part = slice(start, start + _PREDICTED)
            known = rows.contexts[part], rows.arms[part], rows.rewards[part]
            if start >= due:
                compare(agent, *known, calibration)
                due = round(_GROWTH * start)
            agent.observe_batch(*known)
            progress.show(start, f"{start:,} rewards")
    return calibration


def compare(agent: Agent, contexts: Array, arms: IntArray, rewards: Array, calibration: Calibration) -> None:
    """Compare rewards, shape (n,), with what is believed of them just before they are learned."""
    scores = agent._score(contexts)
    if scores is not None:
        played = np.arange(len(arms)), arms
        calibration.compare(scores.means[played], scores.deviations[played], rewards)
