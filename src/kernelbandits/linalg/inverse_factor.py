"""A Cholesky factor that grows by one row per observation, kept as its inverse.

For A = L Lᵀ the inverse W = L⁻¹ is kept, because every solve with L is then a plain matrix product. That is faster than
a triangular solve from Python and needs no copy of a slice of the factor. New rows are collected until W is needed and
then added together by matrix–matrix products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import NamedTuple, TypeAlias, final

import numpy as np
from scipy.linalg import lapack

from kernelbandits.errors import InvalidArgument
from kernelbandits.linalg.arrays import LINE, aligned_zeros
from kernelbandits.linalg.machine import safe_threads
from kernelbandits.types import Array

_BAND = 10 * LINE  # not a power of two: rows at such distances would compete for the same cache lines
_REPAIR = 4.0  # a negative variance shows rounding errors of its size: a pivot well above them does not amplify them


class Appended(NamedTuple):
    """A row (ℓ, p) appended to L, and whether its pivot p was lost in rounding and raised."""

    row: Array
    pivot: float
    floored: bool


Band: TypeAlias = tuple[int, int, Array]
"""(start, stop, rows): the rows start … stop − 1 of W, of shape (stop − start, at least stop), padded with zeros."""


@final
@dataclass(slots=True, eq=False)
class _Buffer:
    """The rows that a factor and its successors share: `folded` rows of W, and newer rows of L, not yet in W.

    W is stored in bands of rows, so that few of its zeros take up memory and cache. The last band has spare rows, which
    are zero until they are used. `used` counts all rows, including the pending ones.
    """

    bands: list[Band] = field(default_factory=list)
    folded: int = 0
    used: int = 0
    pending: list[Appended] = field(default_factory=list)
    _last_band: Array = field(default_factory=lambda: np.zeros((0, 0)))

    def _validate(self) -> None:
        starts = [0, *(stop for _, stop, _ in self.bands)]
        fits = all(rows.shape[0] == stop - start <= rows.shape[1] - start for start, stop, rows in self.bands)
        same = all(band[0] == start for band, start in zip(self.bands, starts, strict=False))
        rows = all(pending.row.shape == (self.folded + i,) for i, pending in enumerate(self.pending))
        start, band = (starts[-2], self.bands[-1][2]) if self.bands else (0, np.zeros((0, 0)))
        spare = self._last_band.ndim == 2 and self._last_band.shape >= (len(band), start + len(self._last_band))
        fits = fits and rows and spare and len(band) <= len(self._last_band)
        if not (fits and same and self.folded == starts[-1] and self.used == self.folded + len(self.pending)):
            raise InvalidArgument("the rows of a Cholesky factor do not fit each other")

    def fold(self) -> None:
        """Move the pending rows [C D] of L into W, where they become [−D⁻¹ C W, D⁻¹]."""
        m = self.folded
        if len(self.pending) == 1:  # one observation at a time, as in live use: D is a number
            [last] = self.pending
            row = self._spare_band(m + 1)[m - self.bands[-1][0]]
            _times_lower(last.row * (-1.0 / last.pivot), self.bands, row)
            row[m] = 1.0 / last.pivot
            self._set_folded(m + 1)
        else:
            rows = np.zeros((len(self.pending), self.used))
            for i, (row, pivot, _) in enumerate(self.pending):
                rows[i, : m + i] = row
                rows[i, m + i] = pivot
            C, D = rows[:, :m], rows[:, m:]
            D_inverse, _ = lapack.dtrtri(D, lower=1)  # keeps the zeros above the diagonal
            self.store(np.concatenate([_times_lower(-(D_inverse @ C), self.bands), D_inverse], axis=1))
        self.pending.clear()

    def store(self, new: Array) -> None:
        """Append rows to W."""
        first, n = self.folded, new.shape[1]
        while self.folded < n:
            band, start = self._spare_band(n), self.bands[-1][0]
            stop = min(start + len(band), n)
            band[self.folded - start : stop - start, :stop] = new[self.folded - first : stop - first, :stop]
            self._set_folded(stop)

    def _set_folded(self, n: int) -> None:
        """Note that the last band is filled up to row n."""
        start = self.bands[-1][0]
        self.bands[-1] = (start, n, self._last_band[: n - start])
        self.folded = n

    def _spare_band(self, n: int) -> Array:
        """The last band, with at least one spare row. It is enlarged, or a new one begun, as W grows to n rows."""
        if self.bands and len(self.bands[-1][2]) < len(self._last_band):
            return self._last_band
        start, stop, rows = self.bands.pop() if self.bands else (0, 0, self._last_band)
        if len(rows) >= _BAND:
            self.bands.append((start, stop, rows))
            start, rows = stop, rows[:0]
        rows_wanted = max(n, stop + max(16, stop // 4)) - start
        height = min(_BAND, -(-rows_wanted // LINE) * LINE)  # whole cache lines, so that all rows are aligned
        self._last_band = aligned_zeros((height, start + height))
        self._last_band[: len(rows), : rows.shape[1]] = rows
        self.bands.append((start, stop, self._last_band[: len(rows)]))
        return self._last_band

    def up_to(self, n: int) -> list[Band]:
        """The first n rows of W."""
        return [(start, min(stop, n), rows[: n - start]) for start, stop, rows in self.bands if start < n]

    def fork(self, n: int) -> _Buffer:
        """A copy of the first n rows."""
        copy = _Buffer()
        for _, stop, rows in self.up_to(min(self.folded, n)):
            copy.store(rows[:, :stop])
        copy.pending, copy.used = self.pending[: max(n - self.folded, 0)], n
        return copy


@final
@dataclass(slots=True, eq=False)  # not frozen: one is made per observation, and that would take twice as long
class InverseFactor:
    """W = L⁻¹ of A = L Lᵀ: an immutable view of the first n rows of a buffer that may have grown since.

    Appending to the newest view extends the buffer; appending to an older one copies it first. An append costs O(n²),
    as matrix–matrix products if W is needed only now and then.
    """

    _buffer: _Buffer
    n: int

    def _validate(self) -> None:
        if not 0 <= self.n <= self._buffer.used:
            raise InvalidArgument(f"a Cholesky factor has {self._buffer.used} rows, not {self.n}")

    @staticmethod
    def empty() -> InverseFactor:
        """The factor of a 0 × 0 matrix."""
        return InverseFactor(_Buffer(), 0)

    @staticmethod
    def of(A: Array) -> InverseFactor | None:
        """The factor of a positive definite matrix, or None if it is numerically indefinite. Overwrites A."""
        # Aᵀ = A is in Fortran order, so LAPACK works in place. Its upper factor U = Lᵀ, read by rows, is L.
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
        """Whether nothing has been appended to this factor."""
        return self._buffer.used == self.n

    @property
    def bands(self) -> list[Band]:
        """W in bands of rows. These are views: do not write."""
        buffer, n = self._buffer, self.n
        if buffer.folded < n:
            buffer.fold()
        return buffer.bands if buffer.folded == n else buffer.up_to(n)

    @property
    def width(self) -> int:
        """Number of columns of the widest band: at least n."""
        return int(self.bands[-1][2].shape[1])

    @property
    def last_row(self) -> Array:
        """The last row of W, shape (n,). This is a view: do not write."""
        _, stop, rows = self.bands[-1]
        return rows[-1, :stop]

    @property
    def log_det(self) -> float:
        """log det A = −2 Σ log W_jj."""
        return -2.0 * sum(float(np.log(rows.diagonal(start)).sum()) for start, _, rows in self.bands)

    def whiten(self, B: Array, out: Array | None = None) -> Array:
        """L⁻¹ B for B of shape (n,) or (n, m), written into `out` if given."""
        out = np.empty(B.shape) if out is None else out
        for start, stop, rows in self.bands:
            np.matmul(rows[:, :stop], B[:stop], out=out[start:stop])
        return out

    def unwhiten(self, v: Array) -> Array:
        """L⁻ᵀ v for v of shape (n,)."""
        return _times_lower(v, self.bands)

    def append(self, whitened: Array, variance: float, noise: float) -> tuple[InverseFactor, Appended]:
        """The factor of A with one more row and column: `whitened` is ℓ = L⁻¹ a for the new column a.

        The new corner of A is ‖ℓ‖² + variance + noise, with a variance that is not negative up to rounding. If it is
        below −noise/2 all the same, the corner is raised by more than that, and the result is marked as floored.
        """
        n, buffer = self.n, self._buffer
        floored = not variance >= -0.5 * noise
        appended = Appended(whitened, sqrt(noise + (_REPAIR * abs(variance) if floored else variance)), floored)
        if buffer.used != n:  # another successor owns the next row: continue with a copy
            buffer = buffer.fork(n)
        buffer.pending.append(appended)
        buffer.used = n + 1
        return InverseFactor(buffer, n + 1), appended


def _times_lower(A: Array, bands: Sequence[Band], out: Array | None = None) -> Array:
    """A W for A of shape (n,) or (m, n), written into `out` if given, which must be as wide as the last band."""
    if not bands:  # n = 0
        return A
    start, n, rows = bands[-1]
    product: Array = A[..., start:].dot(rows, out)
    for start, stop, rows in bands[:-1]:
        product[..., :stop] += A[..., start:stop].dot(rows)
    return product[..., :n]
