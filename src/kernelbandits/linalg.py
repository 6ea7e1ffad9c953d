"""`InverseFactor`, the one owner of a growing Cholesky factor: rows are appended, nothing is ever factored again.

For A = L Lᵀ it keeps W = L⁻¹, because every later solve with L is then a plain matrix product: faster than a triangular
solve from Python, and no copy of the factor's slice. New rows wait until W is asked for; then all of them are folded in
by matrix–matrix products.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from math import sqrt
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from kernelbandits.types import Array

EPS = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)
_PIECE = 192
_FACTOR_ON_ONE_THREAD = 12_000


def safe_threads(n: int) -> AbstractContextManager[object]:
    """A context in which to factor an n × n matrix: one thread for a very large one.

    The threaded Cholesky factorisation of OpenBLAS, as numpy and scipy bring it, ends the process with a segmentation
    fault from n of about 16,000 on.
    """
    return nullcontext() if n < _FACTOR_ON_ONE_THREAD else one_thread()


def one_thread() -> AbstractContextManager[object]:
    """A context in which BLAS works on one thread."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(1)
    return limits


def blas_threads() -> int:
    """The most threads that a BLAS library of this process may use now."""
    from threadpoolctl import threadpool_info

    return max((pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"), default=1)


class Appended(NamedTuple):
    """A row (ℓ, p) that was appended to L, and whether its pivot p had to be floored."""

    row: Array
    pivot: float
    floored: bool


class _Buffer:
    """What a factor and its successors share: W for the first rows, and rows of L that wait to be folded in."""

    __slots__ = ("folded", "inverse", "used", "waiting")

    def __init__(self, inverse: Array, folded: int) -> None:
        self.inverse = inverse
        self.folded = self.used = folded
        self.waiting = np.zeros((0, 0))

    def append(self, row: Array, pivot: float) -> None:
        """Let the row (ℓ, p) of L wait; its zeros to the right stand in the array already."""
        place, n = self.used - self.folded, self.used
        if place == len(self.waiting) or n == self.waiting.shape[1]:
            larger = np.zeros((max(16, 2 * place), 2 * n + 16))
            larger[:place, : self.waiting.shape[1]] = self.waiting[:place]
            self.waiting = larger
        self.waiting[place, :n] = row
        self.waiting[place, n] = pivot
        self.used = n + 1

    def fold(self) -> None:
        """With the waiting rows [C D] of L: the new rows of W are [−D⁻¹ C W, D⁻¹]."""
        m, n = self.folded, self.used
        if n > len(self.inverse):
            larger = np.zeros((n + max(16, n // 8),) * 2)  # close together, so that much of it stays in the cache
            larger[:m, :m] = self.inverse[:m, :m]
            self.inverse = larger
        C, D = self.waiting[: n - m, :m], self.waiting[: n - m, m:n]
        if n == m + 1:  # the live case, one observation at a time: a vector times W, and a number
            row = self.inverse[m:n, :m]
            _times_lower(C, self.inverse[:m, :m], out=row)
            row /= -D[0, 0]
            self.inverse[m, m] = 1.0 / D[0, 0]
        else:
            D_inverse, _ = lapack.dtrtri(D, lower=1)  # leaves the zeros above the diagonal alone
            _times_lower(-(D_inverse @ C), self.inverse[:m, :m], out=self.inverse[m:n, :m])
            self.inverse[m:n, m:n] = D_inverse
        self.waiting[: n - m] = 0.0
        self.folded = n

    def fork(self, n: int) -> _Buffer:
        """A copy of the first n rows."""
        m = min(self.folded, n)
        copy = _Buffer(self.inverse[:m, :m].copy(), m)
        for i in range(m, n):
            row = self.waiting[i - self.folded]
            copy.append(row[:i], float(row[i]))
        return copy


class InverseFactor:
    """W = L⁻¹ of A = L Lᵀ for the first n rows of a buffer that may have grown since. A value.

    Appending to the newest view extends the buffer, appending to an older one copies it first. A chain of appends costs
    O(n²) each, as matrix–matrix work when W is asked for only now and then.
    """

    __slots__ = ("_buffer", "n")

    def __init__(self, buffer: _Buffer, n: int) -> None:
        self._buffer = buffer
        self.n = n

    @staticmethod
    def empty() -> InverseFactor:
        """The factor of a 0 × 0 matrix."""
        return InverseFactor(_Buffer(np.zeros((0, 0)), 0), 0)

    @staticmethod
    def of(A: Array) -> InverseFactor | None:
        """The factor of a positive definite matrix, or None if rounding leaves it indefinite. Overwrites A."""
        # Aᵀ = A is in Fortran order: LAPACK works in place. Its upper factor U = Lᵀ read row-wise is L.
        with safe_threads(len(A)):
            upper, info = lapack.dpotrf(A.T, lower=0, clean=1, overwrite_a=1)
            if info:
                return None
            inverse, info = lapack.dtrtri(upper, lower=0, overwrite_c=1)
        if info:
            return None
        return InverseFactor(_Buffer(np.ascontiguousarray(inverse.T), len(A)), len(A))

    @property
    def is_newest(self) -> bool:
        """Whether no successor has been appended."""
        return self._buffer.used == self.n

    @property
    def inverse(self) -> Array:
        """W, lower triangular, shape (n, n). A view: do not write."""
        if self._buffer.folded < self.n:
            self._buffer.fold()
        return self._buffer.inverse[: self.n, : self.n]

    @property
    def log_det(self) -> float:
        """Log det A = −2 Σ log W_jj."""
        return -2.0 * float(np.log(self.inverse.diagonal()).sum())

    def whiten(self, B: Array) -> Array:
        """L⁻¹ B for B of shape (n,) or (n, m)."""
        return lower_times(self.inverse, B)

    def append(self, whitened: Array, diagonal: float, remainder: float) -> tuple[InverseFactor, Appended]:
        """The factor of A with one more row and column: `whitened` is ℓ = L⁻¹ a for the new column a.

        `diagonal` is the new corner and `remainder` what is left of it, diagonal − ‖ℓ‖². A remainder that is smaller
        than its rounding error is set to that; the answer says so.
        """
        n, buffer = self.n, self._buffer
        floor = max(EPS * max(n, 1) * diagonal, TINY)
        floored = remainder < floor
        appended = Appended(whitened, sqrt(floor if floored else remainder), floored)
        if buffer.used != n:  # a successor owns the next row: go on with a copy
            buffer = buffer.fork(n)
        buffer.append(whitened, appended.pivot)
        return InverseFactor(buffer, n + 1), appended


def lower_times(W: Array, B: Array) -> Array:
    """W B for lower triangular W, B of shape (n,) or (n, m); the zeros of a large W are passed over."""
    out = np.empty(B.shape)
    for start, stop, band in bands(W):
        np.matmul(band, B[:stop], out=out[start:stop])
    return out


def bands(W: Array) -> list[tuple[int, int, Array]]:
    """Lower triangular W by bands of rows, (start, stop, W[start:stop, :stop]): most of its zeros are left out."""
    starts = range(0, len(W), _PIECE)
    return [(start, stop := min(start + _PIECE, len(W)), W[start:stop, :stop]) for start in starts]


def _times_lower(A: Array, W: Array, out: Array) -> None:
    """A W for lower triangular W; the zeros of a large W are passed over."""
    for start in range(0, len(W), _PIECE):
        stop = min(start + _PIECE, len(W))
        np.matmul(A[:, start:], W[start:, start:stop], out=out[:, start:stop])


def segment_sums(values: Array, starts: Sequence[int]) -> Array:
    """Sums of consecutive segments, of which some may be empty (where `reduceat` would give the next value)."""
    edges = np.array([*starts, len(values)])
    filled = edges[1:] > edges[:-1]
    if filled.all():
        return np.add.reduceat(values, edges[:-1])
    sums = np.zeros(len(starts))
    if filled.any():
        sums[filled] = np.add.reduceat(values, edges[:-1][filled])
    return sums
