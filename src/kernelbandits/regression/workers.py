"""Sums over kernel blocks on all the threads that BLAS may use, what is elementwise in a kernel included."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from typing import TypeAlias, final

from scipy.linalg import blas

from kernelbandits.linalg import blas_threads, one_thread, pieces
from kernelbandits.types import Array

_PANEL = 384
_FEW_ROWS = 1024


Block: TypeAlias = tuple[Array, Array]
"""V and Vᵀ y of some rows."""
Make: TypeAlias = Callable[[Array, Array], Block]


class Workers(ABC):
    """How blocks V are made and G += Σ VᵀV is summed up, in the lower triangle."""

    @abstractmethod
    def each(self, make: Make, X: Array, y: Array) -> list[Block]:
        """`make` of every part of the rows, in their order."""

    @abstractmethod
    def add_grams(self, G: Array, Vs: Sequence[Array]) -> None:
        """G += Σ VᵀV in the lower triangle."""


@final
class _One(Workers):
    """On one thread, by the BLAS routine for it, in place."""

    def each(self, make: Make, X: Array, y: Array) -> list[Block]:
        return [make(X, y)]

    def add_grams(self, G: Array, Vs: Sequence[Array]) -> None:
        for V in Vs:
            blas.dsyrk(1.0, V.T, beta=1.0, c=G.T, overwrite_c=1)


@final
class _Several(Workers):
    """On threads of Python, for numpy's products and elementwise functions, which let go of the interpreter.

    Each has a share of the rows, then of the panels of G. So no panel has two writers, and the sums are the same in
    every run.
    """

    def __init__(self, pool: ThreadPoolExecutor, n_threads: int) -> None:
        self._pool = pool
        self._n_threads = n_threads

    def each(self, make: Make, X: Array, y: Array) -> list[Block]:
        parts = list(pieces(len(X), -(-len(X) // self._n_threads)))
        return list(self._pool.map(make, [X[part] for part in parts], [y[part] for part in parts]))

    def add_grams(self, G: Array, Vs: Sequence[Array]) -> None:
        def add(panel: tuple[slice, slice]) -> None:
            rows, columns = panel
            for V in Vs:
                G[rows, columns] += V[:, rows].T @ V[:, columns]

        panels = [(r, c) for r, c in product(pieces(len(G), _PANEL), repeat=2) if c.start <= r.start]
        list(self._pool.map(add, panels))


@contextmanager
def row_workers(n_rows: int) -> Iterator[Workers]:
    """For as many threads as BLAS may use here; meanwhile BLAS itself keeps to one in each."""
    n_threads = blas_threads() if n_rows >= _FEW_ROWS else 1
    if n_threads == 1:
        yield _One()
        return
    with one_thread(), ThreadPoolExecutor(n_threads) as pool:
        yield _Several(pool, n_threads)
