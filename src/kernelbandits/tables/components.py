"""Principal components of dense and of sparse points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, svds
from threadpoolctl import threadpool_limits

from kernelbandits.errors import InvalidArgument
from kernelbandits.types import Array


def principal_axes(centred: Array, dim: int) -> tuple[Array, float]:
    """Return the `dim` directions of largest variance, shape (p, dim), and the share of variance they hold.

    The sign of a direction is such that its largest entry is positive.
    """
    with threadpool_limits(1):  # the last bit must not depend on the number of threads
        values, vectors = np.linalg.eigh(centred.T @ centred)
        top = vectors[:, ::-1][:, :dim]
        largest = top[np.abs(top).argmax(axis=0), np.arange(dim)]
        return top * np.sign(largest), float(values[::-1][:dim].sum() / values.sum())


def project(centred: Array, axes: Array) -> Array:
    """Return the coordinates of centred points along the axes, shape (n, dim)."""
    with threadpool_limits(1):
        return centred @ axes


@final
@dataclass(frozen=True, slots=True, eq=False)
class SparseComponents:
    """x ↦ s (x − μ) V: μ of shape (p,), V of shape (p, d), s such that the fitted rows have mean ‖x‖²/d = `level`."""

    mean: Array
    axes: Array
    scale: float

    def transform(self, rows: sparse.csr_array) -> Array:
        """Return the projected rows, shape (n, d). A column that is 0 in all fitted rows adds nothing."""
        points: Array = rows @ self.axes
        points -= self.mean @ self.axes
        points *= self.scale
        return points


def sparse_components(rows: sparse.csr_array, dim: int, level: float, rng: np.random.Generator) -> SparseComponents:
    """Fit the `dim` leading principal components of the rows, shape (n, p).

    A − 1μᵀ is dense, so it is applied and never formed: (A − 1μᵀ)v = Av − (μᵀv)1. ARPACK needs only such products. It
    finds the components to rounding. A randomised method would mix the last ones, which lie close together, with those
    cut off, and at this size (20,000 × 25,000, 22 entries per row) it would not be faster.
    """
    n, p = rows.shape
    if dim >= min(n, p):
        raise InvalidArgument(f"dim must be below {min(n, p)}, the smaller of {n:,} rows and {p:,} values; got {dim}")
    mean = np.asarray(rows.sum(axis=0)).ravel() / n
    _, _, axes = svds(_centred(rows, mean), k=dim, v0=rng.standard_normal(min(n, p)))
    unscaled = SparseComponents(mean, np.ascontiguousarray(axes[::-1].T), 1.0)
    size = float((unscaled.transform(rows) ** 2).sum()) / (n * dim)
    if size == 0.0:
        raise InvalidArgument("the rows do not differ in any feature, so they have no principal components")
    return SparseComponents(mean, unscaled.axes, float(np.sqrt(level / size)))


def _centred(rows: sparse.csr_array, mean: Array) -> Any:
    """Return A − 1μᵀ as an operator on vectors and matrices."""
    columns = rows.T.tocsr()  # products with Aᵀ are faster by its own rows

    def forward(v: Array) -> Array:
        return np.asarray(rows @ v - mean @ v)

    def backward(u: Array) -> Array:
        return np.asarray(columns @ u - np.multiply.outer(mean, u.sum(axis=0)))

    return LinearOperator(
        rows.shape, matvec=forward, rmatvec=backward, matmat=forward, rmatmat=backward, dtype=np.float64
    )
