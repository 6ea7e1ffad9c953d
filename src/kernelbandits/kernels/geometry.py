"""Geometries: the number t(x, z) of two points that a profile is applied to. The paper's 1/d scaling is here.

A geometry has two feature maps, and t depends on two points through left(x) and right(z). For points of R^d it is their
inner product, so t for two sets of points is one matrix product, and features of points that stay can be kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.linalg import Segments
from kernelbandits.types import Array


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


class ProductGeometry(Geometry):
    """A geometry with t = left · right, up to rounding."""

    __slots__ = ()

    def evaluate(self, left: Array, right: Array) -> Array:
        t: Array = left @ right.T
        self._correct(t, left, right)
        return t

    def evaluate_each(self, lefts: Sequence[Array], right: Array, out: Segments) -> None:
        if lefts[0].ndim == 2:
            deque(map(np.ndarray.dot, lefts, right, out.parts), maxlen=0)  # a loop in C: it runs for every decision
        else:  # sets of equal size: one batched product
            [x] = lefts
            np.matmul(x, right[:, :, np.newaxis], out=out.values.reshape(len(x), -1, 1))
        self._correct_each(out, lefts, right)

    @abstractmethod
    def _correct(self, t: Array, left: Array, right: Array) -> None:
        """Correct the rounding of t = left · right, shape (n, m), in place."""

    @abstractmethod
    def _correct_each(self, t: Segments, lefts: Sequence[Array], right: Array) -> None:
        """Correct the rounding of one segment for each set in place."""


@final
@dataclass(frozen=True, slots=True)
class InnerProduct(ProductGeometry):
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

    def _correct(self, t: Array, left: Array, right: Array) -> None:
        """An inner product needs no correction."""

    def _correct_each(self, t: Segments, lefts: Sequence[Array], right: Array) -> None:
        """An inner product needs no correction."""

    def diagonal(self, X: Array) -> Array:
        t: Array = np.vecdot(X, X) / X.shape[1]
        return t


@final
@dataclass(frozen=True, slots=True)
class Spherical(ProductGeometry):
    """t = ⟨x, z⟩ / (‖x‖‖z‖). On the sphere of radius √d, where Schoenberg kernels are defined, it is ⟨x, z⟩ / d."""

    stationary = False  # t(x, x) = 1, but not every point has one
    max_dim: int

    def left(self, X: Array, out: Array | None = None) -> Array:
        if X.shape[1] > self.max_dim:
            raise InvalidArgument(
                f"this Schoenberg kernel is positive definite up to dim={self.max_dim}; "
                f"got points with {X.shape[1]} features"
            )
        norms = np.sqrt(np.vecdot(X, X))
        if not norms.all():
            raise InvalidArgument(
                f"a Schoenberg kernel is defined on the sphere: row {int(np.argmin(norms))} is the zero vector, "
                "which has no direction. Drop it or add a constant feature."
            )
        features: Array = np.divide(X, norms[:, np.newaxis], out=out)
        return features

    def right(self, Z: Array) -> Array:
        return self.left(Z)

    def _correct(self, t: Array, left: Array, right: Array) -> None:
        np.clip(t, -1.0, 1.0, out=t)

    def _correct_each(self, t: Segments, lefts: Sequence[Array], right: Array) -> None:
        np.clip(t.values, -1.0, 1.0, out=t.values)

    def diagonal(self, X: Array) -> Array:
        return np.ones(len(self.left(X)))


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
