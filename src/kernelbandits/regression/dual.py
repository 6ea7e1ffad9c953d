"""Estimators in dual form, f̂(z) = Σ_j a_j K(z, x_j): the minimum-norm interpolator and kernel ridge regression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy.linalg import blas, lapack

from kernelbandits.kernels import Kernel, KernelExpansion
from kernelbandits.linalg import EPS, memory, safe_threads
from kernelbandits.regression.base import Estimator, ExpansionPredictor
from kernelbandits.regression.health import Health, count_duplicates
from kernelbandits.specs import NonNegative
from kernelbandits.types import Array

GRAM_COPIES = 1.3
"""Most memory that an exact fit holds, in N² doubles."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class DualPredictor(ExpansionPredictor):
    """f̂(z) = Σ_j a_j K(z, x_j), with the health of the solve that gave the weights a."""

    function: KernelExpansion
    health: Health

    @property
    def norm(self) -> float:
        """RKHS norm ‖f̂‖ = √(aᵀ K a)."""
        return self.function.norm


@final
@dataclass(frozen=True, slots=True)
class MinNormInterpolator(Estimator[DualPredictor]):
    """argmin ‖f‖ over the RKHS subject to f(x_j) = y_j: Eq. (def:interp) of the paper.

    Where the Gram matrix is singular (repeated contexts, a linear kernel with n > d) the data may not be reachable;
    then it is the minimum-norm least-squares solution, a = K⁺ y, and `health` says so.

    >>> fit = MinNormInterpolator(Gaussian()).fit([[0.0], [1.0]], [1.0, 2.0])
    >>> fit.mean([[0.0], [1.0]]).round(9)
    array([1., 2.])
    """

    kernel: Kernel

    def _fit(self, X: Array, y: Array) -> DualPredictor:
        return solve_dual(self.kernel, X, y, ridge=0.0)

    def without_data(self, dim: int) -> DualPredictor:
        return _zero(self.kernel, dim)


@final
@dataclass(frozen=True, slots=True)
class KernelRidge(Estimator[DualPredictor]):
    """a = (K + ridge·I)⁻¹ y. The paper's λ² is `ridge`; with ridge = 0 this is the interpolator."""

    kernel: Kernel
    ridge: NonNegative = 1.0

    def _fit(self, X: Array, y: Array) -> DualPredictor:
        return solve_dual(self.kernel, X, y, self.ridge)

    def without_data(self, dim: int) -> DualPredictor:
        return _zero(self.kernel, dim)


def _zero(kernel: Kernel, dim: int) -> DualPredictor:
    anywhere = np.eye(1, dim)  # a centre of weight 0; a unit vector is one that every kernel accepts
    return DualPredictor(KernelExpansion(kernel, anywhere, np.zeros(1)), Health(0, "cholesky", 1.0, 0, 0.0, 0.0, 0))


def solve_dual(kernel: Kernel, X: Array, y: Array, ridge: float) -> DualPredictor:
    """The weights a with (K + ridge·I) a = y: by Cholesky where the matrix allows, else of minimum norm."""
    refuse_too_large(X, ridge)
    duplicates = count_duplicates(X)
    if duplicates and not ridge:
        weights, health = _without_duplicates(kernel, X, y, duplicates)
    else:
        weights, solution = _solve(lambda: _regularised(kernel, X, ridge), y)
        health = Health(len(X), duplicates=duplicates, **solution)
    return DualPredictor(KernelExpansion(kernel, X.copy(), weights), health)


def refuse_too_large(X: Array, ridge: float) -> None:
    """Raise `TooLarge` where the matrix of the points X cannot be held."""
    n, d = X.shape
    alternative = "Nystrom" if ridge else "ConjugateGradient or Nystrom"
    memory.require(
        GRAM_COPIES * 8.0 * n**2,
        f"an exact fit of {n} points",
        f"use {alternative}: solver_for({n}, {d}, {ridge:g}) chooses one that fits",
    )


def _regularised(kernel: Kernel, X: Array, ridge: float) -> Array:
    K = kernel.gram(X)
    if ridge:
        K[np.diag_indices_from(K)] += ridge
    return K


def _without_duplicates(kernel: Kernel, X: Array, y: Array, duplicates: int) -> tuple[Array, Health]:
    """The minimum-norm least-squares weights K⁺ y for data with repeated rows, from the distinct rows alone.

    If row u of the distinct ones stands c_u times, K = U (√C K_u √C) Uᵀ with orthonormal columns U, so that
    K⁺ = U (√C K_u √C)⁺ Uᵀ: repeated rows cost accuracy nowhere, however far from the origin they lie.
    """
    distinct, place, counts = np.unique(X + 0.0, axis=0, return_inverse=True, return_counts=True)
    root = np.sqrt(counts)
    totals = np.bincount(place, weights=y)
    weights, solution = _solve(lambda: kernel.gram(distinct) * root * root[:, np.newaxis], totals / root)
    spread: Array = (weights / root)[place]
    fitted = (weights * root) @ kernel.gram(distinct)
    solution |= {"condition": np.inf, "residual": _relative(fitted[place] - y, y)}
    return spread, Health(len(X), duplicates=duplicates, **solution)


def _relative(residual: Array, y: Array) -> float:
    return float(np.abs(residual).max()) / (float(np.abs(y).max()) or 1.0)


def _solve(matrix: Callable[[], Array], y: Array) -> tuple[Array, dict[str, Any]]:
    """The solution of A a = y and what `Health` should say of it; `matrix` makes A, which solving overwrites."""
    return _by_cholesky(matrix(), y) or _by_eigenvalues(matrix(), y)


def _by_cholesky(A: Array, y: Array) -> tuple[Array, dict[str, Any]] | None:
    """From A = UᵀU in place of A's upper triangle; None when A is too close to singular for that."""
    n = len(A)
    diagonal = A.diagonal().copy()
    one_norm = float(lapack.dlange("1", A.T))  # type: ignore[call-arg]
    # A.T is A in Fortran order, so LAPACK factors in place; the other triangle keeps A for the residual.
    with safe_threads(n):
        factor, info = lapack.dpotrf(A.T, lower=0, clean=0, overwrite_a=1)
    if info:
        return None
    reciprocal_condition, _ = lapack.dpocon(factor, one_norm)
    if reciprocal_condition < 10.0 * n * EPS:
        return None
    solution, _ = lapack.dpotrs(factor, y, lower=0)
    product = blas.dsymv(1.0, factor, solution, lower=1) + (diagonal - factor.diagonal()) * solution
    return solution, {
        "method": "cholesky",
        "condition": 1.0 / reciprocal_condition,
        "rank": n,
        "cutoff": 0.0,
        "residual": _relative(product - y, y),
    }


def _by_eigenvalues(A: Array, y: Array) -> tuple[Array, dict[str, Any]]:
    """The minimum-norm least-squares solution A⁺ y: eigenvalues within rounding of zero are cut, as `pinv` does."""
    n = len(A)
    values, vectors = np.linalg.eigh(A)
    largest = float(np.abs(values).max())
    cutoff = n * EPS * largest
    kept = values > cutoff
    basis = vectors[:, kept]
    solution: Array = basis @ ((basis.T @ y) / values[kept])
    full = bool(kept.all())
    return solution, {
        "method": "eigen",
        "condition": largest / float(values.min()) if full else np.inf,
        "rank": int(kept.sum()),
        "cutoff": 0.0 if full else cutoff,
        "residual": _relative(A @ solution - y, y),
    }
