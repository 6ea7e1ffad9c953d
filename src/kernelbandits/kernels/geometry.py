"""How two points become the one number t that a kernel's profile is applied to. The paper's 1/d scaling lives here.

Each geometry is a pair of feature maps with t(x, z) = left(x) · right(z). So t of any two sets of points is one matrix
product, and the features of points that stay (data, centres) can be kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.linalg.aligned import LINE, whole_lines
from kernelbandits.linalg.segments import Segments
from kernelbandits.types import Array

_EPS = float(np.finfo(np.float64).eps)
_SHORT = 64


class Geometry(ABC):
    """t(x, z) by features. Answers are fresh arrays that the caller may overwrite."""

    __slots__ = ()
    stationary: ClassVar[bool] = False
    """Whether t(x, x) is the same for all x."""

    @abstractmethod
    def left(self, X: Array) -> Array:
        """Features of points on the left side, shape (n, p)."""

    def write_left(self, X: Array, out: Array) -> None:
        """`left` into an array that is there."""
        out[:] = self.left(X)

    @abstractmethod
    def right(self, Z: Array) -> Array:
        """Features of points on the right side, shape (m, p)."""

    @abstractmethod
    def scale(self, right: Array) -> Array:
        """Size of the terms that t is made of, for each point on the right, shape (m,); `settle` asks for it."""

    @abstractmethod
    def settle(self, t: Array, scale: Array) -> None:
        """Repair in place what rounding did to products left · right; the last axis of t runs with `scale`."""

    def settle_each(self, t: Array, right: Array, segments: Segments) -> None:
        """`settle` for sets of points on the left, each with a point of its own on the right."""
        self.settle(t, self.scale(right).repeat(segments.sizes))

    @abstractmethod
    def diagonal(self, X: Array) -> Array:
        """t(x, x) for every row, shape (n,), without rounding error where it is known."""


def _squared_norms(X: Array) -> Array:
    norms: Array = np.vecdot(X, X)
    return norms


@final
@dataclass(frozen=True, slots=True)
class InnerProduct(Geometry):
    """t = ⟨x, z⟩ / d."""

    def left(self, X: Array) -> Array:
        return X

    def right(self, Z: Array) -> Array:
        features: Array = Z / Z.shape[1]
        return features

    def scale(self, right: Array) -> Array:
        return np.zeros(len(right))

    def settle(self, t: Array, scale: Array) -> None:
        """An inner product needs no repair."""

    def diagonal(self, X: Array) -> Array:
        t: Array = _squared_norms(X) / X.shape[1]
        return t


@final
@dataclass(frozen=True, slots=True)
class Radial(Geometry):
    """t = ‖x − z‖² / d = −2/d (‖x‖², −½, x) · (−½, ‖z‖², z), so that the work is one matrix product.

    Where the difference is below the rounding error of the two norms it says nothing, not even its sign: there t is
    0. So t is never negative, and a point is at distance exactly 0 from its copy. The factor is on the left, because
    that side is often kept while the right one is made for a single use. Zeros before long points make the length a
    number of whole cache lines.
    """

    stationary = True

    def left(self, X: Array) -> Array:
        features = np.empty((len(X), _length(X.shape[1])))
        self.write_left(X, features)
        return features

    def write_left(self, X: Array, out: Array) -> None:
        d = X.shape[1]
        head, _ = _heads(d)
        out[:, : len(head)] = head
        out[:, len(head) :] = X
        np.vecdot(X, X, out=out[:, 0])
        out *= -2.0 / d  # all at once is faster than column by column

    def right(self, Z: Array) -> Array:
        m, d = Z.shape
        _, head = _heads(d)
        features = np.empty((m, len(head) + d))
        features[:, : len(head)] = head
        features[:, len(head) :] = Z
        np.vecdot(Z, Z, out=features[:, 1])
        return features

    def scale(self, right: Array) -> Array:
        # Near 0 both norms are alike, so one of them measures the error of a product of p terms.
        tolerance: Array = right[:, 1] * _error_of(right.shape[1])
        return tolerance

    def settle(self, t: Array, scale: Array) -> None:
        if not _all_above(t, scale):
            np.copyto(t, 0.0, where=t <= scale)

    def settle_each(self, t: Array, right: Array, segments: Segments) -> None:
        scale = self.scale(right)
        if not _all_above(t, scale):
            self.settle(t, scale.repeat(segments.sizes))

    def diagonal(self, X: Array) -> Array:
        return np.zeros(len(X))


def _all_above(t: Array, scale: Array) -> bool:
    """Whether t exceeds every scale: the usual case, seen by reading t once."""
    # `argmin` does its work before `min` has begun.
    return not t.size or t.item(t.argmin()) > scale.item(scale.argmax())


def _length(d: int) -> int:
    """Number of features of a point with d coordinates."""
    return d + 2 if d < _SHORT else whole_lines(d + 2)


@cache
def _heads(d: int) -> tuple[Array, Array]:
    """What stands before the coordinates on the left and on the right, with 0 in place of the norm."""
    zeros = [0.0] * (_length(d) - d - 2)
    return np.array([0.0, -0.5, *zeros]), np.array([-0.5, 0.0, *zeros])


def _error_of(p: int) -> float:
    """Rounding error of t as a product of p terms, in multiples of ‖z‖²."""
    d = p - 2 if p < _SHORT else p - 1 - LINE  # at most the number of coordinates: long points may have zeros too
    return 4.0 * _EPS * p / d


@final
@dataclass(frozen=True, slots=True)
class Spherical(Geometry):
    """t = ⟨x, z⟩ / (‖x‖‖z‖), which is ⟨x, z⟩ / d on the sphere of radius √d where Schoenberg kernels are defined."""

    max_dim: int

    def left(self, X: Array) -> Array:
        if X.shape[1] > self.max_dim:
            raise InvalidArgument(
                f"this Schoenberg kernel is positive definite up to dim={self.max_dim}; "
                f"got points with {X.shape[1]} features"
            )
        norms = np.sqrt(_squared_norms(X))
        if not norms.all():
            raise InvalidArgument(
                f"a Schoenberg kernel lives on the sphere: row {int(np.argmin(norms))} is the zero vector, "
                "which has no direction. Drop it or add a constant feature."
            )
        features: Array = X / norms[:, np.newaxis]
        return features

    def right(self, Z: Array) -> Array:
        return self.left(Z)

    def scale(self, right: Array) -> Array:
        return np.ones(len(right))

    def settle(self, t: Array, scale: Array) -> None:
        np.clip(t, -scale, scale, out=t)

    def diagonal(self, X: Array) -> Array:
        return np.ones(len(self.left(X)))
