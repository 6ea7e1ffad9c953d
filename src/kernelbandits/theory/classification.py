"""Which of the paper's Cases I, II, III a sample of contexts resembles, from its spectrum alone.

Sample eigenvalues spread around those of Σ (Marchenko and Pastur), so a flat Σ never looks flat. Its moments
t_k = Tr(Σᵏ) can be had without that bias, and two ratios of them tell the cases apart whatever the basis:
flatness t₂²/(t₁t₃), which is 1 exactly where all nonzero eigenvalues are equal, and active share t₁²/(t₂d), the number
of such eigenvalues over d. Flat on a part of the coordinates is Case I, flat on all of them but for one spike is
Case II, the rest decays: Case III.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.theory.cases import Case
from kernelbandits.theory.spectrum import Spectrum, spectrum
from kernelbandits.types import Array, ArrayLike

FLAT = 0.7
"""Flatness from which a spectrum is level: eigenvalues spread over [0.2, 1] have 0.91, 1/j up to 1000 has 0.30."""
FULL = 0.8
"""Share of active coordinates from which nothing is low rank."""
_HALVES = 20
_MOST_ROWS = 4000


@final
@dataclass(frozen=True, slots=True)
class Classification:
    """The case a sample resembles.

    Attributes:
        case: None where the sample cannot tell.
        confidence: share of random halves of the sample that give the same case.
        flatness: t₂²/(t₁t₃), after taking out the spike if there is one.
        active: t₁²/(t₂d), likewise.
        spike: whether one eigenvalue was taken out as a spike.
        epsilon: Tr(Σ)/d, which is the paper's ε in all three cases (up to 1/d in Case II).
        reason: the numbers in words.

    """

    case: Case | None
    confidence: float
    flatness: float
    active: float
    spike: bool
    epsilon: float
    reason: str


def classify(X: ArrayLike) -> Classification:
    """The case that a sample resembles, with the share of random half-samples that agree."""
    points = checks.points("X", X)
    n = len(points)
    whole = spectrum(points)
    if n < 4 or whole.rank < 2:
        reason = f"{n} rows of rank {whole.rank} do not show a spectrum; at least 4 rows of rank 2 are needed"
        return Classification(None, 0.0, float("nan"), float("nan"), False, whole.level, reason)
    found = _decide(whole)
    rng = np.random.default_rng(0)  # for the halves only; the case itself does not depend on it
    half = max(2, min(n, _MOST_ROWS) // 2)
    halves = (spectrum(points[np.sort(rng.permutation(n)[:half])]) for _ in range(_HALVES))
    agree = sum(_decide(part).case is found.case for part in halves)
    return Classification(
        found.case, agree / _HALVES, found.flatness, found.active, found.spike, found.epsilon, found.reason
    )


def _decide(sample: Spectrum) -> Classification:
    whole = _shape(sample.eigenvalues, sample.n, sample.dim)
    rest = _shape(sample.eigenvalues[1:], sample.n - 1, sample.dim - 1)
    spike = whole[0] < FLAT <= rest[0]
    flatness, active = rest if spike else whole
    words = f"flatness {flatness:.2f}, active share {active:.2f}" + (" beside one spike" if spike else "")
    if flatness < FLAT:
        case, verdict = Case.SPECTRAL_DECAY, f"eigenvalues decay (flatness below {FLAT})"
    elif active < FULL:
        case, verdict = Case.LOW_RANK, f"level on a part of the directions (share below {FULL})"
    else:
        case, verdict = Case.APPROXIMATE_LOW_RANK, "level on all directions but at most one"
    return Classification(case, 0.0, flatness, active, spike, sample.level, f"{words}: {verdict}")


def _shape(eigenvalues: Array, n: int, dim: int) -> tuple[float, float]:
    """Flatness and active share of the Σ behind sample eigenvalues; (1, 0) for nothing at all."""
    t1, t2, t3 = population_moments(eigenvalues, n)
    if min(t1, t2, t3) <= 0 or dim < 1:
        return 1.0, 0.0
    return min(t2**2 / (t1 * t3), 1.0), min(t1**2 / (t2 * dim), 1.0)


def population_moments(eigenvalues: Array, n: int) -> tuple[float, float, float]:
    """Unbiased estimates of Tr(Σ), Tr(Σ²), Tr(Σ³) from the eigenvalues of Σ̂ = XᵀX/n, for normal data.

    For a Wishart matrix E Tr(Σ̂²) = (1 + 1/n) t₂ + t₁²/n and E Tr(Σ̂³) = (1 + 3/n + 4/n²) t₃ + 3(1/n + 1/n²) t₁t₂ +
    t₁³/n². The same moments of products, E Tr(Σ̂)² = t₁² + 2t₂/n and so on, are solved along.
    """
    m1, m2, m3 = (float((eigenvalues**k).sum()) for k in (1, 2, 3))
    second = np.array([[1.0, 2.0 / n], [1.0 / n, 1.0 + 1.0 / n]])
    t2 = np.linalg.solve(second, [m1**2, m2])[1]
    third = np.array(
        [
            # unknowns t₁³, t₁t₂, t₃; rows E m₁³, E m₁m₂, E m₃
            [1.0, 6.0 / n, 8.0 / n**2],
            [1.0 / n, 1.0 + 1.0 / n + 4.0 / n**2, 4.0 / n + 4.0 / n**2],
            [1.0 / n**2, 3.0 / n + 3.0 / n**2, 1.0 + 3.0 / n + 4.0 / n**2],
        ]
    )
    t3 = np.linalg.solve(third, [m1**3, m1 * m2, m3])[2]
    return m1, float(t2), float(t3)
