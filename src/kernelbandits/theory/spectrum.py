"""The spectrum of a sample of contexts, from whichever of XᵀX and XXᵀ is the smaller, and moments of its covariance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.linalg import EPS
from kernelbandits.types import Array, ArrayLike

MOST_ROWS = 20_000
"""Above this a Gram matrix takes 3 GB: the caller must say which part of the sample to use."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """Eigenvalues of Σ̂ = XᵀX/n, largest first, the min(n, d) that can differ from 0.

    The paper's Σ is E[x xᵀ], so nothing is centred.
    """

    eigenvalues: Array
    n: int
    dim: int

    @property
    def trace(self) -> float:
        """Tr(Σ̂)."""
        return float(self.eigenvalues.sum())

    @property
    def level(self) -> float:
        """Tr(Σ̂)/d: the paper's ε of Case III, half of its τ."""
        return self.trace / self.dim

    @property
    def effective_rank(self) -> float:
        """Tr(Σ̂)/‖Σ̂‖; 0 for a sample of zeros."""
        return self.trace / float(self.eigenvalues[0]) if self.eigenvalues[0] > 0 else 0.0

    @property
    def rank(self) -> int:
        """Eigenvalues above rounding."""
        largest = float(self.eigenvalues[0])
        return int((self.eigenvalues > max(self.n, self.dim) * EPS * largest).sum()) if largest > 0 else 0

    @property
    def gram_eigenvalues(self) -> Array:
        """λ_j(XXᵀ/d), the paper's λ_j(Σ̂_d), all n of them, largest first."""
        values = np.zeros(self.n)
        values[: len(self.eigenvalues)] = self.eigenvalues * (self.n / self.dim)
        return values


@final
@dataclass(frozen=True, slots=True)
class Moments:
    """What the paper's constants need of Σ: `level` = Tr(Σ)/d and `square` = Tr(Σ²)/d²."""

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
    """Tr(Σ)/d and Tr(Σ²)/d² of the given Σ (a vector of variances or a matrix), or estimated from X.

    From a sample, Tr(Σ²) is the average of ⟨x_i, x_j⟩² over pairs i ≠ j, which has no bias; that of Tr(Σ̂²) is about
    Tr(Σ)²/n, as large as the thing itself when n ≈ d. One row has no pair: there ‖x‖⁴ stands in.
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
    """The variances, shape (d,), or the matrix, shape (d, d), that an argument `covariance` gives."""
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
    """X, or `max_rows` of its rows at even distances where it has more; None refuses a sample too large for a Gram."""
    points = checks.points("X", X)
    n = len(points)
    if max_rows is None:
        if n > MOST_ROWS:
            raise InvalidArgument(
                f"X has {n} rows, and its Gram matrix would take {8e-9 * n * n:.0f} GB; pass max_rows=2000, say, to "
                "use that many rows at even distances (the answer is then for N = max_rows)"
            )
        return points
    checks.whole("max_rows", max_rows, at_least=1)
    return points if n <= max_rows else points[np.linspace(0, n - 1, max_rows).round().astype(np.int64)]
