"""Propensities of Thompson sampling for many rounds at once."""

from __future__ import annotations

from math import pi, sqrt

import numpy as np

from kernelbandits.policies.propensities import LEAST, STEP, TAIL, certain, largest_probabilities, normal_distribution
from kernelbandits.types import Array, BoolArray

_PANELS = ((4, 8.0, 28), (8, 8.0, 32), (20, 8.0, 40))
"""Up to so many arms: the length of a panel in the smallest σ that matters there, and its points."""
_MANY = (STEP, 20)
"""The same for more arms, as for a single round."""
_ENTRIES = 2**17
"""Values of normal distributions that are held at a time: 1 MB, which stays in the cache."""


def batched_probabilities(mean: Array, std: Array, eligible: BoolArray | None) -> Array:
    """`largest_probabilities` of the eligible arms in each of B rounds, all arrays of shape (B, K).

    The same integral, on panels of the same kind: the first panels of all rounds, then the second ones of those that
    have not ended. Few arms need fewer points than `largest_probabilities` takes for up to 100, and the answers differ
    by less than 10⁻¹². A single round, and those in which an arm is certain, are left to it.
    """
    allowed = np.ones(mean.shape, dtype=np.bool_) if eligible is None else eligible
    widest = np.where(allowed, std, 0.0).max(axis=1, keepdims=True)
    alone = (certain(std, widest) & allowed).any(axis=1) | (len(mean) == 1)
    probabilities = np.zeros(mean.shape)
    for row in np.flatnonzero(alone):
        mask = allowed[row]
        probabilities[row, mask] = largest_probabilities(mean[row, mask], std[row, mask])
    together, (step, n_points) = np.flatnonzero(~alone), _panels(mean.shape[1])
    points, weights = _gauss_legendre(n_points)
    rows_at_once = max(1, _ENTRIES // (mean.shape[1] * n_points))
    for start in range(0, len(together), rows_at_once):
        rows = together[start : start + rows_at_once]
        means = np.where(allowed[rows], mean[rows], -np.inf).T  # what is not eligible has ended before the start
        with np.errstate(over="ignore"):  # arms that ended long before
            found = _integrals(means, np.where(allowed[rows], std[rows], 1.0).T, step, points, weights).T
        np.maximum(found, LEAST, out=found, where=allowed[rows])
        found /= found.sum(axis=1, keepdims=True)
        probabilities[rows] = found
    return probabilities


def _panels(n_arms: int) -> tuple[float, int]:
    return next(((step, n_points) for most, step, n_points in _PANELS if n_arms <= most), _MANY)


def _gauss_legendre(n_points: int) -> tuple[Array, Array]:
    """Points in [0, 1] and their weights, with the constant of the normal density."""
    nodes, weights = np.polynomial.legendre.leggauss(n_points)
    return 0.5 * (nodes + 1.0), weights / (2.0 * sqrt(2.0 * pi))


def _integrals(mean: Array, std: Array, step: float, points: Array, weights: Array) -> Array:
    """Probability that each arm is the largest, shape (K, B), before rounding is set right; every σ > 0."""
    mean = mean - mean.max(axis=0)  # first: a common level may be so large that σ is lost next to it
    low = (mean - TAIL * std).argmax(axis=0)[np.newaxis]
    mean = (mean - np.take_along_axis(mean, low, 0)) + TAIL * np.take_along_axis(std, low, 0)
    ends = mean + TAIL * std
    last, edges = ends.max(axis=0), np.zeros(mean.shape[1])
    probabilities, rows = np.zeros(mean.shape), np.arange(mean.shape[1])
    while len(rows):
        edge, widths, stop = edges[rows], std[:, rows], last[rows]
        narrowest = np.where(ends[:, rows] > edge, widths, np.inf).min(axis=0)
        edges[rows] = np.minimum(edge + step * narrowest, stop)
        lengths = (edges[rows] - edge)[:, np.newaxis]
        u = (edge[:, np.newaxis] + lengths * points) - mean[:, rows, np.newaxis]
        u /= widths[:, :, np.newaxis]
        below = normal_distribution(u)  # at least Φ(−8) everywhere, so dividing by it is safe
        together = below.prod(axis=0)
        together *= lengths * weights
        np.multiply(u, u, out=u)
        u *= -0.5
        np.exp(u, out=u)
        u /= below
        probabilities[:, rows] += np.vecdot(u, together)
        rows = rows[edges[rows] < stop]
    probabilities /= std
    return probabilities
