"""Estimators in dual form, f̂(z) = Σ_j a_j K(z, x_j): the minimum-norm interpolator and kernel ridge regression."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.kernels import Kernel, KernelExpansion
from kernelbandits.linalg import eigenpairs, require_memory, safe_cholesky
from kernelbandits.regression.base import Cost, Estimator, FitReport, Predictor
from kernelbandits.reporting import short_html, short_repr
from kernelbandits.specs import NonNegative, conform
from kernelbandits.types import Array, ArrayLike, IntArray


class ExpansionPredictor(Predictor):
    """A predictor that is a kernel expansion, f̂(z) = Σ_j a_j K(z, x_j)."""

    __slots__ = ()
    expansion: KernelExpansion

    @property
    def dim(self) -> int:
        return int(self.expansion.centers.shape[1])

    @property
    def weights(self) -> Array:
        """The weights a, shape (n,)."""
        return self.expansion.coefficients

    def _mean(self, Z: Array) -> Array:
        return self.expansion(Z)


@final
@dataclass(frozen=True, slots=True, eq=False)
class DualPredictor(ExpansionPredictor):
    """f̂(z) = Σ_j a_j K(z, x_j) with one weight per data point.

    Attributes:
        expansion: f̂, with the data points x_j, shape (n, d), and weights a, shape (n,).
        report: how the fit went.

    >>> fit = MinNormInterpolator(Gaussian()).fit(np.eye(3), np.ones(3))
    >>> fit.weights.shape, fit.mean(np.eye(3)).round(6)
    ((3,), array([1., 1., 1.]))

    See also `Estimator`, `Predictor`, `Posterior`, `NystromPredictor`.
    """

    expansion: KernelExpansion = field()  # without `field` the abstract property of the base class is the default
    report: FitReport = field()

    __repr__ = short_repr
    _repr_html_ = short_html

    @property
    def norm(self) -> float:
        """RKHS norm ‖f̂‖ = √(aᵀ K a)."""
        return self.expansion.norm


class DualEstimator(Estimator[DualPredictor]):
    """An estimator with one weight per data point."""

    __slots__ = ()

    kernel: Kernel

    def without_data(self, dim: int) -> DualPredictor:
        center = np.eye(1, dim)  # of weight 0; every kernel accepts a unit vector
        report = FitReport(0, "no data", 0, 0, residual=0.0, condition=1.0)
        return DualPredictor(KernelExpansion(self.kernel, center, np.zeros(1)), report)


class ExactEstimator(DualEstimator):
    """The weights a with (K + ridge·I) a = y: by Cholesky where the matrix allows, else of minimum norm."""

    __slots__ = ()
    ridge: float

    def _fit(self, X: Array, y: Array) -> DualPredictor:
        refuse_too_large(X, self.ridge)
        duplicates = count_duplicates(X)
        if duplicates and not self.ridge:
            weights, report = _without_duplicates(self.kernel, X, y, duplicates)
        else:
            weights, report = _solve(lambda: self.kernel.gram(X), self.ridge, y, duplicates)
        return DualPredictor(KernelExpansion(self.kernel, X.copy(), weights), report)

    def cost(self, n: int, d: int) -> Cost:
        return exact_cost(n, d)


@final
@dataclass(frozen=True, slots=True)
class MinNormInterpolator(ExactEstimator):
    """argmin ‖f‖ over the RKHS subject to f(x_j) = y_j: the minimum-norm interpolator, Eq. (2) of the paper.

    If the Gram matrix is singular (repeated contexts, a linear kernel with n > d), the data may not be reachable. Then
    it is the minimum-norm least-squares solution, a = K⁺ y, and `report` says so.

    Attributes:
        kernel: the kernel K(x, z).

    >>> fit = MinNormInterpolator(Gaussian()).fit([[0.0], [1.0]], [1.0, 2.0])
    >>> fit.mean([[0.0], [1.0]]).round(9)
    array([1., 2.])

    See also `Estimator`, `KernelRidge`, `GaussianProcess`.
    """

    kernel: Kernel
    ridge = 0.0


@final
@dataclass(frozen=True, slots=True)
class KernelRidge(ExactEstimator):
    """a = (K + ridge·I)⁻¹ y. The paper's λ² is `ridge`; with ridge = 0 this is the interpolator.

    Attributes:
        kernel: the kernel K(x, z).
        ridge: what is added to the diagonal of the Gram matrix. It does not grow with n, and is not divided by it.

    >>> KernelRidge(Gaussian(), ridge=1.0).fit(np.zeros((1, 2)), np.array([3.0])).mean(np.zeros((1, 2)))
    array([1.5])

    See also `Estimator`, `MinNormInterpolator`, `GaussianProcess`, `Nystrom`.
    """

    kernel: Kernel
    ridge: NonNegative = 1.0


_BYTES_PER_PAIR = 1.3 * 8.0
"""Memory of an exact fit per pair of points: the matrix, and a part of it again."""


def exact_cost(n: int, d: int, cubic: float = 1 / 3) -> Cost:
    """The cost of factoring the matrix of n points in `cubic` · n³ operations."""
    return Cost(n**2 * (d + 2) + cubic * n**3, n**2 / 2, _BYTES_PER_PAIR * n**2)


def refuse_too_large(X: Array, ridge: float) -> None:
    """Raise `TooLarge` if the matrix of the points X does not fit into memory."""
    n, d = X.shape
    alternative = "Nystrom" if ridge else "ConjugateGradient or Nystrom"
    instead = f"use {alternative}: solver_for({n}, {d}, {ridge:g}) chooses one that fits"
    require_memory(_BYTES_PER_PAIR * n**2, f"an exact fit of {n} points", instead)


def _without_duplicates(kernel: Kernel, X: Array, y: Array, duplicates: int) -> tuple[Array, FitReport]:
    """The minimum-norm least-squares weights K⁺ y for data with repeated rows, from the distinct rows alone.

    If distinct row u occurs c_u times, K = U (√C K_u √C) Uᵀ with orthonormal columns U, so that
    K⁺ = U (√C K_u √C)⁺ Uᵀ: repeated rows cost no accuracy, however far from the origin they lie.
    """
    distinct, place, counts = distinct_rows(X)
    root = np.sqrt(counts)
    totals = np.bincount(place, weights=y)
    weights, report = _solve(lambda: kernel.gram(distinct) * root * root[:, np.newaxis], 0.0, totals / root, duplicates)
    fitted = (weights * root) @ kernel.gram(distinct)
    residual = float(np.abs(fitted[place] - y).max()) / (float(np.abs(y).max()) or 1.0)
    spread: Array = (weights / root)[place]
    return spread, replace(report, n=len(X), size=len(X), condition=np.inf, residual=residual)


def _solve(matrix: Callable[[], Array], ridge: float, y: Array, duplicates: int) -> tuple[Array, FitReport]:
    """The minimum-norm least-squares solution of (A + ridge·I) a = y; `matrix` makes A, which gets overwritten."""
    A, n = matrix(), len(y)
    A.flat[:: n + 1] += ridge
    cholesky = safe_cholesky(A.T)  # A.T is A in Fortran order
    if cholesky is not None:
        method, rank, condition, cutoff = "cholesky", n, cholesky.condition, 0.0
        solution, fitted = cholesky.solve(y)
    else:
        A = matrix()
        A.flat[:: n + 1] += ridge
        values, vectors, cutoff, kept = eigenpairs(A)
        method, rank, condition = "eigen", int(kept.sum()), np.inf
        if rank == n:
            condition, cutoff = float(np.abs(values).max()) / float(values.min()), 0.0
        basis = vectors[:, kept]
        solution = basis @ ((basis.T @ y) / values[kept])
        fitted = A @ solution
    residual = float(np.abs(fitted - y).max()) / (float(np.abs(y).max()) or 1.0)
    return solution, FitReport(n, method, n, rank, residual, condition, cutoff, duplicates)


def count_duplicates(X: Array) -> int:
    """Number of rows that repeat an earlier row bit for bit (with −0 taken as 0)."""
    positive_zero = X + 0.0
    return len(X) - len(set(map(np.ndarray.tobytes, positive_zero)))


def distinct_rows(X: Array) -> tuple[Array, IntArray, IntArray]:
    """The distinct rows of X, the number of the distinct row at each row of X, and how often each occurs."""
    return np.unique(X + 0.0, axis=0, return_inverse=True, return_counts=True)


def leave_one_out(kernel: Kernel, X: ArrayLike, y: ArrayLike, ridge: float = 0.0) -> Array:
    """For each point x_i, its prediction y_i − e_i by the fit to all the others, shape (n,).

    e_i = a_i / (A⁻¹)_ii with A = K + ridge·I and a = A⁻¹ y; ridge = 0 is the minimum-norm interpolator. For singular A
    (repeated rows, a linear kernel with n > d) the same holds with A⁺ for a point outside the span of the others;
    inside their span it is the least-squares form e_i = (y − A a)_i / (1 − (A A⁺)_ii).

    >>> leave_one_out(Gaussian(), [[0.0], [9.0]], [1.0, 2.0]).round(6)
    array([0., 0.])
    """
    points = checks.points("X", X)
    targets = checks.targets("y", y, len(points))
    conform(ridge, NonNegative, "ridge")
    A = kernel.gram(points)
    A[np.diag_indices_from(A)] += ridge
    values, vectors, _, kept = eigenpairs(A)
    basis = vectors[:, kept]
    scaled = basis / values[kept]
    coordinates = basis.T @ targets
    leverage = np.einsum("ij,ij->i", basis, basis)
    unspanned = leverage > 1.0 - 1e-8
    with np.errstate(divide="ignore", invalid="ignore"):  # each of the two forms is meant for some points only
        outside = (scaled @ coordinates) / np.einsum("ij,ij->i", scaled, basis)
        inside = (targets - basis @ coordinates) / (1.0 - leverage)
    predictions: Array = targets - np.where(unspanned, outside, inside)
    return predictions
