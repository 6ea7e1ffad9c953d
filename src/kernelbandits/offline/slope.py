"""Thresholds chosen by Lepski's principle: as little variance as possible without a bias that shows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelbandits.types import Array

_GRID = 12
_WIDTH = 0.5
"""Intervals of ± this many standard errors must meet, so that bias stays below about one of them."""


def chosen_threshold(threshold: float | None, weights: Array, scores: Callable[[float], Array]) -> Array:
    """Return the scores at the threshold, or at the one that SLOPE chooses (Su, Srinath & Krishnamurthy 2020).

    Thresholds are quantiles of the weights. From the largest, which has the least bias, to smaller ones: the last whose
    interval meets those of all before is taken.
    """
    if threshold is not None:
        return scores(threshold)
    positive = weights[weights > 0.0]
    if not len(positive):
        return scores(1.0)
    shares = 1.0 - np.geomspace(1.0 / max(len(positive), 2), 0.5, _GRID - 1)
    grid = np.unique(np.append(np.quantile(positive, shares), positive.max()))[::-1]
    best, low, high = scores(float(grid[0])), -np.inf, np.inf
    for limit in grid.tolist():
        candidate = scores(limit)
        half = _WIDTH * float(candidate.std()) / np.sqrt(len(candidate))
        mean = float(candidate.mean())
        low, high = max(low, mean - half), min(high, mean + half)
        if low > high:
            break
        best = candidate
    return best
