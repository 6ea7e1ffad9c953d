"""An interval that may be looked at after every reward.
If a stated mean is true, the capital of a gambler who bets against it is a supermartingale of mean at most 1, so it
ever reaches 1/α with a probability of at most α (Ville).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.special import betaln, gammainc, gammaln, xlog1py, xlogy

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.offline.interval import Interval
from kernelbandits.specs import Probability, Spec
from kernelbandits.types import Array, ArrayLike, IntArray

_STEPS, _POINTS = 6, 65
"""Bounds are searched on grids, each 64 times as fine as the last."""

_PRIOR = 3.0
"""ρ: bets are best when the sum of squares is about ten times as much, in squared units of the range."""

_CENTRES = ("lower", "upper", "centred")
_SUMS = ("rewards", "weights", *(f"{kind} {side}" for side in _CENTRES for kind in ("sum", "squares")))


@final
@dataclass(frozen=True, slots=True)
class ConfidenceSequence(Spec):
    """An always-valid interval of a mean reward: whoever looks at it every day is misled at most as often as stated.

    `ConfidenceSequence().start()` gives a `RunningInterval`, which observes rewards, one by one or many at a time, and
    answers with an interval at any time. With a probability of at least `level` the mean is in all of these intervals
    at once, however often one looks, and also if looking decides when to stop. Use it for a page that is looked at
    every day: rewards of an arm or of a policy as they come (weights of 1), or what another policy would have earned
    (weights π(a|x)/h(a|x), where h may have learned while it logged).

    Rewards must be bounded; nothing else is assumed of them but that each has the same mean, given the past. The
    capital of a gambler who bets against a mean tells whether the mean is ruled out (Waudby-Smith & Ramdas 2024;
    Waudby-Smith, Wu, Ramdas, Karampatziakis & Mineiro 2022). The bets are mixtures, so there is nothing to tune.

    Attributes:
        level: probability with which all intervals hold.
        low, high: the smallest and the largest possible reward.
        largest_weight: no weight will be larger; 1/ε if the log was written with a floor of ε. 1 means plain means.

    >>> running = ConfidenceSequence().start()
    >>> for reward in [1.0, 0.0, 1.0, 1.0] * 25:
    ...     running.observe(reward)
    >>> running.n, running.mean
    (100, 0.75)
    >>> print(f"{running.interval.low:.2f} to {running.interval.high:.2f}")
    0.59 to 0.88

    See also `evaluate`, `StudentizedBootstrap`, `RunningInterval`, `NormalInterval`.
    """

    level: Probability = 0.95
    low: float = 0.0
    high: float = 1.0
    largest_weight: float = 1.0

    def _validate(self) -> None:
        if not self.low < self.high:
            raise InvalidArgument(f"ConfidenceSequence: low must be below high; got {self.low:g} and {self.high:g}")
        if self.largest_weight < 1.0:
            raise InvalidArgument(
                f"ConfidenceSequence: largest_weight must be at least 1, as weights have mean 1; "
                f"got {self.largest_weight:g}"
            )

    def start(self) -> RunningInterval:
        """Begin with no rewards: the interval is all that is possible."""
        return RunningInterval(self)


@final
class RunningInterval:
    """The interval of a `ConfidenceSequence` as rewards come: a dozen numbers, however many rewards.

    Each costs less than a millisecond, and many rewards at once a microsecond each. The sums are plain numbers: keep
    them anywhere, and go on with `RunningInterval(spec, n, sums)`.

    Attributes:
        spec: its level, and the bounds of rewards and weights.
        n: number of rewards so far.
        sums: totals of what was observed, in units in which rewards lie in [0, 1]; None begins with none.

    >>> running = ConfidenceSequence().start()
    >>> running.observe(np.array([0.0, 1.0, 1.0]))
    >>> again = RunningInterval(running.spec, running.n, running.sums)
    >>> again.observe(1.0)
    >>> again.n, again.mean
    (4, 0.75)

    See also `evaluate`, `ConfidenceSequence`, `StudentizedBootstrap`.
    """

    __slots__ = ("n", "spec", "sums")

    def __init__(self, spec: ConfidenceSequence, n: int = 0, sums: Mapping[str, float] | None = None) -> None:
        self.spec = spec
        self.n = n
        self.sums = dict.fromkeys(_SUMS, 0.0) if sums is None else {name: float(sums[name]) for name in _SUMS}

    def observe(self, rewards: ArrayLike, weights: ArrayLike = 1.0) -> None:
        """Observe one reward, or several in their order, with their weights π(a|x)/h(a|x); 1 for a plain mean."""
        given = np.atleast_1d(checks.array_of("rewards", rewards, "numbers"))
        r = checks.finite_array("rewards", given, (None,), "one number per row")
        each = checks.array_of("weights", weights, "numbers")
        w = checks.finite_array(
            "weights", np.full(r.shape, each) if each.ndim == 0 else each, r.shape, "one number per reward"
        )
        spec = self.spec
        if (bad := (r < spec.low) | (r > spec.high)).any():
            row = int(bad.argmax())
            raise InvalidArgument(
                f"rewards must be from {spec.low:g} to {spec.high:g}, as ConfidenceSequence was told; entry {row} is "
                f"{r[row]:g}. State larger bounds, or clip rewards before anything is looked at"
            )
        if (bad := (w < 0.0) | (w > spec.largest_weight * (1.0 + 1e-9))).any():
            row = int(bad.argmax())
            raise InvalidArgument(
                f"weights must be from 0 to largest_weight={spec.largest_weight:g}; entry {row} is {w[row]:g}. State "
                "what the smallest propensity allows: ConfidenceSequence(largest_weight=1/floor)"
            )
        self._add((r - spec.low) / (spec.high - spec.low), w)

    @property
    def mean(self) -> float:
        """The mean of weighted rewards so far; NaN before the first."""
        return self._in_units(self.sums["sum centred"] / self.n) if self.n else float("nan")

    @property
    def interval(self) -> Interval:
        """The interval now."""
        low, high = _bounds(self.sums, self.n, self.spec) if self.n else (0.0, 1.0)
        return Interval(self._in_units(low), self._in_units(high))

    def _in_units(self, value: float) -> float:
        return self.spec.low + (self.spec.high - self.spec.low) * value

    def _add(self, r: Array, w: Array) -> None:
        self.sums = {name: float(values[-1]) for name, values in running_sums(self.sums, self.n, r, w).items()}
        self.n += len(r)


def running_sums(sums: Mapping[str, float], n: int, r: Array, w: Array) -> dict[str, Array]:
    """Return the sums after each of further rewards r in [0, 1] with weights w, each of shape (m,); n came before.

    Three unbiased scores w(r − q) + q of each reward are summed: with q = 0, which is never below 0; with q = 1, never
    above 1; and with q the mean so far, which varies least. `squares` are those of their distances from the mean of the
    earlier ones.
    """
    rewards, weights = sums["rewards"] + np.cumsum(w * r), sums["weights"] + np.cumsum(w)
    q = np.minimum((0.5 + rewards - w * r) / (1.0 + weights - w), 1.0)
    new, seen = {"rewards": rewards, "weights": weights}, n + np.arange(len(r))
    for side, center in zip(_CENTRES, (np.zeros(1), np.ones(1), q), strict=True):
        scores = w * (r - center) + center
        total = sums[f"sum {side}"] + np.cumsum(scores)
        predicted = np.clip((0.5 + total - scores) / (1.0 + seen), 0.0, 1.0)
        new |= {
            f"sum {side}": total,
            f"squares {side}": sums[f"squares {side}"] + np.cumsum(np.square(scores - predicted)),
        }
    return new


def log_capitals(
    sums: Mapping[str, Array] | Mapping[str, float], n: IntArray | int, mean: Array | float, largest_weight: float
) -> tuple[Array, Array]:
    """Return the log capitals won by betting that the mean is larger than stated, and that it is smaller.

    The gamblers start with 1 together. A quarter bets on scores that are bounded below, a quarter on those bounded
    above, whatever the weights; half bets on the centred scores, or on coins where all weights are 1.
    """
    nu = np.asarray(mean, dtype=np.float64)
    if largest_weight == 1.0:
        coins = np.log(2.0) + beta_capital(sums["rewards"], n, nu)
        below = n * nu < sums["rewards"]
        more, less = np.where(below, coins, -np.inf), np.where(below, -np.inf, coins)
    else:
        excess = (sums["sum centred"] - n * nu) / largest_weight
        squares = np.asarray(sums["squares centred"]) / largest_weight**2
        more, less = gamma_exponential_capital(excess, squares), gamma_exponential_capital(-excess, squares)
    larger = gamma_exponential_capital(sums["sum lower"] - n * nu, sums["squares lower"])
    smaller = gamma_exponential_capital(n * nu - sums["sum upper"], sums["squares upper"])
    share = np.log(0.25)
    return np.asarray(share + np.logaddexp(larger, more)), np.asarray(share + np.logaddexp(smaller, less))


def gamma_exponential_capital(excess: Array | float, squares: Array | float) -> Array:
    """Return log ∫ exp(λ s − ψ(λ) v) dF(λ), ψ(λ) = −log(1 − λ) − λ, for F with density ∝ (1−λ)^(ρ−1) exp(ρλ) on [0, 1).

    s = Σ(yᵢ − ν) is the excess over a stated mean ν, v = Σ(yᵢ − ŷᵢ)² with ŷᵢ predicted from the past and ŷᵢ − yᵢ ≤ 1.
    Then exp(λ s − ψ(λ) v) is a supermartingale (Fan, Grama & Liu 2015), and so is the mixture (Howard, Ramdas,
    McAuliffe & Sekhon 2021, Proposition 9). Where the excess is negative nothing was won, and −∞ is returned.
    """
    s, v = np.maximum(excess, 0.0), np.asarray(squares, dtype=np.float64)
    a, b, x = _PRIOR, v + _PRIOR, s + v + _PRIOR
    start = a * np.log(a) - gammaln(a) - np.log(gammainc(a, a))
    with np.errstate(divide="ignore"):
        log_capital = start + gammaln(b) + np.log(gammainc(b, x)) - b * np.log(x) + s + v
    return np.where(np.asarray(excess) > 0.0, log_capital, -np.inf)


def beta_capital(total: Array | float, n: IntArray | int, mean: Array | float) -> Array:
    """Return log B(½ + s, ½ + n − s)/B(½, ½) − s log ν − (n − s) log(1 − ν) for the sum s of n numbers in [0, 1].

    It is the mixture of all likelihood ratios against ν of coins (Robbins 1970), here also for numbers between 0 and 1:
    log(1 + λ(y − ν)) is concave in y, so a gambler wins at least what a coin of the same sum gives.
    """
    s, rest = np.asarray(total, dtype=np.float64), np.asarray(n - np.asarray(total), dtype=np.float64)
    against = xlogy(s, mean) + xlog1py(rest, -np.asarray(mean, dtype=np.float64))
    return np.asarray(betaln(0.5 + s, 0.5 + rest) - betaln(0.5, 0.5) - against)


def capitals_along(spec: ConfidenceSequence, rewards: Array, weights: Array, mean: float) -> Array:
    """Return the larger capital against a mean after each reward, shape (n,): the mean is outside where it is 1/α."""
    unit = spec.high - spec.low
    sums = running_sums(dict.fromkeys(_SUMS, 0.0), 0, (rewards - spec.low) / unit, weights)
    both = log_capitals(sums, 1 + np.arange(len(rewards)), (mean - spec.low) / unit, spec.largest_weight)
    return np.asarray(np.exp(np.minimum(np.maximum(*both), 700.0)))


def _bounds(sums: Mapping[str, float], n: int, spec: ConfidenceSequence) -> tuple[float, float]:
    """Return the means at which the capitals reach 1/α: the first falls in the mean, the second rises."""
    limit, low, high = -np.log(1.0 - spec.level), (0.0, 1.0), (0.0, 1.0)
    for _ in range(_STEPS):
        grid = np.linspace(*low, _POINTS)
        out = int((log_capitals(sums, n, grid, spec.largest_weight)[0] >= limit).sum())  # the first so many
        low = (grid[max(out - 1, 0)], grid[min(out, _POINTS - 1)])
        grid = np.linspace(*high, _POINTS)
        out = int((log_capitals(sums, n, grid, spec.largest_weight)[1] >= limit).sum())  # the last so many
        high = (grid[max(_POINTS - 1 - out, 0)], grid[min(_POINTS - out, _POINTS - 1)])
    return (float(low[0]), float(high[1])) if low[0] <= high[1] else (float(high[1]), float(low[0]))
