"""The empirical likelihood ratio of a mean, and where it reaches a limit."""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.optimize import brentq

from kernelbandits.offline.score_sample import ScorePoints
from kernelbandits.types import Array

_NEWTON = 60
_DOUBLINGS = 60
_ROUNDING = 1e-13


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
    for _ in range(_DOUBLINGS):
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
    for _ in range(_NEWTON):
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
