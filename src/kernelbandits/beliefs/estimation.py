"""Estimating the kernel and the ridge of a belief from the rewards, by the marginal likelihood.

With K = Q diag(λ) Qᵀ and u = Qᵀy the most likely amplitude of n values is s² = (1/n) Σ uⱼ²/(λⱼ + ridge): the mean of
the squared standardised innovations. The log likelihood is then −½ (n ln s² + Σ ln(λⱼ + ridge)), up to a constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt
from typing import TypeAlias, TypeVar

import numpy as np

from kernelbandits.beliefs.levels import rounding
from kernelbandits.kernels import Gaussian, Geometry, Kernel, Radial
from kernelbandits.linalg import TINY
from kernelbandits.types import Array

K = TypeVar("K", bound=Kernel)
Spectrum: TypeAlias = tuple[Array, Array]
"""Eigenvalues λ of an arm's Gram matrix and the squares of Qᵀy, both of shape (n,)."""

BANDWIDTHS = (4.0, 1.0, 0.25, 0.0625)
"""With m = 4 two typical contexts are nearly uncorrelated, with m = 1/16 functions are nearly linear."""

CONSTANT = 1e-100
"""A γ with exp(−γ t) = 1 for all possible contexts."""

RIDGES: Array = 10.0 ** np.linspace(-6.0, 2.0, 17)
"""Candidate noise variances in units of the squared amplitude, half a decade apart."""

_GROWTH = 1.5
_WINDOW_PARTS = 8
_MAD = 1.4826  # standard deviation of a normal, in units of its median absolute deviation
_PRIOR_DECADES = 2.0
_ENOUGH = 300

LOG_PRIOR: Array = -0.5 * (np.log10(RIDGES) / _PRIOR_DECADES) ** 2
"""Log prior of `RIDGES`: normal in decades around 1, so that a single reward per arm is not taken as exact."""


def spectrum(kernel: Kernel, X: Array, y: Array) -> Spectrum:
    """The Gram spectrum of one arm, O(n³)."""
    values, vectors = np.linalg.eigh(kernel.gram(X))
    return np.maximum(values, 0.0), (vectors.T @ y) ** 2


def log_evidence(spectra: Sequence[Spectrum]) -> Array:
    """Log likelihood of all arms together for every ridge of `RIDGES`, each with its most likely common amplitude."""
    values, squares = map(np.concatenate, zip(*spectra, strict=True))
    variances = values[:, np.newaxis] + RIDGES
    amplitudes = np.maximum((squares[:, np.newaxis] / variances).mean(axis=0), TINY)
    evidence: Array = -0.5 * (len(values) * np.log(amplitudes) + np.log(variances).sum(axis=0))
    return evidence


def best_kernel(kernels: Sequence[K], arms: Sequence[tuple[Array, Array]]) -> tuple[K, Array]:
    """The kernel that explains the contexts and rewards of arms best, and the log posterior of `RIDGES`."""
    posteriors = [log_evidence([spectrum(kernel, X, y) for X, y in arms]) + LOG_PRIOR for kernel in kernels]
    best = int(np.argmax([posterior.max() for posterior in posteriors]))
    return kernels[best], posteriors[best]


def candidates(bandwidths: Sequence[float], kernels: Sequence[Kernel], contexts: Sequence[Array]) -> list[Kernel]:
    """exp(−m t/t̄) for each m in `bandwidths`, then `kernels`; t = ‖x − z‖²/d, and t̄ is its `typical_distance`.

    If there is no such distance, exp(−m t/t̄) is 1: nothing is known of the unit of contexts.
    """
    if not bandwidths:
        return [*kernels]
    typical = typical_distance(contexts)
    if typical is None:
        return [Gaussian(CONSTANT), *kernels]
    return [*(Gaussian(multiple / typical) for multiple in bandwidths), *kernels]


def typical_distance(contexts: Sequence[Array], geometry: Geometry = Radial()) -> float | None:  # noqa: B008
    """The median distance t over pairs of different contexts that a kernel compares, of a sample if they are many.

    The contexts come in groups, arrays of shape (n, d). Pairs within a group count: arms of different groups are not
    compared, so it does not matter how far apart they are. None if there is no such pair.
    """
    some = [X[_sample(len(X), len(contexts))] for X in contexts]
    return median_distance([geometry.evaluate(geometry.left(X), geometry.right(X)) for X in some])


def median_distance(distances: Sequence[Array]) -> float | None:
    """`typical_distance`, given the distances within each group, arrays of shape (n, n)."""
    samples = [_sample(len(t), len(distances)) for t in distances]
    some = [t[rows, rows] for t, rows in zip(distances, samples, strict=True)]
    positive = np.concatenate([t[t > 0.0] for t in some])
    return float(np.median(positive)) if len(positive) else None


def _sample(n: int, n_groups: int) -> slice:
    """Which of n contexts of a group to compare, so that pairs are not too many; all of a sample."""
    return slice(None, None, -(-n // ceil(_ENOUGH / sqrt(n_groups))))


def clipped(reward: float, mean: float, reach: float) -> float:
    """The reward, moved to within `reach` of its predicted mean; unchanged if there is no deviation to compare with."""
    return min(max(reward, mean - reach), mean + reach) if reach > 0.0 else reward


def clipped_first(rewards: Array, clip: float) -> Array:
    """Rewards without predictions, clipped to median ± clip · 1.4826 · median absolute deviation; shape (n,).

    They are unchanged if that deviation is 0 up to rounding.
    """
    middle = np.median(rewards)
    deviation = np.median(np.abs(rewards - middle))
    reach = clip * _MAD * deviation
    differ = deviation > rounding(float(np.abs(rewards).max()))
    return np.clip(rewards, middle - reach, middle + reach) if differ else rewards


def next_estimate(seen: int, window: int | None = None) -> int:
    """The number of rewards at which to estimate next: half as many again, sooner if a window has to move."""
    grown = ceil(_GROWTH * seen)
    return grown if window is None else min(grown, max(window, seen + ceil(window / _WINDOW_PARTS)))
