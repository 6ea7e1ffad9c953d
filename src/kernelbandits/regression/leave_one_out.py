"""Leave-one-out errors of the interpolator and of kernel ridge regression in closed form: one solve instead of n."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels.base import Kernel
from kernelbandits.linalg import EPS
from kernelbandits.types import Array, ArrayLike


@final
@dataclass(frozen=True, slots=True, eq=False)
class LeaveOneOut:
    """What every point would have been predicted by the fit to all the others.

    Attributes:
        errors: y_i − f̂₋ᵢ(x_i), shape (n,).
        predictions: f̂₋ᵢ(x_i), shape (n,).

    """

    errors: Array
    predictions: Array

    @property
    def mean_square(self) -> float:
        """Mean squared error: an estimate of E(y − f̂(x))² for a fit to n − 1 points, the noise of y included."""
        return float(np.mean(self.errors**2))


def leave_one_out(kernel: Kernel, X: ArrayLike, y: ArrayLike, ridge: float = 0.0) -> LeaveOneOut:
    """e_i = a_i / (A⁻¹)_ii with A = K + ridge·I and a = A⁻¹ y; ridge = 0 is the minimum-norm interpolator.

    Where A is singular (repeated rows, a linear kernel with n > d) the same holds with A⁺ for a point that no other
    points span; a point that they do span has the least-squares form e_i = (y − A a)_i / (1 − (A A⁺)_ii).

    >>> leave_one_out(Gaussian(), [[0.0], [9.0]], [1.0, 2.0]).errors.round(6)
    array([1., 2.])
    """
    points = checks.points("X", X)
    targets = checks.targets("y", y, len(points))
    if not (np.isfinite(ridge) and ridge >= 0):
        raise InvalidArgument(f"ridge must be a finite number of at least 0; got {ridge!r}")
    A = kernel.gram(points)
    A[np.diag_indices_from(A)] += ridge
    errors = _errors(A, targets)
    return LeaveOneOut(errors, targets - errors)


_FREE = 1e-8  # a leverage this close to 1 is 1: the point is not in the span of the others


def _errors(A: Array, y: Array) -> Array:
    values, vectors = np.linalg.eigh(A)
    kept = values > len(A) * EPS * max(float(values[-1]), 0.0)
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
