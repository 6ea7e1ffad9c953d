"""Principal components of a sparse matrix that is centred in thought only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, svds

from kernelbandits.errors import InvalidArgument
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class Embedding:
    """x ↦ s (x − μ) V: μ of shape (p,), V of shape (p, d), s so that the fitted rows have mean ‖x‖²/d = `level`."""

    mean: Array
    components: Array
    scale: float

    def __call__(self, rows: sparse.csr_array) -> Array:
        """The embedded rows, shape (n, d). A column that no fitted row had has weight 0 in V, so it adds nothing."""
        embedded: Array = rows @ self.components
        embedded -= self.mean @ self.components
        embedded *= self.scale
        return embedded


def principal_components(rows: sparse.csr_array, dim: int, level: float, rng: np.random.Generator) -> Embedding:
    """The `dim` leading principal axes of the rows, shape (n, p).

    A − 1μᵀ is dense, so it is applied and never formed: (A − 1μᵀ)v = Av − (μᵀv)1. ARPACK needs no more than such
    products. It finds the components to rounding, where a randomised method would leave the last ones, which lie close
    together, mixed with those cut off; at this size (20,000 × 25,000, 22 entries a row) that would be no quicker.
    """
    n, p = rows.shape
    if dim >= min(n, p):
        raise InvalidArgument(f"dim must be below {min(n, p)}, the smaller of {n:,} rows and {p:,} values; got {dim}")
    mean = np.asarray(rows.sum(axis=0)).ravel() / n
    _, _, axes = svds(_centred(rows, mean), k=dim, v0=rng.standard_normal(min(n, p)))
    unscaled = Embedding(mean, np.ascontiguousarray(axes[::-1].T), 1.0)
    size = float((unscaled(rows) ** 2).sum()) / (n * dim)
    if size == 0.0:
        raise InvalidArgument("the rows do not differ in any feature; nothing can be embedded")
    return Embedding(mean, unscaled.components, float(np.sqrt(level / size)))


def _centred(rows: sparse.csr_array, mean: Array) -> Any:
    """A − 1μᵀ as an operator on vectors and on matrices."""
    columns = rows.T.tocsr()  # products with Aᵀ are quicker by its own rows

    def forward(v: Array) -> Array:
        return np.asarray(rows @ v - mean @ v)

    def backward(u: Array) -> Array:
        return np.asarray(columns @ u - np.multiply.outer(mean, u.sum(axis=0)))

    return LinearOperator(
        rows.shape, matvec=forward, rmatvec=backward, matmat=forward, rmatmat=backward, dtype=np.float64
    )
