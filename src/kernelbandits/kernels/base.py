"""Kernels: a profile h applied to a geometry t, K(x, z) = h(t(x, z))."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kernelbandits import checks
from kernelbandits.kernels.geometry import Geometry, InnerProduct, Radial
from kernelbandits.linalg import Segments, fill_by_panels, pieces, rows_at_once
from kernelbandits.specs import Spec
from kernelbandits.types import Array, ArrayLike

if TYPE_CHECKING:
    from kernelbandits.kernels.algebra import Product, Scaled, Shifted, Sum

Features: TypeAlias = tuple[Array, ...]
"""Features of n points: one array of shape (n, p) per geometry of the kernel."""

_SMALL = 2**16  # entries of a block that is evaluated at once


class Kernel(Spec, ABC):
    """A positive definite function on R^d. `kernel(X, Z)` is the Gram block; `+` and `*` combine kernels.

    The scaling by the dimension belongs to the kernel: callers never divide by d.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def geometries(self) -> tuple[Geometry, ...]:
        """The distinct geometries that the kernel depends on; more than one only for a combination."""

    @abstractmethod
    def profile(self, t: Array, order: int = 0) -> Array:
        """h(t), or its derivative of the given order (0, 1, 2), elementwise. Does not write into t."""

    @abstractmethod
    def _values(self, t: Sequence[Array], order: int) -> Array:
        """The kernel's values, given t for each of the geometries; `order` asks for a derivative of the profile."""

    @property
    def geometry(self) -> Geometry | None:
        """The geometry that the profile is applied to; None if there are several."""
        geometries = self.geometries
        return geometries[0] if len(geometries) == 1 else None

    @property
    def stationary(self) -> bool:
        """Whether K(x, x) is known to be the same for all x."""
        return all(geometry.stationary for geometry in self.geometries)

    def __call__(self, X: ArrayLike, Z: ArrayLike | None = None) -> Array:
        """The Gram block K(X, Z), shape (n, m). With one argument K(X, X), symmetric and with an exact diagonal."""
        left = checks.points("X", X)
        if Z is None or Z is X:
            return self.gram(left)
        return self.block(left, checks.points("Z", Z, dim=left.shape[1]))

    def block(self, X: Array, Z: Array) -> Array:
        """K(X, Z) without checks, shape (n, m)."""
        if len(Z) == 1:  # K(Z, X)ᵀ: features on the right are cheaper
            return self.evaluate(self.left(Z), self.right(X)).T
        return self.evaluate(self.left(X), self.right(Z))

    def gram(self, X: Array) -> Array:
        """K(X, X) without checks, shape (n, n): one half is evaluated, the other mirrored."""
        left, right = self.left(X), self.right(X)

        def panel(rows: slice, columns: slice) -> Array:
            return self.evaluate(tuple(f[rows] for f in left), tuple(f[columns] for f in right))

        K = fill_by_panels(len(X), panel)
        np.fill_diagonal(K, self.diagonal(X))
        return K

    def diagonal(self, X: Array) -> Array:
        """K(x, x) for every row of X, shape (n,), without the rest of the Gram matrix."""
        return self._values([geometry.diagonal(X) for geometry in self.geometries], 0)

    def left(self, X: Array, out: Features | None = None) -> Features:
        """Features of points on the left side of K(·, ·), written into `out` if given."""
        if out is None:
            return tuple([geometry.left(X) for geometry in self.geometries])
        return tuple([geometry.left(X, part) for geometry, part in zip(self.geometries, out, strict=True)])

    def right(self, Z: Array) -> Features:
        """Features of points on the right side."""
        return tuple([geometry.right(Z) for geometry in self.geometries])

    def evaluate(self, left: Features, right: Features) -> Array:
        """K for every pair of points, shape (n, m)."""
        t = [g.evaluate(x, z) for g, x, z in zip(self.geometries, left, right, strict=True)]
        K = t[0]
        if K.size <= _SMALL:
            return self._values(t, 0)
        for rows in pieces(len(K), rows_at_once(K.shape[1])):  # temporary arrays stay in the cache
            K[rows] = self._values([part[rows] for part in t], 0)
        return K

    def evaluate_each(self, lefts: Sequence[Sequence[Array]], right: Features, out: Segments) -> None:
        """Write K(x, z_i) into `out` for every point x of set i and the i-th point on the right.

        `lefts` holds for each geometry the features of all sets: one array of shape (n, p) per set, or a single array
        of shape (g, n, p) for g sets of equal size.
        """
        t: list[Array] = []
        for geometry, left, z in zip(self.geometries, lefts, right, strict=True):
            segments = Segments(out.sizes) if t else out
            geometry.evaluate_each(left, z, segments)
            t.append(segments.values)
        out.values[:] = self._values(t, 0)

    def __add__(self, other: Kernel | float) -> Sum | Shifted:
        """The kernel K₁ + K₂, or a kernel plus a positive constant."""
        from kernelbandits.kernels.algebra import Shifted, Sum

        return Shifted(self, other) if isinstance(other, Real) else Sum(self, other)  # type: ignore[arg-type]

    __radd__ = __add__

    def __mul__(self, other: Kernel | float) -> Product | Scaled:
        """The kernel K₁ K₂, or a positive multiple of a kernel."""
        from kernelbandits.kernels.algebra import Product, Scaled

        return Product(self, other) if isinstance(other, Kernel) else Scaled(self, other)

    __rmul__ = __mul__


class ProfileKernel(Kernel):
    """A kernel with one geometry that is defined by its profile."""

    __slots__ = ()

    def _values(self, t: Sequence[Array], order: int) -> Array:
        return self.profile(t[0], order)


class RadialKernel(ProfileKernel):
    """K(x, z) = h(‖x − z‖² / d): the paper's RBF class."""

    __slots__ = ()
    geometries = (Radial(),)


class InnerProductKernel(ProfileKernel):
    """K(x, z) = h(⟨x, z⟩ / d): the paper's inner-product class."""

    __slots__ = ()
    geometries = (InnerProduct(),)
