"""Thresholds chosen by Lepski's principle: as little variance as possible without a bias that shows."""

from collections.abc import Callable

import numpy as np

from kernelbandits.types import Array

_GRID = 12


def chosen_threshold(threshold: float | None, weights: Array, scores: Callable[[float], Array]) -> Array:
    """Return the scores at the threshold, or at the one that Lepski's principle chooses.

    SLOPE (Su, Srinath & Krishnamurthy 2020) takes the smallest threshold whose interval meets those of all larger ones.
    That allows a bias of a standard error even where nothing is won by it. Here thresholds, quantiles of the weights,
    are lowered as long as the mean has moved, from each of the larger ones, by no more than its standard error fell.
    """
    if threshold is not None:
        return scores(threshold)
    positive = weights[weights > 0.0]
    if not len(positive):
        return scores(1.0)
    shares = 1.0 - np.geomspace(1.0 / max(len(positive), 2), 0.5, _GRID - 1)
    grid = np.unique(np.append(np.quantile(positive, shares), positive.max()))[::-1]
    best = scores(float(grid[0]))
    means, errors = [float(best.mean())], [_error(best)]
    for limit in grid[1:].tolist():
        lower = scores(limit)
        mean, error = float(lower.mean()), _error(lower)
        if np.any(np.abs(mean - np.array(means)) > np.array(errors) - error):
            break
        best = lower
        means.append(mean)
        errors.append(error)
    return best


def _error(scores: Array) -> float:
    return float(scores.std() / np.sqrt(len(scores)))
