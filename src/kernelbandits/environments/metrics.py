"""Regret and its uncertainty."""

from __future__ import annotations

import numpy as np

from kernelbandits.specs import NonNegative, conform
from kernelbandits.types import Array


def mean_and_standard_error(values: Array, axis: int = 0) -> tuple[Array, Array]:
    """Return the mean over the seeds and its standard error s/√n; the error is NaN for a single seed."""
    n = values.shape[axis]
    mean = values.mean(axis=axis)
    if n < 2:
        return mean, np.full_like(mean, np.nan)
    return mean, values.std(axis=axis, ddof=1) / np.sqrt(n)


def ratio_and_standard_error(first: Array, second: Array) -> tuple[float, float]:
    """Return the ratio r of the means of `first` and `second`, paired by seed, and its standard error (or NaN).

    To first order the error of r is that of the mean of aᵢ − r bᵢ, divided by the mean of b.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.divide(first.mean(), second.mean())
        _, error = mean_and_standard_error(first - ratio * second)
        return float(ratio), float(np.divide(error, second.mean()))


def lenient_regret(regrets: Array, delta: float) -> Array:
    """Return R_Δ(t) = Σ_{s ≤ t} Φ_Δ(r(s)), Φ_Δ(a) = max(a − Δ, 0), for regrets of shape (seeds, T); shape (T,).

    r(s) is an expectation, so regrets are averaged over seeds before the threshold is applied.
    """
    delta = conform(delta, NonNegative, "delta")
    expected = np.atleast_2d(regrets).mean(axis=0)
    return np.cumsum(np.maximum(expected - delta, 0.0))
