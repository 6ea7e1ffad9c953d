"""`InverseFactor`, the one owner of a growing Cholesky factor: rows are appended, nothing is ever factored again.

For A = L Lᵀ it keeps W = L⁻¹, because every later solve with L is then a plain matrix product: faster than a triangular
solve from Python, and no copy of the factor's slice. New rows wait until W is asked for; then all of them are folded in
by matrix–matrix products.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from math import sqrt
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.linalg import lapack

from kernelbandits.linalg.aligned import LINE, aligned_zeros, whole_lines
from kernelbandits.types import Array

EPS = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)
_BAND = 10 * LINE  # not a power of two: rows at such a distance compete for the same lines of the cache
_FACTOR_ON_ONE_THREAD = 12_000
_HARDLY_WORTH_A_THREAD = 2500


def safe_threads(n: int) -> AbstractContextManager[object]:
    """A context in which to factor an n × n matrix: one thread for a very large one.

    The threaded Cholesky factorisation of OpenBLAS, as numpy and scipy bring it, ends the process with a segmentation
    fault from n of about 16,000 on.
    """
    return nullcontext() if n < _FACTOR_ON_ONE_THREAD else one_thread()


def worthwhile_threads(n: int) -> AbstractContextManager[object]:
    """`safe_threads` for work that goes to and fro between numpy and scipy, each of which has threads of its own.

    Those of one wait busily while the other works: up to n of a few thousand, one thread is as quick as two.
    """
    return one_thread() if n < _HARDLY_WORTH_A_THREAD else safe_threads(n)


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


Band: TypeAlias = tuple[int, int, Array]
"""(start, stop, rows): rows start … stop − 1 of W, contiguous, shape (stop − start, at least stop), ending in zeros."""


class _Buffer:
    """What a factor and its successors share: W for the first rows, and rows of L that wait to be folded in.

    W is kept by bands of rows, so that few of its zeros take up memory and cache. The last band has some room, which is
    zero until it is used.

    Attributes:
        bands: the rows of W that are there.
        folded: how many they are.
        waiting: rows of L that are not yet in W.
        used: number of rows, also those that wait.

    """

    __slots__ = ("_room", "bands", "folded", "used", "waiting")

    def __init__(self) -> None:
        self.bands: list[Band] = []
        self.folded = self.used = 0
        self.waiting: list[Appended] = []
        self._room = np.zeros((0, 0))

    def fold(self) -> None:
        """With the waiting rows [C D] of L: the new rows of W are [−D⁻¹ C W, D⁻¹]."""
        m = self.folded
        if len(self.waiting) == 1:  # the live case, one observation at a time: D is a number
            [last] = self.waiting
            row = self._place_for(m + 1)[m - self.bands[-1][0]]
            _times_lower(last.row * (-1.0 / last.pivot), self.bands, row)
            row[m] = 1.0 / last.pivot
            self._count(m + 1)
        else:
            C, D = self._rows_that_wait()
            D_inverse, _ = lapack.dtrtri(D, lower=1)  # leaves the zeros above the diagonal alone
            self.store(np.concatenate([_times_lower(-(D_inverse @ C), self.bands), D_inverse], axis=1))
        self.waiting.clear()

    def _rows_that_wait(self) -> tuple[Array, Array]:
        rows = np.zeros((len(self.waiting), self.used))
        for i, (row, pivot, _) in enumerate(self.waiting):
            rows[i, : self.folded + i] = row
            rows[i, self.folded + i] = pivot
        return rows[:, : self.folded], rows[:, self.folded :]

    def store(self, new: Array) -> None:
        """Put rows of W behind those that are there."""
        first, n = self.folded, new.shape[1]
        while self.folded < n:
            room, start = self._place_for(n), self.bands[-1][0]
            stop = min(start + len(room), n)
            room[self.folded - start : stop - start, :stop] = new[self.folded - first : stop - first, :stop]
            self._count(stop)

    def _count(self, n: int) -> None:
        """The last band has been filled up to row n."""
        start = self.bands[-1][0]
        self.bands[-1] = (start, n, self._room[: n - start])
        self.folded = n

    def _place_for(self, n: int) -> Array:
        """The last band with room for another row: it may grow, or a new one begins, on the way to n rows in all."""
        if self.bands and len(self.bands[-1][2]) < len(self._room):
            return self._room
        start, stop, rows = self.bands.pop() if self.bands else (0, 0, self._room)
        if len(rows) >= _BAND:
            self.bands.append((start, stop, rows))
            start, rows = stop, rows[:0]
        height = min(_BAND, whole_lines(max(n, stop + max(16, stop // 4)) - start))
        self._room = aligned_zeros((height, start + height))
        self._room[: len(rows), : rows.shape[1]] = rows
        self.bands.append((start, stop, self._room[: len(rows)]))
        return self._room

    def up_to(self, n: int) -> list[Band]:
        """The first n rows of W."""
        return [(start, min(stop, n), rows[: n - start]) for start, stop, rows in self.bands if start < n]

    def fork(self, n: int) -> _Buffer:
        """A copy of the first n rows."""
        copy = _Buffer()
        for _, stop, rows in self.up_to(min(self.folded, n)):
            copy.store(rows[:, :stop])
        copy.waiting, copy.used = self.waiting[: max(n - self.folded, 0)], n
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
        return InverseFactor(_Buffer(), 0)

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
        buffer = _Buffer()
        buffer.store(inverse.T)
        buffer.used = len(A)
        return InverseFactor(buffer, len(A))

    @property
    def is_newest(self) -> bool:
        """Whether no successor has been appended."""
        return self._buffer.used == self.n

    @property
    def bands(self) -> list[Band]:
        """W by bands of rows. Views: do not write."""
        buffer, n = self._buffer, self.n
        if buffer.folded < n:
            buffer.fold()
        return buffer.bands if buffer.folded == n else buffer.up_to(n)

    @property
    def width(self) -> int:
        """Number of columns of the widest band: n, or somewhat more."""
        return int(self.bands[-1][2].shape[1])

    @property
    def last_row(self) -> Array:
        """The last row of W, shape (n,). A view: do not write."""
        _, stop, rows = self.bands[-1]
        last: Array = rows[-1, :stop]
        return last

    @property
    def log_det(self) -> float:
        """Log det A = −2 Σ log W_jj."""
        return -2.0 * sum(float(np.log(rows.diagonal(start)).sum()) for start, _, rows in self.bands)

    def whiten(self, B: Array, out: Array | None = None) -> Array:
        """L⁻¹ B for B of shape (n,) or (n, m), into `out` if given."""
        out = np.empty(B.shape) if out is None else out
        for start, stop, rows in self.bands:
            np.matmul(rows[:, :stop], B[:stop], out=out[start:stop])
        return out

    def unwhiten(self, v: Array) -> Array:
        """L⁻ᵀ v for v of shape (n,)."""
        return _times_lower(v, self.bands)

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
        buffer.waiting.append(appended)
        buffer.used = n + 1
        return InverseFactor(buffer, n + 1), appended


def _times_lower(A: Array, bands: Sequence[Band], out: Array | None = None) -> Array:
    """A W for A of shape (n,) or (m, n), into `out` if given, which is as wide as the last band."""
    if not bands:  # n = 0
        return A
    start, n, rows = bands[-1]
    product: Array = A[..., start:].dot(rows, out)
    for start, stop, rows in bands[:-1]:
        product[..., :stop] += A[..., start:stop].dot(rows)
    return product[..., :n]


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
