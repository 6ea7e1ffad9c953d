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

from kernelbandits.types import Array

EPS = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)
_BAND = 128
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


Band: TypeAlias = tuple[int, int, Array]
"""(start, stop, rows): rows start … stop − 1 of W without the zeros right of them all, shape (stop − start, stop)."""


class _Buffer:
    """What a factor and its successors share: W for the first rows, and rows of L that wait to be folded in.

    W is kept by bands of rows. So few of its zeros take up memory and cache, and nothing is copied when it grows: the
    last band has room, which is zero until it is used.
    """

    __slots__ = ("bands", "folded", "used", "waiting")

    def __init__(self) -> None:
        self.bands: list[Band] = []
        self.folded = self.used = 0
        self.waiting = np.zeros((0, 0))

    def keep(self, inverse: Array) -> None:
        """Begin with these rows of W, shape (n, n), not copied."""
        n = len(inverse)
        for start in range(0, n, _BAND):
            stop = min(start + _BAND, n)
            self.bands.append((start, stop, inverse[start:stop, :stop]))
        self.folded = self.used = n

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
        C, D = self.waiting[: n - m, :m], self.waiting[: n - m, m:n]
        if n == m + 1:  # the live case, one observation at a time: D is a number
            new = np.empty((1, n))
            new[0, m] = 1.0 / D[0, 0]
            np.multiply(_times_lower(C[0], self.up_to(m)), -new[0, m], out=new[0, :m])
        else:
            D_inverse, _ = lapack.dtrtri(D, lower=1)  # leaves the zeros above the diagonal alone
            new = np.concatenate([_times_lower(-(D_inverse @ C), self.up_to(m)), D_inverse], axis=1)
        self.store(new)
        self.waiting[: n - m] = 0.0

    def store(self, new: Array) -> None:
        """Put rows of W behind those that are there."""
        first, n = self.folded, new.shape[1]
        while self.folded < n:
            if not self.bands or self.folded == self.bands[-1][1]:
                stop = self.folded + _BAND
                self.bands.append((self.folded, stop, np.zeros((_BAND, stop))))
            start, stop, rows = self.bands[-1]
            stop = min(stop, n)
            rows[self.folded - start : stop - start, :stop] = new[self.folded - first : stop - first, :stop]
            self.folded = stop

    def up_to(self, n: int) -> list[Band]:
        """The first n rows of W."""
        return [(start, min(stop, n), rows[: n - start, :n]) for start, stop, rows in self.bands if start < n]

    def fork(self, n: int) -> _Buffer:
        """A copy of the first n rows."""
        copy = _Buffer()
        for _, _, rows in self.up_to(min(self.folded, n)):
            copy.store(rows)
        copy.used = copy.folded
        for i in range(copy.used, n):
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
        buffer.keep(np.ascontiguousarray(inverse.T))
        return InverseFactor(buffer, len(A))

    @property
    def is_newest(self) -> bool:
        """Whether no successor has been appended."""
        return self._buffer.used == self.n

    @property
    def bands(self) -> list[Band]:
        """W by bands of rows. Views: do not write."""
        if self._buffer.folded < self.n:
            self._buffer.fold()
        return self._buffer.up_to(self.n)

    @property
    def last_row(self) -> Array:
        """The last row of W, shape (n,). A view: do not write."""
        _, _, rows = self.bands[-1]
        last: Array = rows[-1]
        return last

    @property
    def log_det(self) -> float:
        """Log det A = −2 Σ log W_jj."""
        return -2.0 * sum(float(np.log(rows.diagonal(start)).sum()) for start, _, rows in self.bands)

    def whiten(self, B: Array) -> Array:
        """L⁻¹ B for B of shape (n,) or (n, m)."""
        out = np.empty(B.shape)
        for start, stop, rows in self.bands:
            np.matmul(rows, B[:stop], out=out[start:stop])
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
        buffer.append(whitened, appended.pivot)
        return InverseFactor(buffer, n + 1), appended


def _times_lower(A: Array, bands: Sequence[Band]) -> Array:
    """A W for A of shape (n,) or (m, n)."""
    *above, last = bands or [(0, 0, np.zeros((0, 0)))]
    out: Array = A[..., last[0] :] @ last[2]
    for start, stop, rows in above:
        out[..., :stop] += A[..., start:stop] @ rows
    return out


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
