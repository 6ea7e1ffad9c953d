"""The system (G + ridge·I) b = g for a Gram matrix G, and the variance that its solution leaves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import blas

from kernelbandits.linalg.panels import pieces
from kernelbandits.linalg.symmetric import safe_cholesky, spectrum
from kernelbandits.types import Array

_PANEL = 512


class RidgeSolution(ABC):
    """The weights b of orthonormal basis functions, and how uncertain the data leave them."""

    __slots__ = ()

    b: Array

    @property
    @abstractmethod
    def rank(self) -> int:
        """Number of directions that the data or the ridge determine."""

    @abstractmethod
    def variance(self, V: Array) -> Array:
        """Ridge · vᵀ (G + ridge·I)⁻¹ v for every column v of V, shape (m,)."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class CholeskySolution(RidgeSolution):
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
class EigenSolution(RidgeSolution):
    """With the eigenvectors of G + ridge·I; those with eigenvalue 0 get weight 0 and keep their prior variance.

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


def solve_ridge_system(G: Array, g: Array, ridge: float) -> RidgeSolution:
    """Solve from the upper triangle of G, which is in Fortran order and gets overwritten."""
    G[np.diag_indices_from(G)] += ridge
    _mirror(G)
    cholesky = safe_cholesky(G)
    if cholesky is not None:
        return CholeskySolution(cholesky.solve(g), ridge, cholesky.factor)
    values, vectors, _, kept = spectrum(G)
    seen = vectors[:, kept] / np.sqrt(values[kept])
    return EigenSolution(seen @ (seen.T @ g), ridge, seen, vectors[:, ~kept])


def _mirror(G: Array) -> None:
    """Copy the upper triangle into the lower one, which outlasts a failed factorisation."""
    for rows in pieces(len(G), _PANEL):
        corner = G[rows, rows]
        corner[...] = np.triu(corner) + np.triu(corner, 1).T
        for columns in pieces(rows.start, _PANEL):
            G[rows, columns] = G[columns, rows].T
