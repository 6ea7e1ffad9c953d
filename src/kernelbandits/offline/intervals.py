"""Intervals of a value, from the scores of the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import sqrt
from typing import final

import numpy as np
from scipy import special
from scipy.optimize import brentq

from kernelbandits.errors import InvalidArgument
from kernelbandits.offline.interval import Interval
from kernelbandits.offline.score_sample import ScorePoints, ScoreSample
from kernelbandits.specs import Count, CountFromZero, Spec
from kernelbandits.types import Array

_NO_SPREAD, _FAR = 1e-6, 1e12
"""Scores of a resampled log with less than this share of the log's standard error are equal up to rounding."""
_MOST_STEPS, _ROUNDING = 60, 1e-13


class IntervalMethod(Spec, ABC):
    """How to make an interval of the mean of scores.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> evaluate(log, {"old": AlwaysArm("old")}, interval=NormalInterval()).method
    'normal interval'
    >>> print(evaluate(log, {"old": AlwaysArm("old")}).method)
    empirical likelihood: bounded rewards, rows independent (propensities are all equal)

    See also `evaluate`, `EmpiricalLikelihood`, `GammaInterval`.
    """

    __slots__ = ()

    @abstractmethod
    def interval(self, sample: ScoreSample, level: float) -> Interval:
        """The interval that holds the value with this probability."""

    @abstractmethod
    def words(self) -> str:
        """What it is, in a few words for a report."""


@final
@dataclass(frozen=True, slots=True)
class NormalInterval(IntervalMethod):
    """θ̂ ± z se, θ̂ = Σ h s/Σ h the mean of scores s by their importances h. Too short where few rows decide.

    With importances 1/σ̂ that are known before each reward it is the interval of Bibaut, Dimakopoulou, Kallus, Chambaz &
    van der Laan (2021) for logs of policies that learn, with σ̂ from the weights of the past.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> interval = evaluate(log, {"old": AlwaysArm("old")}, interval=NormalInterval())["old"].interval
    >>> print(f"{interval.low:.3f} to {interval.high:.3f}")
    0.402 to 0.598

    See also `evaluate`, `GammaInterval`, `StudentizedBootstrap`, `ConfidenceSequence`.
    """

    def interval(self, sample: ScoreSample, level: float) -> Interval:
        points = sample.points()
        half = float(special.ndtri(0.5 + 0.5 * level)) * points.standard_error
        return Interval(sample.value - half, sample.value + half)

    def words(self) -> str:
        return "normal interval"


@final
@dataclass(frozen=True, slots=True)
class EmpiricalLikelihood(IntervalMethod):
    """All values that some reweighting of the rows makes likely enough.

    Owen (1988); for importance weights Karampatziakis, Langford & Mineiro (2020). It is as lopsided as the scores are,
    so it suits rare rewards and unequal weights. Three things make it hold where few rows decide. One row with an
    extreme reward and a typical weight is added on the side that is bounded, as Clopper and Pearson's interval does, so
    that a log without a single success has an upper bound. The limit is that of Student's t with half the effective
    sample size as degrees of freedom. And the scores of a policy that learned are martingale differences, for which
    the likelihood ratio holds as well (dual likelihood, Mykland 1995).

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> interval = evaluate(log, {"old": AlwaysArm("old")}, interval=EmpiricalLikelihood())["old"].interval
    >>> print(f"{interval.low:.3f} to {interval.high:.3f}")
    0.395 to 0.605

    See also `evaluate`, `IntervalMethod`, `GammaInterval`, `NormalInterval`.
    """

    def interval(self, sample: ScoreSample, level: float) -> Interval:
        points = sample.points()
        freedom = max(0.5 * sample.effective_size, 1.0)
        limit = float(special.stdtrit(freedom, 0.5 + 0.5 * level)) ** 2
        low, high = (
            likelihood_bound(points.with_one(extreme), limit, end)
            for extreme, end in zip(sample.extremes, sample.limits, strict=True)
        )
        return Interval(min(low, sample.value), max(high, sample.value))

    def words(self) -> str:
        return "empirical likelihood"


@final
@dataclass(frozen=True, slots=True)
class StudentizedBootstrap(IntervalMethod):
    """Quantiles of (mean* − mean)/standard error* over resampled rows (Efron 1979; Hall 1988).

    It needs no bounds of rewards, and holds for large logs without extreme weights or skewed rewards. Where only a
    handful of rewards differ from the others, some resampled logs have none of them, and nothing is known of their
    spread. If these are too many to be left out at the level, an end is the bound of rewards, or infinite if none is
    known.

    Attributes:
        n_resamples: how often as many rows are drawn again; memory grows with it times the number of different scores.
        seed: of the draws; the same seed gives the same interval.

    >>> log = Log(None, [0, 1] * 100, [1, 0, 0, 1, 1, 0, 0, 0] * 25, [0.5] * 200, 2, ("old", "new"))
    >>> interval = evaluate(log, {"old": AlwaysArm("old")}, interval=StudentizedBootstrap(200))["old"].interval
    >>> print(f"{interval.low:.3f} to {interval.high:.3f}")
    0.409 to 0.595

    See also `evaluate`, `NormalInterval`, `ConfidenceSequence`, `RunningInterval`.
    """

    n_resamples: Count = 1000
    seed: CountFromZero = 0

    def interval(self, sample: ScoreSample, level: float) -> Interval:
        points, rng = sample.points(), np.random.default_rng(self.seed)
        n, center = float(points.counts.sum()), points.mean
        drawn = rng.multinomial(int(n), points.counts / n, size=self.n_resamples).astype(np.float64)
        sizes = drawn @ points.importances
        means = drawn @ (points.importances * points.values) / sizes
        squares = np.square(points.importances * points.values), points.importances**2 * points.values
        spread = drawn @ squares[0] - 2.0 * means * (drawn @ squares[1]) + means**2 * (drawn @ points.importances**2)
        errors, gaps = np.sqrt(np.maximum(spread, 0.0)) / sizes, means - center
        if points.standard_error == 0.0:
            return Interval(center, center)
        told = errors > _NO_SPREAD * points.standard_error
        ratios = np.divide(gaps, errors, out=np.sign(gaps) * _FAR, where=told)
        ends = np.quantile(ratios, [0.5 + 0.5 * level, 0.5 - 0.5 * level])
        ends = np.where(np.abs(ends) > 1e-3 * _FAR, np.sign(ends) * np.inf, ends)
        low, high = np.clip(center - ends * points.standard_error, *sample.limits).tolist()
        return Interval(min(low, center), max(high, center))

    def words(self) -> str:
        return "studentised bootstrap"


