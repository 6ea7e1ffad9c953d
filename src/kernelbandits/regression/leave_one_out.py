"""Leave-one-out predictions of the interpolator and of kernel ridge regression, by one solve instead of n."""

from __future__ import annotations

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel
from kernelbandits.linalg import eigenpairs
from kernelbandits.types import Array, ArrayLike


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
    if not (np.isfinite(ridge) and ridge >= 0):
        raise InvalidArgument(f"ridge must be a finite number of at least 0; got {ridge!r}")
    A = kernel.gram(points)
    A[np.diag_indices_from(A)] += ridge
    return targets - _errors(A, targets)


_FREE = 1e-8
"""A leverage this close to 1 counts as 1: the point is outside the span of the others."""


def _errors(A: Array, y: Array) -> Array:
    values, vectors, _, kept = eigenpairs(A)
    basis = vectors[:, kept]
    scaled = basis / values[kept]
    weights = scaled @ (basis.T @ y)
    inverse_diagonal = np.einsum("ij,ij->i", scaled, basis)
    leverage = np.einsum("ij,ij->i", basis, basis)
    unspanned = leverage > 1.0 - _FREE
    residual = y - basis @ (basis.T @ y)
    errors = np.empty_like(y)
    errors[unspanned] = weights[unspanned] / inverse_diagonal[unspanned]
    errors[~unspanned] = residual[~unspanned] / (1.0 - leverage[~unspanned])
    return errors
