"""The system (G + ridge·I) b = g for a Gram matrix G, and the variance that its solution leaves."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas

from kernelbandits.linalg.panels import pieces
from kernelbandits.linalg.symmetric import eigenpairs, safe_cholesky
from kernelbandits.types import Array

_PANEL = 512


class RidgeSolution(NamedTuple):
    """The weights b of orthonormal basis functions, and how uncertain the data leave them.

    Attributes:
        b: the weights, shape (r,).
        rank: number of directions that the data or the ridge determine.
        variance: V of shape (r, m) → ridge · vᵀ (G + ridge·I)⁻¹ v for every column v, shape (m,).

    """

    b: Array
    rank: int
    variance: Callable[[Array], Array]


def solve_ridge_system(G: Array, g: Array, ridge: float) -> RidgeSolution:
    """Solve from the upper triangle of G, which is in Fortran order and gets overwritten.

    If G + ridge·I is singular, eigenvectors of eigenvalue 0 get weight 0 and keep their prior variance.
    """
    G[np.diag_indices_from(G)] += ridge
    _mirror(G)
    cholesky = safe_cholesky(G)
    if cholesky is not None:
        return RidgeSolution(cholesky.solve(g), len(g), partial(_regular_variance, ridge, cholesky.factor))
    values, vectors, _, kept = eigenpairs(G)
    seen = vectors[:, kept] / np.sqrt(values[kept])
    variance = partial(_singular_variance, ridge, seen, vectors[:, ~kept])
    return RidgeSolution(seen @ (seen.T @ g), int(kept.sum()), variance)


# Functions and no closures, because predictors are pickled.


def _regular_variance(ridge: float, factor: Array, V: Array) -> Array:
    half = blas.dtrsm(1.0, factor, V, trans_a=1)
    variance: Array = ridge * np.einsum("ij,ij->j", half, half)
    return variance


def _singular_variance(ridge: float, seen: Array, unseen: Array, V: Array) -> Array:
    half, free = seen.T @ V, unseen.T @ V
    variance: Array = ridge * np.einsum("ij,ij->j", half, half) + np.einsum("ij,ij->j", free, free)
    return variance


def _mirror(G: Array) -> None:
    """Copy the upper triangle into the lower one, which outlasts a failed factorisation."""
    for rows in pieces(len(G), _PANEL):
        corner = G[rows, rows]
        corner[...] = np.triu(corner) + np.triu(corner, 1).T
        for columns in pieces(rows.start, _PANEL):
            G[rows, columns] = G[columns, rows].T
