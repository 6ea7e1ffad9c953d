"""Estimators in dual form, f̂(z) = Σ_j a_j K(z, x_j): the minimum-norm interpolator and kernel ridge regression."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import final

import numpy as np
from scipy.linalg import blas, lapack

from kernelbandits.estimators.base import Estimator, Predictor
from kernelbandits.estimators.health import Health, count_duplicates
from kernelbandits.fields import NonNegative
from kernelbandits.kernels.base import Kernel
from kernelbandits.linalg import EPS
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class DualPredictor(Predictor):
    """f̂(z) = Σ_j a_j K(z, x_j), with the health of the solve that gave the weights a."""

    kernel: Kernel
    X: Array
    weights: Array
    health: Health

    @property
    def dim(self) -> int:
        return int(self.X.shape[1])

    def predict(self, Z: Array) -> Array:
        return self.kernel.block(Z, self.X) @ self.weights

    @property
    def norm(self) -> float:
        """RKHS norm ‖f̂‖ = √(aᵀ K a)."""
        return sqrt(max(float(self.weights @ self.kernel.gram(self.X) @ self.weights), 0.0))


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

    def learn(self, X: Array, y: Array) -> DualPredictor:
        return solve_dual(self.kernel, X, y, ridge=0.0)

    def without_data(self, dim: int) -> DualPredictor:
        return _zero(self.kernel, dim)


@final
@dataclass(frozen=True, slots=True)
class KernelRidge(Estimator[DualPredictor]):
    """a = (K + ridge·I)⁻¹ y. The paper's λ² is `ridge`; with ridge = 0 this is the interpolator."""

    kernel: Kernel
    ridge: NonNegative = 1.0

    def learn(self, X: Array, y: Array) -> DualPredictor:
        return solve_dual(self.kernel, X, y, self.ridge)

    def without_data(self, dim: int) -> DualPredictor:
        return _zero(self.kernel, dim)


def _zero(kernel: Kernel, dim: int) -> DualPredictor:
    return DualPredictor(kernel, np.zeros((1, dim)), np.zeros(1), Health(0, "cholesky", 1.0, 0, 0.0, 0.0, 0))


def solve_dual(kernel: Kernel, X: Array, y: Array, ridge: float) -> DualPredictor:
    """The weights a with (K + ridge·I) a = y: by Cholesky where the matrix allows, else of minimum norm."""
    weights, health = _by_cholesky(_regularised(kernel, X, ridge), y, X)
    if weights is None:
        weights, health = _by_eigenvalues(_regularised(kernel, X, ridge), y, X)
    return DualPredictor(kernel, X, weights, health)


def _regularised(kernel: Kernel, X: Array, ridge: float) -> Array:
    K = kernel.gram(X)
    if ridge:
        K[np.diag_indices_from(K)] += ridge
    return K


def _relative_residual(residual: Array, y: Array) -> float:
    scale = float(np.abs(y).max())
    return float(np.abs(residual).max()) / scale if scale else float(np.abs(residual).max())


def _by_cholesky(A: Array, y: Array, X: Array) -> tuple[Array | None, Health]:
    """Weights from A = U ᵀU in place of A's upper triangle; None when A is too close to singular for that."""
    n = len(A)
    diagonal = A.diagonal().copy()
    one_norm = float(lapack.dlange("1", A.T))  # type: ignore[call-arg]
    unsolved = Health(n, "cholesky", np.inf, 0, 0.0, np.inf, 0)
    # A.T is A in Fortran order, so LAPACK factors in place; the other triangle keeps A for the residual.
    factor, info = lapack.dpotrf(A.T, lower=0, clean=0, overwrite_a=1)
    if info:
        return None, unsolved
    reciprocal_condition, _ = lapack.dpocon(factor, one_norm)
    if reciprocal_condition < 10.0 * n * EPS:
        return None, unsolved
    weights, _ = lapack.dpotrs(factor, y, lower=0)
    product = blas.dsymv(1.0, factor, weights, lower=1) + (diagonal - factor.diagonal()) * weights
    health = Health(
        n,
        "cholesky",
        1.0 / reciprocal_condition,
        n,
        0.0,
        _relative_residual(product - y, y),
        count_duplicates(X),
    )
    return weights, health


def _by_eigenvalues(A: Array, y: Array, X: Array) -> tuple[Array, Health]:
    """The minimum-norm least-squares weights A⁺ y, eigenvalues within rounding of zero cut (as `numpy.linalg.pinv`)."""
    n = len(A)
    values, vectors = np.linalg.eigh(A)
    largest = float(np.abs(values).max())
    cutoff = n * EPS * largest
    kept = values > cutoff
    basis = vectors[:, kept]
    weights: Array = basis @ ((basis.T @ y) / values[kept])
    rank = int(kept.sum())
    condition = largest / float(values[kept].min()) if rank == n else np.inf
    residual = _relative_residual(A @ weights - y, y)
    return weights, Health(n, "eigen", condition, rank, 0.0 if rank == n else cutoff, residual, count_duplicates(X))
