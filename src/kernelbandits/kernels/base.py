"""What a kernel is: a function of one or more geometries of two points; and kernels that are a profile of one.

K(x, z) = h(t(x, z)), where t is the geometry and h the profile.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels.geometry import Geometry, InnerProduct, Radial
from kernelbandits.linalg import Segments, pieces
from kernelbandits.specs import Spec
from kernelbandits.types import Array, ArrayLike

if TYPE_CHECKING:
    from kernelbandits.kernels.algebra import Product, Scaled, Shifted, Sum

Features: TypeAlias = tuple[Array, ...]
"""Features of n points: one array of shape (n, p) per geometry of the kernel."""

_AT_ONCE = 2**17  # most entries to which a profile is applied at once, so that temporary arrays stay in the cache
_PANEL = 256  # rows and columns of a panel: large enough for fast matrix products, small enough for the cache


class Kernel(Spec, ABC):
    """A positive definite function on R^d. `kernel(X, Z)` is the Gram block; `+` and `*` combine kernels.

    The scaling by the dimension belongs to the kernel: callers never divide by d. See also `Gaussian`, `Laplace`.

    >>> (Gaussian() + 0.5 * Linear())([[1.0, 1.0]], [[1.0, 1.0], [0.0, 0.0]]).round(3)
    array([[1.5  , 0.368]])
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
        """The kernel's values, given t for each of the geometries; `order` asks for a derivative of the profile.

        May overwrite t, and the caller may overwrite the result.
        """

    @property
    def geometry(self) -> Geometry | None:
        """The geometry that the profile is applied to; None if there are several."""
        return self.geometries[0] if len(self.geometries) == 1 else None

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
        """K(X, X) without checks, shape (n, n).

        The upper half mirrors the lower one, because rounding may make K(x, z) and K(z, x) differ in the last bit.
        """
        n, left, right = len(X), self.left(X), self.right(X)
        if n <= _PANEL:
            lower = np.tril(self.evaluate(left, right), -1)
            K: Array = lower + lower.T
        else:
            K = np.empty((n, n))
            for rows in pieces(n, _PANEL):
                for columns in pieces(rows.stop, _PANEL):
                    panel = self.evaluate([f[rows] for f in left], [f[columns] for f in right])
                    if columns == rows:
                        lower = np.tril(panel, -1)
                        K[rows, rows] = lower + lower.T
                    else:
                        K[rows, columns] = panel
                        K[columns, rows] = K[rows, columns].T  # panel.T has columns 2048 bytes apart: slow to read
        np.fill_diagonal(K, self.diagonal(X))
        return K

    # Most kernels have one geometry. In the following methods a loop over it would take as long as a small array.

    def diagonal(self, X: Array) -> Array:
        """K(x, x) for every row of X, shape (n,), without the rest of the Gram matrix."""
        values = self._values([geometry.diagonal(X) for geometry in self.geometries], 0)
        if len(values) and values.item(values.argmax()) > checks.HUGE:  # sums of products of values would overflow
            raise out_of_range(self)
        return values

    def left(self, X: Array, out: Features | None = None) -> Features:
        """Features of points on the left side of K(·, ·), written into `out` if given."""
        geometries = self.geometries
        if out is not None:
            return tuple([geometry.left(X, part) for geometry, part in zip(geometries, out, strict=True)])
        if len(geometries) == 1:
            return (geometries[0].left(X),)
        return tuple([geometry.left(X) for geometry in geometries])

    def right(self, Z: Array) -> Features:
        """Features of points on the right side."""
        geometries = self.geometries
        if len(geometries) == 1:
            return (geometries[0].right(Z),)
        return tuple([geometry.right(Z) for geometry in geometries])

    def evaluate(self, left: Sequence[Array], right: Sequence[Array]) -> Array:
        """K for every pair of points, given their features, shape (n, m)."""
        geometries = self.geometries
        if len(geometries) == 1:
            return self._values((geometries[0].evaluate(left[0], right[0]),), 0)
        return self._values([g.evaluate(x, z) for g, x, z in zip(geometries, left, right, strict=True)], 0)

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
        values = self._values(t, 0)
        if values is not out.values:
            out.values[:] = values

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


def out_of_range(kernel: Kernel) -> InvalidArgument:
    """The error for points at which the kernel's values are too large for double precision."""
    return InvalidArgument(
        f"the values of {kernel} at these points are too large for double precision; standardise the features, or use "
        "a kernel that grows less"
    )


class ProfileKernel(Kernel):
    """A kernel with one geometry that is defined by its profile."""

    __slots__ = ()

    def _values(self, t: Sequence[Array], order: int) -> Array:
        [values] = t
        try:
            with np.errstate(over="raise"):
                if values.size <= _AT_ONCE:
                    return self.profile(values, order)
                for rows in pieces(len(values), max(1, _AT_ONCE * len(values) // values.size)):
                    part = values[rows]
                    new = self.profile(part, order)
                    if new is not part:
                        part[...] = new
        except FloatingPointError:
            raise out_of_range(self) from None
        return values


class RadialKernel(ProfileKernel):
    """K(x, z) = h(‖x − z‖² / d): the paper's RBF class.

    Only the distance counts, so a shift of all points changes nothing:

    >>> kernel = Gaussian()
    >>> kernel([[0.0]], [[1.0]]).round(3), kernel([[5.0]], [[6.0]]).round(3)
    (array([[0.368]]), array([[0.368]]))

    See also `Kernel`, `Schoenberg`, `InnerProductKernel`, `KernelExpansion`.
    """

    __slots__ = ()
    geometries = (Radial(),)


class InnerProductKernel(ProfileKernel):
    """K(x, z) = h(⟨x, z⟩ / d): the paper's inner-product class.

    The origin counts, so a shift of all points changes the kernel; centre the features first:

    >>> kernel = Linear()
    >>> kernel([[0.0]], [[1.0]]), kernel([[5.0]], [[6.0]])
    (array([[0.]]), array([[30.]]))

    See also `Kernel`, `RadialKernel`, `KernelExpansion`, `Schoenberg`.
    """

    __slots__ = ()
    geometries = (InnerProduct(),)


class ExponentialProfile(Kernel):
    """h(t) = exp(± γ t), computed in place, which is faster by a third for large blocks."""

    __slots__ = ()
    gamma: float
    _sign: float

    def profile(self, t: Array, order: int = 0) -> Array:
        return self._values([np.array(t, dtype=np.float64)], order)

    def _values(self, t: Sequence[Array], order: int) -> Array:
        values, rate = t[0], self._sign * self.gamma
        values *= rate
        if rate < 0.0:
            np.exp(values, values)
        else:  # it grows, and may grow too large
            try:
                with np.errstate(over="raise"):
                    np.exp(values, values)
            except FloatingPointError:
                raise out_of_range(self) from None
        return values if order == 0 else rate**order * values
