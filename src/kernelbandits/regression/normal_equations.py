"""The normal equations of a fit to M centres, summed up block by block: O(M² + block) memory for any number of rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import blas, lapack

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Features, Kernel
from kernelbandits.linalg import EPS, one_thread, pieces, safe_threads
from kernelbandits.regression.workers import row_workers
from kernelbandits.types import Array

_BLOCK = 2**21
"""Numbers in a block of K(X, centres): 16 MiB."""
_WELL_CONDITIONED = 1e5


def rows_of_block(n_centers: int) -> int:
    """Rows that are worked on at once."""
    return max(256, _BLOCK // n_centers)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Centres with the factor K_MM = Rᵀ R of those that the others do not span.

    Functions are f = Σ_j b_j φ_j with the orthonormal φ = R⁻ᵀ K(centres, ·), so that ‖f‖ = ‖b‖.

    Attributes:
        centers: the centres that are used, shape (r, d).
        factor: R, upper triangular, shape (r, r), in Fortran order; what stands below the diagonal is of no meaning.
        n_given: how many centres there were before the cut.
        cutoff: centres of which the others leave at most this (a squared distance in the RKHS) were left out.
        condition: estimate of the condition number of K_MM at the centres that are used.

    """

    kernel: Kernel
    centers: Array
    factor: Array
    n_given: int
    cutoff: float
    condition: float

    @staticmethod
    def of(kernel: Kernel, centers: Array) -> Basis:
        """By Cholesky with complete pivoting, which stops where what is left is rounding error."""
        K = kernel.gram(centers)
        norm = float(lapack.dlange("1", K.T))  # type: ignore[call-arg]
        cutoff = len(K) * EPS * max(float(K.diagonal().max()), 0.0)
        with one_thread():  # it goes row by row: threads would wait for each other more than they work
            # K.T is K in Fortran order, so LAPACK works in place.
            factor, pivots, rank, _ = lapack.dpstrf(K.T, tol=cutoff, overwrite_a=1)
        if not rank:  # the kernel is 0 at every centre, as a linear one is at the origin: one of them stands for all
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
        """Whether whitening may wait until the sums are made. Else it is done to every block, at twice the work.

        Whitening K_MN K_NM from both sides multiplies its rounding error by the condition number of K_MM.
        """
        return self.condition <= _WELL_CONDITIONED

    def whiten(self, K: Array) -> Array:
        """R⁻ᵀ K(centres, z) for every row z, from K(Z, centres) of shape (m, r), which is overwritten; shape (r, m)."""
        whitened: Array = blas.dtrsm(1.0, self.factor, K.T, trans_a=1, overwrite_b=1)
        return whitened

    def coefficients(self, b: Array) -> Array:
        """The a with Σ_j a_j K(·, c_j) = Σ_j b_j φ_j, that is R⁻¹ b."""
        solved: Array = blas.dtrsv(self.factor, b)
        return solved


@final
class NormalEquations:
    """Sums over the rows of data, Σ v vᵀ and Σ v y with v = K(centres, x), whitened where that must not wait.

    Made for adding to: `add` takes rows, `merge` the sums over other rows (another partition, another machine).
    """

    __slots__ = ("_right", "basis", "gram", "moments", "n", "square")

    def __init__(self, basis: Basis) -> None:
        self.basis = basis
        self.gram = np.zeros((basis.size, basis.size))  # the lower triangle counts
        self.moments = np.zeros(basis.size)
        self.square = 0.0
        self.n = 0
        self._right: Features = basis.kernel.right(basis.centers)

    def add(self, X: Array, y: Array) -> None:
        """Take in rows X of shape (n, d) with targets y of shape (n,)."""
        with row_workers(len(X)) as workers:
            for rows in pieces(len(X), rows_of_block(self.basis.size)):
                seen = workers.each(self._see, X[rows], y[rows])
                workers.add_grams(self.gram, [V for V, _ in seen])
                self.moments += sum(moments for _, moments in seen)
        self.square += float(y @ y)
        self.n += len(X)

    def _see(self, X: Array, y: Array) -> tuple[Array, Array]:
        """V = K(X, centres), whitened where that must not wait, and Vᵀ y."""
        kernel = self.basis.kernel
        V = kernel.evaluate(kernel.left(X), self._right)
        if not self.basis.well_conditioned:
            V = self.basis.whiten(V).T
        return V, y @ V

    def merge(self, other: NormalEquations) -> None:
        """Take in the sums over other rows; both must be over the same centres."""
        if not np.array_equal(other.basis.centers, self.basis.centers):
            raise InvalidArgument("sums can be merged only if they are over the same centres; make one basis for all")
        self.gram += other.gram
        self.moments += other.moments
        self.square += other.square
        self.n += other.n

    def whitened(self) -> tuple[Array, Array]:
        """Σ φ φᵀ (its upper triangle, in Fortran order) and Σ φ y. The sums must not be used after that."""
        gram = self.gram.T
        if not self.basis.well_conditioned:
            return gram, self.moments
        with safe_threads(len(gram)):
            reduced, _ = lapack.dsygst(gram, self.basis.factor, overwrite_a=1)
        return reduced, blas.dtrsv(self.basis.factor, self.moments, trans=1)


def sums(basis: Basis, blocks: Iterable[tuple[Array, Array]]) -> NormalEquations:
    """The normal equations of all blocks (X, y)."""
    equations = NormalEquations(basis)
    for X, y in blocks:
        equations.add(X, y)
    return equations
