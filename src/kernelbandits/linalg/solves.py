"""Solves with symmetric matrices that may be singular: by Cholesky where that is safe, else by eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from scipy.linalg import blas

from kernelbandits.linalg.machine import EPS, pieces, safe_cholesky
from kernelbandits.types import Array, BoolArray

_PANEL = 512


def eigenpairs(A: Array) -> tuple[Array, Array, float, BoolArray]:
    """Eigenvalues of A in ascending order, eigenvectors as columns, a cutoff, and which eigenvalues are above it.

    Only the lower triangle of A is read. Eigenvalues up to the cutoff are zero up to rounding, as `pinv` takes them.
    """
    values, vectors = np.linalg.eigh(A, UPLO="L")
    cutoff = len(A) * EPS * float(np.abs(values).max(initial=0.0))
    return values, vectors, cutoff, values > cutoff


@final
@dataclass(frozen=True, slots=True, eq=False)
class _RegularVariance:
    ridge: float
    factor: Array

    def __call__(self, V: Array) -> Array:
        half = blas.dtrsm(1.0, self.factor, V, trans_a=1)
        variance: Array = self.ridge * np.einsum("ij,ij->j", half, half)
        return variance


@final
@dataclass(frozen=True, slots=True, eq=False)
class _SingularVariance:
    ridge: float
    seen: Array
    unseen: Array

    def __call__(self, V: Array) -> Array:
        half, free = self.seen.T @ V, self.unseen.T @ V
        variance: Array = self.ridge * np.einsum("ij,ij->j", half, half) + np.einsum("ij,ij->j", free, free)
        return variance


class RidgeSolution(NamedTuple):
    """The weights b of r orthonormal basis functions, of which the data or the ridge determine `rank` directions.

    `variance` maps V of shape (r, m) to ridge · vᵀ (G + ridge·I)⁻¹ v for every column v, shape (m,).
    """

    b: Array
    rank: int
    variance: _RegularVariance | _SingularVariance


def solve_ridge_system(G: Array, g: Array, ridge: float) -> RidgeSolution:
    """Solve (G + ridge·I) b = g from the upper triangle of G, which is in Fortran order and gets overwritten.

    If G + ridge·I is singular, eigenvectors of eigenvalue 0 get weight 0 and keep their prior variance.
    """
    G[np.diag_indices_from(G)] += ridge
    _mirror(G)
    cholesky = safe_cholesky(G)
    if cholesky is not None:
        return RidgeSolution(cholesky.solve(g)[0], len(g), _RegularVariance(ridge, cholesky.factor))
    values, vectors, _, kept = eigenpairs(G)
    seen = vectors[:, kept] / np.sqrt(values[kept])
    variance = _SingularVariance(ridge, seen, vectors[:, ~kept])
    return RidgeSolution(seen @ (seen.T @ g), int(kept.sum()), variance)


def _mirror(G: Array) -> None:
    """Copy the upper triangle into the lower one, which outlasts a failed factorisation."""
    for rows in pieces(len(G), _PANEL):
        corner = G[rows, rows]
        corner[...] = np.triu(corner) + np.triu(corner, 1).T
        for columns in pieces(rows.start, _PANEL):
            G[rows, columns] = G[columns, rows].T
