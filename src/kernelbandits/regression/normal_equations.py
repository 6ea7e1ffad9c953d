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

from kernelbandits.errors import InvalidArgument
from kernelbandits.linalg import blas_threads, one_thread, pieces, safe_threads
from kernelbandits.regression.basis import Basis, rows_of_block
from kernelbandits.types import Array

_PANEL = 384
_FEW_ROWS = 1024

Map: TypeAlias = Callable[..., Iterable[Any]]
"""`map`, or that of a pool of threads."""


@final
@dataclass(slots=True, eq=False)
class Sums:
    """Sums over rows (x, y) of data with v = K(centres, x), whitened if K_MM is ill-conditioned.

    Attributes:
        gram: Σ v vᵀ in the lower triangle, shape (r, r).
        moments: Σ v y, shape (r,).
        square: Σ y².
        n: number of rows.

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