@final
@dataclass(frozen=True, slots=True)
class GammaInterval(IntervalMethod):
    """Quantiles of gamma distributions, for sums of rare positive scores (Fay & Feuer 1997; Tiwari, Clegg & Zou 2006).

    With m the mean of n scores s, v = Σ s²/n² and c the largest possible score over n: from the lower quantile of the
    gamma distribution with mean m and variance v to the upper one of that with m + c and v + c².
    Exact for counts with equal weights (Garwood 1936). Scores must not be negative, as those of `InversePropensity`
    for rewards of at least 0. So it is for a single value; `evaluate` also needs intervals of differences, which have
    negative scores, and refuses it. Three events in 100 rows:

    >>> from kernelbandits.offline.score_sample import ScoreSample
    >>> scores, ones = np.repeat([1.0, 0.0], [3, 97]), np.ones(100)
    >>> sample = ScoreSample(scores, ones, np.array([0, 100]), (0.0, 1.0), (0.0, 1.0), 100.0)
    >>> interval = GammaInterval().interval(sample, 0.95)
    >>> print(f"{interval.low:.4f} to {interval.high:.4f}")
    0.0062 to 0.0877

    See also `evaluate`, `EmpiricalLikelihood`, `NormalInterval`, `StudentizedBootstrap`.
    """

    def interval(self, sample: ScoreSample, level: float) -> Interval:
        if sample.scores.min(initial=0.0) < 0.0:
            raise InvalidArgument(
                "GammaInterval needs scores of at least 0, as those of InversePropensity; those of differences may be "
                "negative, so give evaluate(…) another interval, such as EmpiricalLikelihood()"
            )
        n, tail = len(sample), 0.5 - 0.5 * level
        mean, variance = float(sample.scores.mean()), float(np.square(sample.scores).sum()) / n**2
        one = sample.extremes[1] / n
        low = float(special.gammaincinv(mean**2 / variance, tail) * variance / mean) if mean > 0.0 else 0.0
        wide = variance + one**2
        high = float(special.gammaincinv((mean + one) ** 2 / wide, 1.0 - tail) * wide / (mean + one))
        return Interval(low, high)

    def words(self) -> str:
        return "gamma interval of rare rewards"


def likelihood_ratio(points: ScorePoints, value: float) -> float:
    """Return 2 max_λ Σ log(1 + λ uᵢ (yᵢ − value)) (Owen 1988, 2001 §2.9); ∞ if all values lie on one side."""
    factors = points.importances * (points.values - value)
    smallest, largest = float(factors.min()), float(factors.max())
    if smallest >= 0.0 or largest <= 0.0:
        return 0.0 if smallest == largest == 0.0 else np.inf
    scale = max(-smallest, largest)
    shares = factors / scale
    best = _best_bet(shares, points.counts, -scale / largest, -scale / smallest)
    return max(2.0 * float(points.counts @ np.log1p(best * shares)), 0.0)


def likelihood_bound(points: ScorePoints, limit: float, end: float) -> float:
    """Return the value between mean and `end` at which the likelihood ratio reaches the limit; `end` if it does not."""
    mean, step = points.mean, points.standard_error
    side = 1.0 if end > mean else -1.0
    rounding = _ROUNDING * float(np.abs(points.values).max())
    if step <= rounding or side * (end - mean) <= 0.0:  # equal scores tell nothing of their spread
        return end

    def excess(value: float) -> float:
        return min(sqrt(likelihood_ratio(points, value)), 1e6) - sqrt(limit)

    inside, outside = mean, mean + side * step
    for _ in range(_MOST_STEPS):
        if side * (outside - end) >= 0.0:
            outside = end
        if excess(outside) >= 0.0:
            return float(brentq(excess, inside, outside, xtol=1e-6 * step))
        if outside == end:
            return end
        inside, outside = outside, mean + 1.6 * (outside - mean)
    return end


def _best_bet(shares: Array, counts: Array, low: float, high: float) -> float:
    """Return λ in (low, high) at which Σ mᵢ sᵢ/(1 + λ sᵢ) = 0, by Newton's method within a shrinking bracket."""
    low, high = low * (1.0 - 1e-12), high * (1.0 - 1e-12)
    bet = float(counts @ shares) / float(counts @ np.square(shares))
    bet = min(max(bet, 0.9 * low), 0.9 * high)
    for _ in range(_MOST_STEPS):
        quotients = shares / (1.0 + bet * shares)
        slope = float(counts @ quotients)
        low, high = (bet, high) if slope > 0.0 else (low, bet)
        new = bet + slope / float(counts @ np.square(quotients))
        if not low < new < high:
            new = 0.5 * (low + high)
        if abs(new - bet) <= 1e-13 * max(abs(bet), 1e-300):
            return new
        bet = new
    return bet
