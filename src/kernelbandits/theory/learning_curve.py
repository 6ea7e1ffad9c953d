"""A learning curve from a pilot sample: correlation of leave-one-out predictions and rewards against sample size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.kernels import Kernel
from kernelbandits.types import Array, IntArray

_MOST_POINTS = 200
_MOST_SIZES = 10
_MOST_WINDOWS = 8
_SMALLEST = 1e-6


@final
@dataclass(frozen=True, slots=True, eq=False)
class LearningCurve:
    """1 − ρ²(N) ≈ a N^−b: the share of the variance of rewards that a fit to N draws per arm leaves unexplained.

    ρ is the correlation of leave-one-out predictions and rewards over all arms. It is used instead of the error because
    a factor common to all predictions does not change which arm is best (an interpolator shrinks towards 0 far from
    its data).

    Attributes:
        sizes: N, shape (s,).
        unexplained: 1 − ρ² measured at those sizes, shape (s,).
        coefficient: a.
        exponent: b, at least 0.

    """

    sizes: IntArray
    unexplained: Array
    coefficient: float
    exponent: float

    def correlation(self, n: Array | IntArray) -> Array:
        """ρ(N) of the fitted curve for N ≥ 1, elementwise."""
        explained = 1.0 - self.coefficient * np.asarray(n, dtype=np.float64) ** -self.exponent
        return np.sqrt(np.clip(explained, 0.0, 1.0))


def pair_sums(kernel: Kernel, X: Array, y: Array, sizes: IntArray, ridge: float) -> Array:
    """Sums of (1, p, y, p², y², py) over the leave-one-out pairs (p, y) of one arm at each size, shape (s, 6).

    Each size N is tried on up to eight windows of N + 1 consecutive points; it gives 0 if the arm has fewer points.
    """
    from kernelbandits.regression import leave_one_out  # only a sample with rewards needs regression

    n = len(y)
    sums = np.zeros((len(sizes), 6))
    for row, size in enumerate(sizes):
        width = int(size) + 1
        if width > n:
            continue
        n_windows = 1 if width == n else min(n, _MOST_WINDOWS)
        for start in np.unique(np.linspace(0, n - width, n_windows).round().astype(np.int64)):
            window = slice(start, start + width)
            p, target = leave_one_out(kernel, X[window], y[window], ridge), y[window]
            sums[row] += [width, p.sum(), target.sum(), p @ p, target @ target, p @ target]
    return sums


def curve_sizes(largest_arm: int) -> IntArray:
    """At most ten sizes N from 1 to n − 1, evenly spaced in log N."""
    top = min(largest_arm, _MOST_POINTS) - 1
    return np.unique(np.geomspace(1, top, min(top, _MOST_SIZES)).round().astype(np.int64))


def fit_curve(sizes: IntArray, arms: Sequence[Array] | Array) -> LearningCurve:
    """Fit the curve to the pooled correlations: least squares in logarithms, each size weighted by its pairs."""
    total = np.sum(arms, axis=0)
    seen = total[:, 0] > 0
    count, p, y, pp, yy, py = total[seen].T
    covariance = py / count - p * y / count**2
    spread = (pp / count - (p / count) ** 2) * (yy / count - (y / count) ** 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.where(spread > 0, covariance / np.sqrt(np.maximum(spread, 0.0)), 0.0)
    unexplained = np.clip(1.0 - np.maximum(correlation, 0.0) ** 2, _SMALLEST, 1.0)
    sizes = sizes[seen]
    x, target = np.log(sizes), np.log(unexplained)
    center = np.average(x, weights=count)
    level = np.average(target, weights=count)
    scatter = float(count @ (x - center) ** 2)
    slope = float(count @ ((x - center) * (target - level))) / scatter if scatter > 0 else 0.0
    exponent = max(-slope, 0.0)
    return LearningCurve(sizes, unexplained, float(np.exp(level + exponent * center)), exponent)
