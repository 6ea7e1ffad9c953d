"""Symmetric matrices that may be singular: a Cholesky factor where it is safe, else eigenvalues."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from kernelbandits.linalg.precision import EPS
from kernelbandits.linalg.threads import safe_threads
from kernelbandits.types import Array, BoolArray


class SafeCholesky(NamedTuple):
    """A = UᵀU, with U in the upper triangle of `factor`; its strict lower triangle still holds A.

    Attributes:
        factor: shape (n, n), in Fortran order.
        diagonal: that of A, shape (n,).
        condition: estimate of the condition number of A.

    """

    factor: Array
    diagonal: Array
    condition: float

    def solve(self, y: Array) -> Array:
        """A⁻¹ y, shape (n,)."""
        solution: Array = lapack.dpotrs(self.factor, y, lower=0)[0]
        return solution

    def product(self, x: Array) -> Array:
        """A x, shape (n,)."""
        product: Array = blas.dsymv(1.0, self.factor, x, lower=1) + (self.diagonal - self.factor.diagonal()) * x
        return product


def safe_cholesky(A: Array) -> SafeCholesky | None:
    """Factor A, which is in Fortran order, in place of its upper triangle.

    None if A is too close to singular; then the lower triangle and the diagonal of A are as they were.
    """
    n = len(A)
    diagonal = A.diagonal().copy()
    one_norm = float(lapack.dlange("1", A))  # type: ignore[call-arg]
    with safe_threads(n):
        factor, info = lapack.dpotrf(A, lower=0, clean=0, overwrite_a=1)
    reciprocal = 0.0 if info else float(lapack.dpocon(factor, one_norm)[0])
    if info or reciprocal < 10.0 * n * EPS:
        A[np.diag_indices_from(A)] = diagonal
        return None
    return SafeCholesky(factor, diagonal, 1.0 / reciprocal)


class Eigenpairs(NamedTuple):
    """Eigenvalues of a symmetric matrix in ascending order, shape (n,), with eigenvectors as columns.

    Attributes:
        values: the eigenvalues.
        vectors: the eigenvectors.
        cutoff: eigenvalues up to this are zero up to rounding, as `pinv` takes them.
        kept: which eigenvalues are above it.

    """

    values: Array
    vectors: Array
    cutoff: float
    kept: BoolArray


def eigenpairs(A: Array) -> Eigenpairs:
    """The eigenpairs of A, from its lower triangle."""
    values, vectors = np.linalg.eigh(A, UPLO="L")
    cutoff = len(A) * EPS * float(np.abs(values).max(initial=0.0))
    return Eigenpairs(values, vectors, cutoff, values > cutoff)
