"""The spectrum of a sample, the moments of Σ = E[x xᵀ], and which case of Example 1 a sample resembles.

Sample eigenvalues spread around those of Σ (Marchenko and Pastur), so even a flat Σ does not look flat. The moments
t_k = Tr(Σᵏ) can be estimated without that bias. Two ratios of them distinguish the cases in any basis: the flatness
t₂²/(t₁t₃), which is 1 exactly if all nonzero eigenvalues are equal, and the active share t₁²/(t₂d), the number of such
eigenvalues divided by d. A spectrum that is flat on a part of the directions is Case I; flat on all of them, except
for at most one spike, is Case II; any other spectrum decays and is Case III.
"""

from enum import Enum
from typing import NamedTuple

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.linalg import EPS
from kernelbandits.types import Array, ArrayLike, IntArray

MOST_ROWS = 20_000  # a Gram matrix of more rows takes over 3 GB, so the caller must say how many rows to use


class Spectrum(NamedTuple):
    """The min(n, d) eigenvalues of Σ̂ = XᵀX/n that can differ from 0, largest first; X is not centred."""

    eigenvalues: Array
    n: int
    dim: int

    @property
    def trace(self) -> float:
        """Tr(Σ̂)."""
        return float(self.eigenvalues.sum())

    @property
    def level(self) -> float:
        """Tr(Σ̂)/d: ε in Case III of Example 1, and half of τ."""
        return self.trace / self.dim

    @property
    def effective_rank(self) -> float:
        """Tr(Σ̂)/‖Σ̂‖, or 0 for a sample of zeros."""
        return self.trace / float(self.eigenvalues[0]) if self.eigenvalues[0] > 0 else 0.0

    @property
    def rank(self) -> int:
        """Number of eigenvalues above rounding error."""
        largest = float(self.eigenvalues[0])
        return int((self.eigenvalues > max(self.n, self.dim) * EPS * largest).sum()) if largest > 0 else 0

    @property
    def gram_eigenvalues(self) -> Array:
        """The n eigenvalues of XXᵀ/d, the paper's λ_j(Σ̂_d), largest first."""
        values = np.zeros(self.n)
        values[: len(self.eigenvalues)] = self.eigenvalues * (self.n / self.dim)
        return values


class Moments(NamedTuple):
    """The moments of Σ in the paper's constants: `level` = Tr(Σ)/d and `square` = Tr(Σ²)/d²."""

    level: float
    square: float


def spectrum(X: ArrayLike) -> Spectrum:
    """The spectrum of a sample, O(n d min(n, d)).

    >>> spectrum([[2.0, 0.0], [0.0, 1.0]]).eigenvalues
    array([2. , 0.5])
    """
    points = checks.points("X", X)
    n, dim = points.shape
    G = points.T @ points if n >= dim else points @ points.T
    values = np.linalg.eigvalsh(G)[::-1] / n
    return Spectrum(np.maximum(values, 0.0), n, dim)


def moments(X: ArrayLike, covariance: ArrayLike | None = None) -> Moments:
    """Tr(Σ)/d and Tr(Σ²)/d² of a given Σ (a vector of variances or a matrix), or estimated from X.

    Tr(Σ²) is estimated without bias, by the average of ⟨x_i, x_j⟩² over pairs i ≠ j. (Tr(Σ̂²) has a bias of about
    Tr(Σ)²/n, as large as Tr(Σ²) when n ≈ d.) A single row has no pairs; ‖x‖⁴ is used instead.
    """
    points = checks.points("X", X)
    n, dim = points.shape
    if covariance is not None:
        S = check_covariance(covariance, dim)
        if S.ndim == 1:
            return Moments(float(S.mean()), float(S @ S) / dim**2)
        return Moments(float(np.trace(S)) / dim, float(np.einsum("ij,ij->", S, S)) / dim**2)
    norms = np.einsum("ij,ij->i", points, points)
    if n == 1:
        return Moments(float(norms[0]) / dim, float(norms[0]) ** 2 / dim**2)
    G = points.T @ points if n >= dim else points @ points.T
    pairs = float(np.einsum("ij,ij->", G, G)) - float(norms @ norms)
    return Moments(float(norms.mean()) / dim, max(pairs, 0.0) / (n * (n - 1.0)) / dim**2)


