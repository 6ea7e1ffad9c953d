"""The spectrum of a sample of contexts and the moments of its covariance Σ = E[x xᵀ]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.linalg import EPS
from kernelbandits.types import Array, ArrayLike

MOST_ROWS = 20_000
"""A Gram matrix of more rows takes over 3 GB, so the caller must say how many rows to use."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
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


@final
@dataclass(frozen=True, slots=True)
class Moments:
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
        return _given(covariance, dim)
    norms = np.einsum("ij,ij->i", points, points)
    if n == 1:
        return Moments(float(norms[0]) / dim, float(norms[0]) ** 2 / dim**2)
    G = points.T @ points if n >= dim else points @ points.T
    pairs = float(np.einsum("ij,ij->", G, G)) - float(norms @ norms)
    return Moments(float(norms.mean()) / dim, max(pairs, 0.0) / (n * (n - 1.0)) / dim**2)


def _given(covariance: ArrayLike, dim: int) -> Moments:
    S = check_covariance(covariance, dim)
    if S.ndim == 1:
        return Moments(float(S.mean()), float(S @ S) / dim**2)
    return Moments(float(np.trace(S)) / dim, float(np.einsum("ij,ij->", S, S)) / dim**2)


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


def subsample(X: ArrayLike, max_rows: int | None) -> Array:
    """X, or `max_rows` evenly spaced rows of it; None raises InvalidArgument if a Gram matrix would be too large."""
    points = checks.points("X", X)
    n = len(points)
    if max_rows is None:
        if n > MOST_ROWS:
            raise InvalidArgument(
                f"X has {n} rows, and its Gram matrix would take {8e-9 * n * n:.0f} GB; pass max_rows=2000, for "
                "example, to use that many evenly spaced rows (the result is then for N = max_rows)"
            )
        return points
    checks.whole("max_rows", max_rows, at_least=1)
    return points if n <= max_rows else points[np.linspace(0, n - 1, max_rows).round().astype(np.int64)]
