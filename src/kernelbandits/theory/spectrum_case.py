"""Which of Cases I, II and III (Example 1) a sample of contexts resembles, judged by its spectrum.

Sample eigenvalues spread around those of Σ (Marchenko and Pastur), so even a flat Σ does not look flat. The moments
t_k = Tr(Σᵏ) can be estimated without that bias. Two ratios of them distinguish the cases in any basis: the flatness
t₂²/(t₁t₃), which is 1 exactly if all nonzero eigenvalues are equal, and the active share t₁²/(t₂d), the number of such
eigenvalues divided by d. A spectrum that is flat on a part of the directions is Case I; flat on all of them, except
for at most one spike, is Case II; any other spectrum decays and is Case III.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.theory.cases import Case
from kernelbandits.theory.spectrum import Spectrum, spectrum
from kernelbandits.types import Array, ArrayLike

FLAT = 0.7
"""Smallest flatness of a flat spectrum: eigenvalues spread over [0.2, 1] have 0.91, 1/j for j ≤ 1000 have 0.30."""
FULL = 0.8
"""Smallest active share of a spectrum that is not of low rank."""
_HALVES = 20
_MOST_ROWS = 4000


@final
@dataclass(frozen=True, slots=True)
class SpectrumCase:
    """The case that a sample resembles.

    Attributes:
        case: None if the sample is too small to tell.
        confidence: share of random halves of the sample that give the same case.
        flatness: t₂²/(t₁t₃), without the spike if there is one.
        active: t₁²/(t₂d), without the spike if there is one.
        spike: whether one eigenvalue was removed as a spike.
        epsilon: Tr(Σ)/d, the paper's ε in all three cases (up to 1/d in Case II).
        reason: the verdict with its numbers.

    """

    case: Case | None
    confidence: float
    flatness: float
    active: float
    spike: bool
    epsilon: float
    reason: str


def classify(X: ArrayLike) -> SpectrumCase:
    """The case that a sample resembles, with the share of random half-samples that agree."""
    points = checks.points("X", X)
    n = len(points)
    whole = spectrum(points)
    if n < 4 or whole.rank < 2:
        reason = f"{n} rows of rank {whole.rank} do not show a spectrum; at least 4 rows and rank 2 are needed"
        return SpectrumCase(None, 0.0, float("nan"), float("nan"), False, whole.level, reason)
    found = _decide(whole)
    rng = np.random.default_rng(0)  # for the confidence only; the case does not depend on it
    half = max(2, min(n, _MOST_ROWS) // 2)
    halves = (spectrum(points[np.sort(rng.permutation(n)[:half])]) for _ in range(_HALVES))
    agree = sum(_decide(part).case is found.case for part in halves)
    return replace(found, confidence=agree / _HALVES)


def _decide(sample: Spectrum) -> SpectrumCase:
    whole = _shape(sample.eigenvalues, sample.n, sample.dim)
    rest = _shape(sample.eigenvalues[1:], sample.n - 1, sample.dim - 1)
    spike = whole[0] < FLAT <= rest[0]
    flatness, active = rest if spike else whole
    words = f"flatness {flatness:.2f}, active share {active:.2f}" + (" besides one spike" if spike else "")
    if flatness < FLAT:
        case, verdict = Case.SPECTRAL_DECAY, f"eigenvalues decay (flatness below {FLAT})"
    elif active < FULL:
        case, verdict = Case.LOW_RANK, f"flat on a part of the directions (share below {FULL})"
    else:
        case, verdict = Case.APPROXIMATE_LOW_RANK, "flat on all directions except at most one"
    return SpectrumCase(case, 0.0, flatness, active, spike, sample.level, f"{words}: {verdict}")


def _shape(eigenvalues: Array, n: int, dim: int) -> tuple[float, float]:
    """Flatness and active share of Σ, estimated from sample eigenvalues; (1, 0) if there is no variation."""
    t1, t2, t3 = population_moments(eigenvalues, n)
    if min(t1, t2, t3) <= 0 or dim < 1:
        return 1.0, 0.0
    return min(t2**2 / (t1 * t3), 1.0), min(t1**2 / (t2 * dim), 1.0)


def population_moments(eigenvalues: Array, n: int) -> tuple[float, float, float]:
    """Unbiased estimates of Tr(Σ), Tr(Σ²), Tr(Σ³) from the eigenvalues of Σ̂ = XᵀX/n, for normal data.

    For a Wishart matrix E Tr(Σ̂²) = (1 + 1/n) t₂ + t₁²/n and E Tr(Σ̂³) = (1 + 3/n + 4/n²) t₃ + 3(1/n + 1/n²) t₁t₂ +
    t₁³/n². Products have similar moments, such as E Tr(Σ̂)² = t₁² + 2t₂/n, and are solved for at the same time.
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
