"""Exact propensities of Thompson sampling, which plays the largest of independent normal draws."""

from __future__ import annotations

from bisect import bisect_right
from math import pi, sqrt

import numpy as np

from kernelbandits.policies.learner import Choice
from kernelbandits.policies.selection import mask_scores, tie_margin
from kernelbandits.types import Array, BoolArray

TAIL = 8.0  # standard deviations; Φ(−8) is below 10⁻¹⁵
STEP = 3.0  # length of a panel in units of the smallest standard deviation that matters there
_CERTAIN = 1e-100  # a standard deviation that much smaller than the largest is 0
LEAST = 1e-16  # probabilities below are not told from 0, but what can happen must not be stated as impossible

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_POINTS = 0.5 * (_NODES + 1.0)
_WEIGHTS /= 2.0 * sqrt(2.0 * pi)  # for [0, 1], with the constant of the normal density


def largest_probabilities(mean: Array, std: Array) -> Array:
    """Probability that each of K independent normals N(μᵢ, σᵢ²) is the largest, shape (K,).

    pᵢ = ∫ φ((x − μᵢ)/σᵢ)/σᵢ Π_{j≠i} Φ((x − μⱼ)/σⱼ) dx by Gauss–Legendre panels, all arms on one set of points. The
    absolute error is below 10⁻¹⁰ for up to 100 arms, whatever the ratios of the σ. A variable with σ = 0 is its mean;
    equal ones of these share their probability. What can be the largest has a probability of at least 10⁻¹⁶, and the
    sum is 1 up to rounding.

    Cost: O(K log K) plus about 20 points per panel and arm; 6 panels if all σ are equal, and a few more for each power
    of ten between the smallest and the largest that matter.

    Args:
        mean: μ, shape (K,).
        std: standard deviations σ, not variances, shape (K,).

    >>> largest_probabilities(np.array([0.0, 1.0]), np.array([1.0, 1.0])).round(4)
    array([0.2398, 0.7602])

    See also `Policy`, `Problem`, `Scores`.
    """
    constant = certain(std, std.max())
    if not constant.any():
        probabilities = _above(-np.inf, mean, std)
        np.maximum(probabilities, LEAST, out=probabilities)
        probabilities /= probabilities.sum()
        return probabilities
    probabilities = np.zeros(len(mean))
    best = float(mean[constant].max())
    tied = constant & (mean >= best - tie_margin(mean, best))
    random = np.flatnonzero(~constant)
    probabilities[random] = _above(best, mean[random], std[random])
    probabilities[tied] = np.prod(normal_distribution((best - mean[random]) / std[random])) / np.count_nonzero(tied)
    np.maximum(probabilities, LEAST, out=probabilities, where=tied | ~constant)
    probabilities /= probabilities.sum()
    return probabilities


def normal_distribution(z: Array) -> Array:
    """Φ(z), elementwise."""
    from scipy.special import ndtr  # slow to import, and few policies need it

    values: Array = ndtr(z)
    return values


def normal_quantiles(tails: Array) -> Array:
    """Φ⁻¹(1 − tail), but at least 0, elementwise."""
    from scipy.special import ndtri

    values: Array = ndtri(tails)
    np.negative(values, out=values)
    return np.maximum(values, 0.0, out=values)


def _above(least: float, mean: Array, std: Array) -> Array:
    """Probability that each is the largest and above `least`; every σ > 0; shape (K,).

    Points are measured from ℓ = max (μ − 8σ), below which the largest never is. A variable that reaches beyond ℓ + y
    has σ > y/16: narrow ones end near ℓ, so panels may grow with y, and nothing is lost to rounding.
    """
    probabilities = np.zeros(len(mean))
    if not len(mean):
        return probabilities
    best = mean.item(mean.argmax())
    mean, least = mean - best, least - best  # first: a common level may be so large that σ is lost next to it
    low = int((mean - TAIL * std).argmax())
    means = (mean - mean[low]) + TAIL * std[low]
    start = max(0.0, float(least - mean[low]) + TAIL * float(std[low]))
    kept = np.flatnonzero(means + TAIL * std > start)
    if not len(kept):
        return probabilities
    means, std = means[kept], std[kept]
    edges = _edges(start, means + TAIL * std, std)
    lengths = np.diff(edges)[:, np.newaxis]
    x = (edges[:-1, np.newaxis] + lengths * _POINTS).ravel()
    u = (x[:, np.newaxis] - means) / std
    below = normal_distribution(u)  # at least Φ(−8) everywhere, so dividing by it is safe
    together = below.prod(axis=1) * (lengths * _WEIGHTS).ravel()
    np.multiply(u, u, out=u)
    u *= -0.5
    np.exp(u, out=u)
    u /= below
    probabilities[kept] = (together @ u) / std
    return probabilities


def _edges(start: float, ends: Array, std: Array) -> Array:
    """Edges of panels from `start` to the last end, each as long as the narrowest variable not yet ended allows."""
    order = ends.argsort()
    stops = ends[order].tolist()
    narrowest = np.minimum.accumulate(std[order][::-1])[::-1].tolist()
    edges = [start]
    while edges[-1] < stops[-1]:
        step = STEP * narrowest[bisect_right(stops, edges[-1])]
        edges.append(min(edges[-1] + step, stops[-1]))
    return np.array(edges)


def pick_sampled(
    mean: Array, std: Array, eligible: BoolArray | None, rng: np.random.Generator, scale: float = 1.0
) -> Choice:
    """Thompson sampling: the eligible arm with the largest of independent draws from N(meanᵢ, scale² stdᵢ²).

    Its propensity is exact (`largest_probabilities` of the eligible arms). K normals are drawn whatever the mask.
    """
    std = scale * std
    allowed = np.arange(len(mean)) if eligible is None else np.flatnonzero(eligible)
    deviations = std * rng.standard_normal(len(mean))
    draws = mask_scores(mean + deviations, eligible)
    tie_margin(draws, draws.item(draws.argmax()))  # refuses NaN
    # Compared without the common level, next to which deviations may be lost: all draws would be equal.
    arm = int(mask_scores(mean - mean[allowed].max() + deviations, eligible).argmax())
    constant = allowed[certain(std[allowed], std[allowed].max())]
    if arm in constant:
        tied = constant[mean[constant] >= mean[arm] - tie_margin(mean[allowed], mean.item(arm))]
        arm = int(rng.choice(tied)) if len(tied) > 1 else arm
    probabilities = np.zeros(len(mean))
    probabilities[allowed] = largest_probabilities(mean[allowed], std[allowed])
    propensity = min(float(probabilities[arm]), 1.0)
    return Choice(arm, propensity, draws, bool(mean[arm] < mean[allowed].max()), probabilities)


def certain(std: Array, widest: float | Array) -> BoolArray:
    """Which variables are constant, next to the largest of all σ."""
    constant: BoolArray = std <= _CERTAIN * widest
    return constant
