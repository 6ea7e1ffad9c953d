"""Which kernel, level variance and noise explain the rewards of independent arms best: by the marginal likelihood.

The rewards of an arm less its level are N(0, s² (K + o 11ᵀ + r I)). With K = Q diag(λ) Qᵀ, u = Qᵀy and e = Qᵀ1, all
noise shares r and level variances o need one eigenvalue problem: yᵀA⁻¹y = S_yy − S_1y²/(1/o + S_11) and
ln det A = Σ ln(λ + r) + ln(1 + o S_11) with S_ab = Σ a b/(λ + r). The squared amplitude s² has a scaled inverse χ²
prior with `PRIOR_REWARDS` degrees of freedom, such that the prior variance of a reward is that of all rewards, and is
integrated out.
"""

from __future__ import annotations

from math import exp, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np

from kernelbandits.beliefs.estimation import RIDGES, typical_distance
from kernelbandits.beliefs.rescaled_gaussian import GeometricGaussian, Units
from kernelbandits.kernels import Geometry, Kernel, Radial, Scaled, Shifted
from kernelbandits.linalg import TINY
from kernelbandits.types import Array

MULTIPLES = (4.0, 1.0, 0.25, 0.0625, 0.0156, 0.0039)
"""m in exp(−m t/t̄): from functions with which two typical contexts have little in common to linear ones."""
OFFSETS: Array = 4.0 ** np.arange(0.0, 4.0)
"""Candidate variances of an arm's level in units of the squared amplitude."""
PRIOR_REWARDS = 3.0
"""The prior of the squared amplitude counts as much as this many rewards."""

_LOG_PRIOR: Array = (
    -0.5 * (np.log10(RIDGES) / 2.0) ** 2 - 0.5 * (np.log10(OFFSETS) - np.log10(4.0))[:, np.newaxis] ** 2
)  # two decades around 1 for the noise, one around 4 for the variance of levels
_START = 1
_ROUNDING = 1e-24
_TIE = 1e-6  # of a log evidence: with one pair of contexts all geometries are alike, and rounding must not decide
_CONSTANT = 1e-100  # a γ with exp(−γ t) = 1 for all contexts that can be

Candidate: TypeAlias = tuple[int, int]
"""Numbers of a multiple and of a geometry."""


class Components(NamedTuple):
    """What explains the rewards best, in units of the squared amplitude s².

    Attributes:
        kernel: of an arm's reward function, the variance of its level included.
        ridge: variance of the noise.
        shared: covariance of the function at two typical contexts: what all rewards of an arm tell about.
        reach: root mean square of correlations, beyond that, between contexts of an arm: how much a reward tells about
            another context, from 1/√d for linear functions to 1.
        prior: s² according to the prior.

    """

    kernel: Kernel
    ridge: float
    shared: float
    reach: float
    prior: float


def best_components(arms: list[tuple[Array, Array]], variance: float) -> Components:
    """The components for contexts and rewards less levels of arms; `variance` is that of all rewards.

    The search climbs from m = 1 to neighbouring bandwidths and to the other geometry: contexts as they are, or every
    feature in units of its deviation. It depends on the data alone, not on an earlier answer. Rewards that do not vary
    tell nothing about noise: then it is the prior that decides.
    """
    contexts = [X for X, _ in arms]
    spaces = [space for geometry in _geometries(contexts) if (space := _Space.of(geometry, contexts))]
    spaces = spaces or [_Space(Radial(), None, [np.zeros((len(X), len(X))) for X in contexts])]
    found: dict[Candidate, Array] = {}

    def evidence(candidate: Candidate) -> float:
        if candidate not in found:
            multiple, space = candidate
            found[candidate] = log_evidence(MULTIPLES[multiple], spaces[space].distances, arms, variance)
        return float(found[candidate].max())

    best = (_START, 0)
    if sum(float(y @ y) for _, y in arms) <= _ROUNDING * variance:
        found[best] = _LOG_PRIOR
    elif spaces[0].typical is not None:
        while evidence(better := max(_neighbours(best, len(spaces)), key=evidence)) > evidence(best) + _TIE:
            best = better
    evidence(best)
    offset, ridge = np.unravel_index(found[best].argmax(), found[best].shape)
    return _components(MULTIPLES[best[0]], spaces[best[1]], float(OFFSETS[offset]), float(RIDGES[ridge]), variance)


