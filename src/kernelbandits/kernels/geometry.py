"""Geometries: the number t(x, z) of two points that a profile is applied to. The paper's 1/d scaling is here.

A geometry has two feature maps, and t depends on two points through left(x) and right(z). For points of R^d it is their
inner product, so t for two sets of points is one matrix product, and features of points that stay can be kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import final

import numpy as np

from kernelbandits.errors import NumericalBreakdown
from kernelbandits.linalg import LINE, Segments, pieces
from kernelbandits.types import Array, BoolArray, IntArray

_SHORT = 64
_CANCELLED = 2.0**-12  # as a share of ‖z‖²/d: above it, t has lost at most 12 of its 53 bits to cancellation
_LEFT, _RIGHT = np.zeros((2, LINE + 2))
"""What precedes the coordinates of a point, with 0 instead of its norm: as much of it as fills a cache line."""
_LEFT[1] = _RIGHT[0] = -0.5
_MANY = 8  # if one entry in this many has cancelled, another matrix product is faster than their differences


class Geometry(ABC):
    """t(x, z) from features. Results are new arrays that the caller may overwrite, except those of `left`."""

    __slots__ = ()

    @property
    @abstractmethod
    def stationary(self) -> bool:
        """Whether t(x, x) is the same for all x."""

    @abstractmethod
    def left(self, X: Array, out: Array | None = None) -> Array:
        """Features of points on the left side, shape (n, p), written into `out` if given. May be X itself."""

    @abstractmethod
    def right(self, Z: Array) -> Array:
        """Features of points on the right side, shape (m, p)."""

    @abstractmethod
    def evaluate(self, left: Array, right: Array) -> Array:
        """t for every pair of points, shape (n, m)."""

    @abstractmethod
    def evaluate_each(self, lefts: Sequence[Array], right: Array, out: Segments) -> None:
        """Write t into `out` for every point of set i and the i-th point on the right.

        `lefts` has one array (n, p) per set, or a single array (g, n, p) for g sets of equal size.
        """

    @abstractmethod
    def diagonal(self, X: Array) -> Array:
        """t(x, x) for every row, shape (n,), without rounding error where it is known."""


@final
@dataclass(frozen=True, slots=True)
class InnerProduct(Geometry):
    """t = ⟨x, z⟩ / d."""

    stationary = False

    def left(self, X: Array, out: Array | None = None) -> Array:
        if out is None:
            return X
        out[:] = X
        return out

    def right(self, Z: Array) -> Array:
        features: Array = Z / Z.shape[1]
        return features

    def evaluate(self, left: Array, right: Array) -> Array:
        t: Array = left @ right.T
        return t

    def evaluate_each(self, lefts: Sequence[Array], right: Array, out: Segments) -> None:
        multiply_each(lefts, right, out)

    def diagonal(self, X: Array) -> Array:
        t: Array = np.vecdot(X, X) / X.shape[1]
        return t


@final
@dataclass(frozen=True, slots=True)
class Radial(Geometry):
    """t = ‖x − z‖² / d, computed as −2/d (‖x‖², −½, x) · (−½, ‖z‖², z) where that does not cancel.

    Where t is much smaller than ‖z‖²/d, the product has lost its digits: then it is computed from the differences of
    coordinates, for many such entries by a second product around another origin. So every t is right to about 1e-12 of
    itself, is never negative, and is exactly 0 between copies of a point. Differences are those of −2x/d and −2z/d,
    rounded alike: they are exact for points that are off by at most half a unit in the last place.

    The factor −2/d is on the left, because these features are often kept while those on the right are used once.
    Features of long points are padded with zeros to whole cache lines.
    """

    stationary = True

    def left(self, X: Array, out: Array | None = None) -> Array:
        d = X.shape[1]
        start = 2 if d < _SHORT else 2 - (d + 2) % -LINE
        features = np.empty((len(X), start + d)) if out is None else out
        features[:, :start] = _LEFT[:start]
        features[:, start:] = X
        np.vecdot(X, X, out=features[:, 0])
        features *= -2.0 / d  # all at once is faster than column by column
        return features

    def right(self, Z: Array) -> Array:
        m, d = Z.shape
        start = 2 if d < _SHORT else 2 - (d + 2) % -LINE
        features = np.empty((m, start + d))
        features[:, :start] = _RIGHT[:start]
        features[:, start:] = Z
        np.vecdot(Z, Z, out=features[:, 1])
        return features

    def evaluate(self, left: Array, right: Array) -> Array:
        t: Array = left @ right.T
        if t.size and (share := _cancelled_share(t, right)):
            cancelled = t <= right[:, 1] * share
            d, factor = _scaling(left)
            x, z = left[:, -d:], right[:, -d:] * factor
            if _MANY * np.count_nonzero(cancelled) > t.size:
                origin = (x if len(x) < len(z) else z).mean(axis=0)  # of the side with fewer points
                near = self.right((z - origin) / factor)
                np.matmul(self.left((x - origin) / factor), near.T, out=t)
                np.less_equal(t, near[:, 1] * share, out=cancelled)
            for part in pieces(len(t), width=t.shape[1]):
                rows, columns = np.nonzero(cancelled[part])
                for some in pieces(len(rows), width=d):
                    t[part][rows[some], columns[some]] = _length(x[part][rows[some]] - z[columns[some]])
        return t

    def evaluate_each(self, lefts: Sequence[Array], right: Array, out: Segments) -> None:
        multiply_each(lefts, right, out)
        t = out.values
        if t.size and (share := _cancelled_share(t, right)):
            cancelled = t <= (right[:, 1] * share).repeat(out.sizes)
            if _MANY * np.count_nonzero(cancelled) > t.size:
                _recompute_sets(out, cancelled, lefts, right)
            else:
                _recompute_places(out, np.flatnonzero(cancelled), lefts, right)

    def diagonal(self, X: Array) -> Array:
        return np.zeros(len(X))


class MappedGeometry(Geometry):
    """t(x, z) = s(f(x), f(z)): the geometry s = `mapped` after a map f of points."""

    __slots__ = ()
    mapped: Geometry

    @abstractmethod
    def _map(self, X: Array) -> Array:
        """f(x) for every row of X, shape (n, p)."""

    @property
    def stationary(self) -> bool:
        return self.mapped.stationary

    def left(self, X: Array, out: Array | None = None) -> Array:
        return self.mapped.left(self._map(X), out)

    def right(self, Z: Array) -> Array:
        return self.mapped.right(self._map(Z))

    def evaluate(self, left: Array, right: Array) -> Array:
        return self.mapped.evaluate(left, right)

    def evaluate_each(self, lefts: Sequence[Array], right: Array, out: Segments) -> None:
        self.mapped.evaluate_each(lefts, right, out)


def multiply_each(lefts: Sequence[Array], right: Array, out: Segments) -> None:
    """Write left · right into `out` for every point of set i and the i-th point on the right, as `evaluate_each`."""
    if lefts[0].ndim == 2:
        deque(map(np.ndarray.dot, lefts, right, out.parts), maxlen=0)  # a loop in C: it runs for every decision
    else:  # sets of equal size: one batched product
        [x] = lefts
        np.matmul(x, right[:, :, np.newaxis], out=out.values.reshape(len(x), -1, 1))


def _scaling(left: Array) -> tuple[int, float]:
    """The number of coordinates d and the factor −2/d of features on the left, which hold 1/d in column 1."""
    inverse = left.item(0, 1)
    if not 1.0 / left.shape[1] <= inverse <= 1.0:  # of a forged file: each row has d features and more
        raise NumericalBreakdown(f"features of points are damaged: 1/d is {inverse}; fit again, or load another file")
    return round(1.0 / inverse), -2.0 * inverse


def _cancelled_share(t: Array, right: Array) -> float:
    """The multiple of ‖z‖² up to which t has cancelled; 0 if it has nowhere, as is usual."""
    norms, p = right[:, 1], right.shape[1]
    share = _CANCELLED / int(p - 2 if p < _SHORT else p - 1 - LINE)  # d, or a few less, because of the padding
    # `argmin` is much faster than `min` for small arrays.
    return 0.0 if t.item(t.argmin()) > norms.item(norms.argmax()) * share else share


def _recompute_sets(t: Segments, cancelled: BoolArray, lefts: Sequence[Array], right: Array) -> None:
    """Compute many values of `evaluate_each` from differences of coordinates: all of them, set by set."""
    sets = lefts if lefts[0].ndim == 2 else lefts[0]
    d, factor = _scaling(next(left for left in sets if len(left)))
    for left, z, start, stop in zip(sets, right[:, -d:] * factor, *_edges(t.sizes), strict=True):
        for rows in pieces(stop - start, width=d):
            difference = left[rows, -d:] - z
            np.copyto(t.values[start:stop][rows], _length(difference), where=cancelled[start:stop][rows])


def _recompute_places(t: Segments, places: IntArray, lefts: Sequence[Array], right: Array) -> None:
    """Compute a few values of `evaluate_each` from differences of coordinates."""
    if len(places):
        sets = lefts if lefts[0].ndim == 2 else lefts[0]
        starts, stops = _edges(t.sizes)
        first, last = np.searchsorted(places, [starts, stops])
        touched = np.flatnonzero(first < last).tolist()
        x = np.concatenate([sets[i][places[first[i] : last[i]] - starts[i]] for i in touched])
        d, factor = _scaling(x)
        z = right[:, -d:] * factor
        t.values[places] = _length(x[:, -d:] - z.repeat(last - first, axis=0))


def _edges(sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Where the segments of these sizes start and stop."""
    stops = [*accumulate(sizes)]
    return [0, *stops[:-1]], stops


def _length(difference: Array) -> Array:
    """‖x − z‖²/d from rows 2(z − x)/d of shape (n, d)."""
    lengths: Array = 0.25 * difference.shape[1] * np.vecdot(difference, difference)
    return lengths