def check_covariance(covariance: ArrayLike, dim: int) -> Array:
    """The argument `covariance` as variances, shape (d,), or as a symmetric matrix, shape (d, d)."""
    if np.ndim(covariance) == 1:
        variances = checks.finite_array("covariance", covariance, (dim,), "one variance per feature")
        if variances.min() < 0:
            where = int(variances.argmin())
            raise InvalidArgument(f"covariance must not hold a negative variance; entry {where} is {variances[where]}")
        return variances
    matrix = checks.finite_array("covariance", covariance, (dim, dim), "variances (d,) or a matrix (d, d)")
    if not np.allclose(matrix, matrix.T, rtol=1e-8, atol=1e-12):
        i, j = np.unravel_index(np.abs(matrix - matrix.T).argmax(), matrix.shape)
        raise InvalidArgument(f"covariance must be symmetric; entries ({i}, {j}) and ({j}, {i}) differ")
    return matrix


def gram_points(X: ArrayLike) -> Array:
    """X as an array; raises InvalidArgument if its Gram matrix would be too large."""
    points = checks.points("X", X)
    n = len(points)
    if n > MOST_ROWS:
        raise InvalidArgument(
            f"X has {n} rows, and its Gram matrix would take {8e-9 * n * n:.0f} GB; take fewer, such as "
            "theory.subsample(X, max_rows=2000): the result is then for N = 2000"
        )
    return points


def subsample(X: ArrayLike, max_rows: int) -> Array:
    """`max_rows` evenly spaced rows of X, or all if there are no more."""
    points = checks.points("X", X)
    n = len(points)
    return points if n <= checks.whole("max_rows", max_rows, at_least=1) else points[evenly_spaced(n, max_rows)]


def evenly_spaced(n: int, most: int) -> IntArray:
    """The numbers of `most` evenly spaced rows of n, or of all."""
    return np.linspace(0, n - 1, min(n, most)).round().astype(np.int64)


class Case(Enum):
    """Shapes of Σ for which the bounds have closed forms (Example 1)."""

    LOW_RANK = "I"
    APPROXIMATE_LOW_RANK = "II"
    SPECTRAL_DECAY = "III"

    def __str__(self) -> str:
        return f"Case {self.value} ({self.name.lower().replace('_', ' ')})"

    @property
    def more_data_helps(self) -> bool:
        """Whether V falls with N (Cases I and II, where N > d) or grows with N (Case III, where N < d)."""
        return self is not Case.SPECTRAL_DECAY

    def ratio(self, dim: int, n: float) -> float:
        """d/N in Cases I and II, N/d in Case III."""
        return dim / n if self.more_data_helps else n / dim


FLAT = 0.7
"""Smallest flatness of a flat spectrum: eigenvalues spread over [0.2, 1] have 0.91, 1/j for j ≤ 1000 have 0.30."""
FULL = 0.8  # smallest active share of a spectrum that is not of low rank
_HALVES = 20
_FEWEST_ROWS = 8  # half of them, less a spike, have a third moment
_MOST_ROWS = 4000


class SpectrumCase(NamedTuple):
    """The case that a sample resembles, None if it is too small to tell."""

    case: Case | None
    confidence: float  # share of random halves of the sample that give the same case
    flatness: float  # this and `active` without the spike if there is one
    active: float
    spike: bool  # whether one eigenvalue was removed as a spike
    epsilon: float  # Tr(Σ)/d, the paper's ε in all three cases (up to 1/d in Case II)
    reason: str  # the verdict with its numbers


def classify(X: ArrayLike) -> SpectrumCase:
    """The case that a sample resembles, with the share of random half-samples that agree."""
    points = checks.points("X", X)
    n = len(points)
    whole = spectrum(points)
    if n < _FEWEST_ROWS or whole.rank < 2:
        needed = f"at least {_FEWEST_ROWS} rows and rank 2 are needed"
        reason = f"{n} rows of rank {whole.rank} do not show a spectrum; {needed}"
        return SpectrumCase(None, 0.0, float("nan"), float("nan"), False, whole.level, reason)
    found = _decide(whole)
    rng = np.random.default_rng(0)  # for the confidence only; the case does not depend on it
    half = max(2, min(n, _MOST_ROWS) // 2)
    halves = (spectrum(points[np.sort(rng.permutation(n)[:half])]) for _ in range(_HALVES))
    agree = sum(_decide(part).case is found.case for part in halves)
    return found._replace(confidence=agree / _HALVES)


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
