"""What a kernel is: a profile h after a geometry, K(x, z) = h(t(x, z))."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kernelbandits import checks
from kernelbandits.kernels.geometry import Geometry, InnerProduct, Radial
from kernelbandits.linalg.panels import fill_by_panels
from kernelbandits.linalg.segments import Segments
from kernelbandits.specs import Spec
from kernelbandits.types import Array, ArrayLike

if TYPE_CHECKING:
    from kernelbandits.kernels.algebra import Product, Scaled, Shifted, Sum

Features: TypeAlias = tuple[Array, ...]
"""Features of n points, one array of shape (n, p) for each geometry that a kernel looks through."""


class Kernel(Spec, ABC):
    """A positive definite function on R^d. `kernel(X, Z)` is the Gram block; `+`, `*` combine kernels.

    The scaling by the dimension belongs to the kernel: no caller divides by d.
    """

    __slots__ = ()

    def __call__(self, X: ArrayLike, Z: ArrayLike | None = None) -> Array:
        """The Gram block K(X, Z), shape (n, m); with one argument K(X, X), symmetric, exact on the diagonal."""
        left = checks.points("X", X)
        if Z is None or Z is X:
            return self.gram(left)
        return self.block(left, checks.points("Z", Z, dim=left.shape[1]))

    def block(self, X: Array, Z: Array) -> Array:
        """K(X, Z) for arrays that were checked already, shape (n, m)."""
        if len(Z) == 1:  # K(Z, X)ᵀ: the features on the right cost less
            return self.evaluate(self.left(Z), self.right(X)).T
        return self.evaluate(self.left(X), self.right(Z))

    def gram(self, X: Array) -> Array:
        """K(X, X) for an array that was checked already, shape (n, n): half of it is evaluated, half is mirrored."""
        left, right = self.left(X), self.right(X)

        def panel(rows: slice, columns: slice) -> Array:
            return self.evaluate(tuple(f[rows] for f in left), tuple(f[columns] for f in right))

        K = fill_by_panels(len(X), panel)
        np.fill_diagonal(K, self.diagonal(X))
        return K

    @abstractmethod
    def left(self, X: Array) -> Features:
        """Features of points on the left side of K(·, ·), to be kept and evaluated often."""

    def write_left(self, X: Array, out: Features) -> None:
        """`left` into arrays that are there."""
        for room, features in zip(out, self.left(X), strict=True):
            room[:] = features

    @abstractmethod
    def right(self, Z: Array) -> Features:
        """Features of points on the right side."""

    @abstractmethod
    def evaluate(self, left: Features, right: Features) -> Array:
        """K for every pair, shape (n, m)."""

    @abstractmethod
    def evaluate_each(self, lefts: Sequence[Features], right: Features, out: Segments) -> None:
        """Write K(x, z_i) into `out`, for every point x of set i with the i-th point on the right.

        `lefts` holds a set each, features of shape (n, p); or one entry holds g sets of one size, shape (g, n, p).
        """

    @abstractmethod
    def diagonal(self, X: Array) -> Array:
        """K(x, x) for every row, shape (n,), without the rest of the Gram matrix."""

    @property
    @abstractmethod
    def stationary(self) -> bool:
        """Whether K(x, x) is known to be the same for all x."""

    @property
    @abstractmethod
    def n_geometries(self) -> int:
        """Number of arrays in its features."""

    @property
    @abstractmethod
    def geometry(self) -> Geometry | None:
        """What the profile is applied to; None where no single one exists (a radial plus an inner-product kernel)."""

    @abstractmethod
    def profile(self, t: Array, order: int = 0) -> Array:
        """h(t), or its derivative of the given order (0, 1, 2), elementwise."""

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
    """A kernel that writes only its profile; everything else follows from the geometry."""

    __slots__ = ()

    def left(self, X: Array) -> Features:
        return (self._geometry().left(X),)

    def write_left(self, X: Array, out: Features) -> None:
        self._geometry().write_left(X, out[0])

    def right(self, Z: Array) -> Features:
        return (self._geometry().right(Z),)

    def evaluate(self, left: Features, right: Features) -> Array:
        [x], [z] = left, right
        geometry = self._geometry()
        t: Array = x @ z.T
        geometry.settle(t, geometry.scale(z))
        return self._profile_over(t)

    def _profile_over(self, t: Array) -> Array:
        """h(t) where t may be overwritten: a place to save a pass over memory."""
        return self.profile(t)

    def evaluate_each(self, lefts: Sequence[Features], right: Features, out: Segments) -> None:
        [z], t = right, out.values
        if lefts[0][0].ndim == 2:
            for (x,), row, part in zip(lefts, z, out.parts, strict=True):
                x.dot(row, part)
        else:  # sets of one size: one batched product
            [(x,)] = lefts
            np.matmul(x, z[:, :, np.newaxis], out=t.reshape(len(x), -1, 1))
        self._geometry().settle_each(t, z, out)
        values = self._profile_over(t)
        if values is not t:
            t[:] = values

    def diagonal(self, X: Array) -> Array:
        return self._profile_over(self._geometry().diagonal(X))

    @property
    def stationary(self) -> bool:
        return self._geometry().stationary

    @property
    def n_geometries(self) -> int:
        return 1

    @property
    def geometry(self) -> Geometry:
        return self._geometry()

    @abstractmethod
    def _geometry(self) -> Geometry: ...


_RADIAL, _INNER_PRODUCT = Radial(), InnerProduct()


class RadialKernel(ProfileKernel):
    """K(x, z) = h(‖x − z‖² / d): the paper's RBF class."""

    __slots__ = ()

    def _geometry(self) -> Geometry:
        return _RADIAL


class InnerProductKernel(ProfileKernel):
    """K(x, z) = h(⟨x, z⟩ / d): the paper's inner-product class."""

    __slots__ = ()

    def _geometry(self) -> Geometry:
        return _INNER_PRODUCT
