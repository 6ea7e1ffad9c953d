"""The solve in whitened coordinates, (G + ridge·I) b = g, that ends a Nyström fit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import blas, lapack

from kernelbandits.linalg import EPS, pieces, safe_threads
from kernelbandits.types import Array

_PANEL = 512


class Solution(ABC):
    """The weights b of the orthonormal basis functions, and what the data leave uncertain of them."""

    __slots__ = ()

    b: Array

    @property
    @abstractmethod
    def rank(self) -> int:
        """Number of directions about which the data say something, or the ridge does."""

    @abstractmethod
    def variance(self, V: Array) -> Array:
        """Ridge · vᵀ (G + ridge·I)⁻¹ v for every column v of V, shape (m,)."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class CholeskySolution(Solution):
    """With G + ridge·I = UᵀU, U upper triangular."""

    b: Array
    ridge: float
    factor: Array

    @property
    def rank(self) -> int:
        return len(self.b)

    def variance(self, V: Array) -> Array:
        half = blas.dtrsm(1.0, self.factor, V, trans_a=1)
        variance: Array = self.ridge * np.einsum("ij,ij->j", half, half)
        return variance


@final
@dataclass(frozen=True, slots=True, eq=False)
class EigenSolution(Solution):
    """With the eigenvectors of G + ridge·I; those of eigenvalues near 0 have weight 0 and stay as uncertain as before.

    Attributes:
        seen: eigenvectors that were used, divided by the root of their eigenvalue, shape (r, rank).
        unseen: the others, shape (r, r − rank).

    """

    b: Array
    ridge: float
    seen: Array
    unseen: Array

    @property
    def rank(self) -> int:
        return int(self.seen.shape[1])

    def variance(self, V: Array) -> Array:
        half, free = self.seen.T @ V, self.unseen.T @ V
        variance: Array = self.ridge * np.einsum("ij,ij->j", half, half) + np.einsum("ij,ij->j", free, free)
        return variance


def solve_whitened(G: Array, g: Array, ridge: float) -> Solution:
    """From the upper triangle of G, which is in Fortran order and used up."""
    G[np.diag_indices_from(G)] += ridge
    _mirror(G)
    return _by_cholesky(G, g, ridge) or _by_eigenvalues(G, g, ridge)


def _mirror(G: Array) -> None:
    """Write the upper triangle into the lower one, where a second try finds it again."""
    for rows in pieces(len(G), _PANEL):
        corner = G[rows, rows]
        corner[...] = np.triu(corner) + np.triu(corner, 1).T
        for columns in pieces(rows.start, _PANEL):
            G[rows, columns] = G[columns, rows].T


def _by_cholesky(G: Array, g: Array, ridge: float) -> CholeskySolution | None:
    """In place of the upper triangle; None, with G as it was in the lower one, when G is too close to singular."""
    n = len(G)
    diagonal = G.diagonal().copy()
    one_norm = float(lapack.dlange("1", G))  # type: ignore[call-arg]
    with safe_threads(n):
        factor, info = lapack.dpotrf(G, lower=0, clean=0, overwrite_a=1)
    if info or lapack.dpocon(factor, one_norm)[0] < 10.0 * n * EPS:
        G[np.diag_indices_from(G)] = diagonal
        return None
    return CholeskySolution(lapack.dpotrs(factor, g, lower=0)[0], ridge, factor)


def _by_eigenvalues(G: Array, g: Array, ridge: float) -> EigenSolution:
    values, vectors = np.linalg.eigh(G, UPLO="L")
    kept = values > len(G) * EPS * float(np.abs(values).max(initial=0.0))
    seen = vectors[:, kept] / np.sqrt(values[kept])
    return EigenSolution(seen @ (seen.T @ g), ridge, seen, vectors[:, ~kept])
