"""The orthonormal basis of the span of M centres in the RKHS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import blas, lapack

from kernelbandits.kernels import Kernel
from kernelbandits.linalg import EPS, one_thread
from kernelbandits.types import Array

_BLOCK = 2**21
"""Size of a block of K(X, centres) in doubles: 16 MiB."""
_WELL_CONDITIONED = 1e5


def rows_of_block(n_centers: int) -> int:
    """Number of rows to process at once."""
    return max(256, _BLOCK // n_centers)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Centres that do not span each other, with the factor K_MM = Rᵀ R.

    Functions are f = Σ_j b_j φ_j with the orthonormal φ = R⁻ᵀ K(centres, ·), so that ‖f‖ = ‖b‖.

    Attributes:
        centers: the centres used, shape (r, d).
        factor: R, upper triangular, shape (r, r), in Fortran order; entries below the diagonal are arbitrary.
        n_given: number of centres before spanned ones were left out.
        cutoff: a centre was left out if its squared RKHS distance from the span of the others is at most this.
        condition: estimate of the condition number of K_MM at the centres used.

    """

    kernel: Kernel
    centers: Array
    factor: Array
    n_given: int
    cutoff: float
    condition: float

    @staticmethod
    def of(kernel: Kernel, centers: Array) -> Basis:
        """The basis by Cholesky with complete pivoting, which stops when only rounding error is left."""
        K = kernel.gram(centers)
        norm = float(lapack.dlange("1", K.T))  # type: ignore[call-arg]
        cutoff = len(K) * EPS * max(float(K.diagonal().max()), 0.0)
        with one_thread():  # it works row by row, so threads would mostly wait for each other
            # K.T is K in Fortran order, so LAPACK works in place.
            factor, pivots, rank, _ = lapack.dpstrf(K.T, tol=cutoff, overwrite_a=1)
        if not rank:  # the kernel is 0 at every centre, as a linear one is at the origin: keep one of them
            return Basis(kernel, centers[:1].copy(), np.ones((1, 1)), len(centers), cutoff, 1.0)
        kept = np.asarray(pivots[:rank]) - 1
        factor = factor if rank == len(K) else np.asfortranarray(factor[:rank, :rank])
        reciprocal = float(lapack.dpocon(factor, norm)[0])
        condition = 1.0 / reciprocal if reciprocal else np.inf
        return Basis(kernel, centers[kept], factor, len(centers), cutoff, condition)

    @property
    def size(self) -> int:
        """Number of centres used, r."""
        return len(self.centers)

    @property
    def well_conditioned(self) -> bool:
        """Whether sums can be whitened at the end; otherwise each block is whitened, at twice the work.

        Whitening K_MN K_NM from both sides multiplies its rounding error by the condition number of K_MM.
        """
        return self.condition <= _WELL_CONDITIONED

    def whiten(self, K: Array) -> Array:
        """R⁻ᵀ K(centres, z) for every row z, shape (r, m), from K(Z, centres) of shape (m, r), which is overwritten."""
        whitened: Array = blas.dtrsm(1.0, self.factor, K.T, trans_a=1, overwrite_b=1)
        return whitened

    def coefficients(self, b: Array) -> Array:
        """The a with Σ_j a_j K(·, c_j) = Σ_j b_j φ_j, that is R⁻¹ b."""
        solved: Array = blas.dtrsv(self.factor, b)
        return solved