def log_evidence(multiple: float, distances: list[Array], arms: list[tuple[Array, Array]], variance: float) -> Array:
    """Log posterior of `OFFSETS` × `RIDGES` up to a constant, given squared distances of contexts over typical ones."""
    size = _size(multiple)
    squares, log_dets = np.zeros((len(OFFSETS), len(RIDGES))), np.zeros((len(OFFSETS), len(RIDGES)))
    inverse_offsets, n = 1.0 / OFFSETS[:, np.newaxis], 0
    for t, (_, y) in zip(distances, arms, strict=True):
        values, vectors = np.linalg.eigh(size * np.exp(-multiple * t))
        u, e = y @ vectors, vectors.sum(axis=0)
        weights = 1.0 / (np.maximum(values, 0.0)[:, np.newaxis] + RIDGES)
        yy, y1, ones = (u * u) @ weights, (u * e) @ weights, (e * e) @ weights
        total = inverse_offsets + ones
        squares += yy - y1**2 / total
        log_dets += np.log(total / inverse_offsets) - np.log(weights).sum(axis=0)
        n += len(y)
    prior = np.maximum(variance / (size + OFFSETS[:, np.newaxis] + RIDGES), TINY)
    together = np.log(np.maximum(PRIOR_REWARDS * prior + squares, TINY))
    evidence: Array = -0.5 * ((PRIOR_REWARDS + n) * together - PRIOR_REWARDS * np.log(prior) + log_dets) + _LOG_PRIOR
    return evidence


class _Space(NamedTuple):
    """A geometry, its typical distance t̄ (None if there is none), and t/t̄ for every two contexts of each arm."""

    geometry: Geometry
    typical: float | None
    distances: list[Array]

    @classmethod
    def of(cls, geometry: Geometry, contexts: list[Array]) -> _Space | None:
        """None if no arm has two different contexts."""
        typical = typical_distance(contexts, geometry)
        if typical is None:
            return None
        distances = [geometry.evaluate(geometry.left(X), geometry.right(X)) / typical for X in contexts]
        return cls(geometry, typical, [np.tril(t, -1) + np.tril(t, -1).T for t in distances])


def _geometries(contexts: list[Array]) -> list[Geometry]:
    return [Radial(), Units.of(contexts)]


def _neighbours(candidate: Candidate, n_spaces: int) -> list[Candidate]:
    multiple, space = candidate
    near = [(other, space) for other in (multiple - 1, multiple + 1) if 0 <= other < len(MULTIPLES)]
    return [*near, *((multiple, other) for other in range(n_spaces) if other != space)]


def _size(multiple: float) -> float:
    """The factor that makes the variance of half the difference between typical contexts 1, whatever the bandwidth."""
    return 1.0 / (1.0 - exp(-multiple))


def _components(multiple: float, space: _Space, offset: float, ridge: float, variance: float) -> Components:
    size, level = _size(multiple), exp(-multiple)
    squares, pairs = 0.0, 0
    for t in space.distances:
        beyond = size * (np.exp(-multiple * t) - level)
        squares += float((beyond**2).sum() - (beyond.diagonal() ** 2).sum())
        pairs += len(t) * (len(t) - 1)
    gamma = _CONSTANT if space.typical is None else multiple / space.typical
    return Components(
        Shifted(Scaled(GeometricGaussian(space.geometry, gamma), size), offset),
        ridge,
        size * level + offset,
        min(1.0, sqrt(squares / pairs)) if pairs else 1.0,
        variance / (size + offset + ridge),
    )
