"""The normal equations of a fit to M centres, summed block by block: O(M² + block) memory for any number of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, TypeAlias, final

import numpy as np
from scipy.linalg import blas, lapack

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel
from kernelbandits.linalg import EPS, blas_threads, one_thread, pieces, safe_threads
from kernelbandits.types import Array

_BLOCK = 2**21  # size of a block of K(X, centres) in doubles: 16 MiB
_WELL_CONDITIONED = 1e5
_PANEL = 384
_FEW_ROWS = 1024

Map: TypeAlias = Callable[..., Iterable[Any]]
"""`map`, or that of a pool of threads."""


def rows_of_block(n_centers: int) -> int:
    """Number of rows to process at once."""
    return max(256, _BLOCK // n_centers)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """Centres that do not span each other, with the factor K_MM = Rᵀ R.

    Functions are f = Σ_j b_j φ_j with the orthonormal φ = R⁻ᵀ K(centres, ·), so that ‖f‖ = ‖b‖.
    """

    kernel: Kernel
    centers: Array  # those used, shape (r, d)
    factor: Array  # R, upper triangular, shape (r, r), in Fortran order; entries below the diagonal are arbitrary
    n_given: int  # number of centres before spanned ones were left out
    cutoff: float  # a centre was left out if its squared RKHS distance from the span of the others is at most this
    condition: float  # estimate of the condition number of K_MM at the centres used

    def _validate(self) -> None:
        checks.refuse_misshapen(self, centers=(len(self.factor), None), factor=(len(self.factor), len(self.factor)))

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
        return blas.dtrsm(1.0, self.factor, K.T, trans_a=1, overwrite_b=1)

    def coefficients(self, b: Array) -> Array:
        """The a with Σ_j a_j K(·, c_j) = Σ_j b_j φ_j, that is R⁻¹ b."""
        return blas.dtrsv(self.factor, b)


@final
@dataclass(slots=True, eq=False)
class Sums:
    """Sums over n rows (x, y) of data: Σ v vᵀ in the lower triangle, Σ v y, Σ y².

    v = K(centres, x), whitened if K_MM is ill-conditioned.
    """

    gram: Array
    moments: Array
    square: float = 0.0
    n: int = 0

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.gram + other.gram, self.moments + other.moments, self.square + other.square, self.n + other.n)


@final
class NormalEquations:
    """A basis and the sums over the rows of data: `add` adds rows, `merge` the sums over other rows."""

    __slots__ = ("_right", "basis", "sums")

    def __init__(self, basis: Basis, sums: Sums | None = None) -> None:
        self.basis = basis
        self.sums = sums or Sums(np.zeros((basis.size, basis.size)), np.zeros(basis.size))
        self._right = basis.kernel.right(basis.centers)

    def add(self, X: Array, y: Array) -> None:
        """Add rows X of shape (n, d) with targets y of shape (n,), on as many threads as BLAS may use."""
        n_threads = blas_threads() if len(X) >= _FEW_ROWS else 1
        if n_threads == 1:
            self._add_blocks(X, y, 1, map, add_grams)
        else:  # elementwise work gains from Python's threads too; BLAS keeps to one thread in each
            with one_thread(), ThreadPoolExecutor(n_threads) as pool:
                self._add_blocks(X, y, n_threads, pool.map, partial(add_grams_by_panels, pool.map))
        self.sums.square += float(y @ y)
        self.sums.n += len(X)

    def _add_blocks(
        self, X: Array, y: Array, n_parts: int, run: Map, add: Callable[[Array, Sequence[Array]], None]
    ) -> None:
        """Add rows block by block, each split into `n_parts` parts for `run`; `add` adds the Gram matrices of parts."""
        for rows in pieces(len(X), rows_of_block(self.basis.size)):
            block, targets = X[rows], y[rows]
            parts = list(pieces(len(block), -(-len(block) // n_parts)))
            seen = list(run(self._see, [block[part] for part in parts], [targets[part] for part in parts]))
            add(self.sums.gram, [V for V, _ in seen])
            self.sums.moments += sum(moments for _, moments in seen)

    def _see(self, X: Array, y: Array) -> tuple[Array, Array]:
        """V = K(X, centres), whitened if K_MM is ill-conditioned, and Vᵀ y."""
        kernel = self.basis.kernel
        V = kernel.evaluate(kernel.left(X), self._right)
        if not self.basis.well_conditioned:
            V = self.basis.whiten(V).T
        return V, y @ V

    def merge(self, other: NormalEquations) -> None:
        """Add the sums over other rows; both must have the same centres."""
        if not np.array_equal(other.basis.centers, self.basis.centers):
            raise InvalidArgument("sums can be merged only if they are over the same centres; make one basis for all")
        self.sums += other.sums

    def whitened(self) -> tuple[Array, Array]:
        """Σ φ φᵀ (upper triangle, in Fortran order) and Σ φ y. Overwrites the sums."""
        gram = self.sums.gram.T
        if not self.basis.well_conditioned:
            return gram, self.sums.moments
        with safe_threads(len(gram)):
            reduced, _ = lapack.dsygst(gram, self.basis.factor, overwrite_a=1)
        return reduced, blas.dtrsv(self.basis.factor, self.sums.moments, trans=1)


def add_grams(G: Array, Vs: Sequence[Array]) -> None:
    """G += Σ VᵀV in the lower triangle, in place."""
    for V in Vs:
        blas.dsyrk(1.0, V.T, beta=1.0, c=G.T, overwrite_c=1)


def add_grams_by_panels(run: Map, G: Array, Vs: Sequence[Array]) -> None:
    """`add_grams` with one task per panel of G: no panel has two writers, so every run gives the same sums."""

    def add(panel: tuple[slice, slice]) -> None:
        rows, columns = panel
        for V in Vs:
            G[rows, columns] += V[:, rows].T @ V[:, columns]

    panels = [(r, c) for r, c in product(pieces(len(G), _PANEL), repeat=2) if c.start <= r.start]
    list(run(add, panels))
