"""The one owner of a growing Cholesky factor: rows are appended in place, nothing is ever factored again.

For A = L Lᵀ it keeps W = L⁻¹, because a new row of W costs two matrix–vector products, and every later solve with L is
a plain matrix product (faster than a triangular solve from Python, and no copy of the factor's slice).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from kernelbandits.types import Array

EPS = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)


class _Buffer:
    """Room for rows, shared by a factor and its successors; `used` rows have been written."""

    __slots__ = ("rows", "used")

    def __init__(self, rows: Array, used: int) -> None:
        self.rows = rows
        self.used = used


@dataclass(frozen=True, slots=True)
class Appended:
    """What appending a row and column to A said: the new row (ℓ, p) of L, and whether p had to be floored."""

    row: Array
    pivot: float
    floored: bool


class InverseFactor:
    """W = L⁻¹ of A = L Lᵀ, an immutable view of the first n rows of a buffer that may have grown since.

    Appending to the newest view writes in place, with amortised doubling; appending to an older one copies first. So
    a factor is a value, and a chain of appends costs O(n²) each.
    """

    __slots__ = ("_buffer", "n")

    def __init__(self, buffer: _Buffer, n: int) -> None:
        self._buffer = buffer
        self.n = n

    @staticmethod
    def empty(room: int = 16) -> InverseFactor:
        """The factor of a 0 × 0 matrix."""
        return InverseFactor(_Buffer(np.zeros((room, room)), 0), 0)

    @staticmethod
    def of(A: Array) -> InverseFactor | None:
        """The factor of a positive definite matrix, or None if rounding leaves it indefinite. Overwrites A."""
        n = len(A)
        # Aᵀ = A is in Fortran order: LAPACK works in place. Its upper factor U = Lᵀ read row-wise is L.
        upper, info = lapack.dpotrf(A.T, lower=0, clean=1, overwrite_a=1)
        if info:
            return None
        inverse, info = lapack.dtrtri(upper, lower=0, overwrite_c=1)
        if info:
            return None
        return InverseFactor(_Buffer(np.ascontiguousarray(inverse.T), n), n)

    @property
    def inverse(self) -> Array:
        """W, lower triangular, shape (n, n). A view: do not write."""
        return self._buffer.rows[: self.n, : self.n]

    @property
    def log_det(self) -> float:
        """Log det A = −2 Σ log W_jj."""
        return -2.0 * float(np.log(self._buffer.rows.diagonal()[: self.n]).sum())

    @property
    def is_newest(self) -> bool:
        """Whether no successor has been appended, so that rows beyond n are free."""
        return self._buffer.used == self.n

    def whiten(self, B: Array) -> Array:
        """L⁻¹ B for B of shape (n,) or (n, m)."""
        return self.inverse @ B

    def append(self, whitened: Array, diagonal: float) -> tuple[InverseFactor, Appended]:
        """The factor of A with one more row and column: `whitened` is L⁻¹ a for the new column a.

        A corner that rounding makes smaller than its own error is floored there; the answer says so.
        """
        n = self.n
        remainder = diagonal - float(whitened @ whitened)
        floor = max(EPS * max(n, 1) * diagonal, TINY)
        floored = remainder < floor
        pivot = float(np.sqrt(floor if floored else remainder))
        buffer = self._writable()
        row = buffer.rows[n]
        np.matmul(whitened, self.inverse, out=row[:n])
        row[:n] /= -pivot
        row[n] = 1.0 / pivot
        buffer.used = n + 1
        return InverseFactor(buffer, n + 1), Appended(whitened, pivot, floored)

    def _writable(self) -> _Buffer:
        """A buffer whose row n is free: this one, or a copy if a successor has it or it is full."""
        buffer, n = self._buffer, self.n
        room = len(buffer.rows)
        if buffer.used == n and n < room:
            return buffer
        rows = np.zeros((max(16, 2 * n if n == room else room),) * 2)
        rows[:n, :n] = self.inverse
        return _Buffer(rows, n)
