"""What a kernel is: a function of one or more geometries of two points; and combinations of kernels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from numbers import Real
from typing import TypeAlias, final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels.geometry import Geometry
from kernelbandits.linalg import Segments, pieces
from kernelbandits.specs import Positive, Spec
from kernelbandits.types import Array, ArrayLike

Features: TypeAlias = tuple[Array, ...]
"""Features of n points: one array of shape (n, p) per geometry of the kernel."""

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
        return Shifted(self, other) if isinstance(other, Real) else Sum(self, other)  # type: ignore[arg-type]

    __radd__ = __add__

    def __mul__(self, other: Kernel | float) -> Product | Scaled:
        """The kernel K₁ K₂, or a positive multiple of a kernel."""
        return Product(self, other) if isinstance(other, Kernel) else Scaled(self, other)

    __rmul__ = __mul__


def out_of_range(kernel: Kernel) -> InvalidArgument:
    """The error for points at which the kernel's values are too large for double precision."""
    return InvalidArgument(
        f"the values of {kernel} at these points are too large for double precision; standardise the features, or use "
        "a kernel that grows less"
    )


class Combination(Kernel):
    """A kernel made of others. It has a profile if they share one geometry."""

    __slots__ = ()

    def profile(self, t: Array, order: int = 0) -> Array:
        if self.geometry is None:
            raise InvalidArgument(
                f"{self} combines different geometries (distance, inner product) and has no single profile; "
                "combine kernels of one class to use profiles"
            )
        return self._values([np.array(t)], order)


@dataclass(frozen=True, slots=True)
class _Pair(Combination):
    """Two kernels of the same points, combined elementwise."""

    first: Kernel
    second: Kernel

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        return tuple(dict.fromkeys(self.first.geometries + self.second.geometries))

    def _split(self, t: Sequence[Array]) -> tuple[list[Array], list[Array]]:
        """Copies of t for the first and for the second kernel."""
        found = dict(zip(self.geometries, t, strict=True))
        return [found[g].copy() for g in self.first.geometries], [found[g].copy() for g in self.second.geometries]


@final
@dataclass(frozen=True, slots=True)
class Sum(_Pair):
    """K = K₁ + K₂. See also `Kernel`, `Product`.

    Attributes:
        first, second: K₁ and K₂, of any classes. `K₁ + K₂` is the same.

    >>> float(Sum(Gaussian(), Linear())(np.ones((1, 2)))[0, 0])
    2.0
    """

    def _values(self, t: Sequence[Array], order: int) -> Array:
        first, second = self._split(t)
        return self.first._values(first, order) + self.second._values(second, order)


@final
@dataclass(frozen=True, slots=True)
class Product(_Pair):
    """K = K₁ K₂, elementwise (positive definite by Schur's theorem). See also `Kernel`, `Sum`.

    Attributes:
        first, second: K₁ and K₂, of any classes. `K₁ * K₂` is the same.

    >>> float(Product(Linear(), Linear())([[2.0]], [[3.0]])[0, 0])
    36.0
    """

    def _values(self, t: Sequence[Array], order: int) -> Array:
        """Leibniz' rule: Σ_j C(m, j) h₁^{(j)} h₂^{(m−j)}."""
        first, second = self._split(t)
        try:
            with np.errstate(over="raise"):
                total = self.first._values(first, 0) * self.second._values(second, order)
                for j in range(1, order + 1):
                    first, second = self._split(t)
                    total += comb(order, j) * self.first._values(first, j) * self.second._values(second, order - j)
        except FloatingPointError:
            raise out_of_range(self) from None
        return total


@dataclass(frozen=True, slots=True)
class _Modified(Combination):
    """One kernel, changed elementwise."""

    kernel: Kernel

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        return self.kernel.geometries


@final
@dataclass(frozen=True, slots=True)
class Scaled(_Modified):
    """K = factor · K₁, factor > 0. See also `Kernel`, `Product`.

    Attributes:
        kernel: K₁.
        factor: above 0; the variance of every value is that of K₁ times this, the deviation times its root.

    >>> float(Scaled(Gaussian(), 2.0)(np.ones((1, 2)))[0, 0])
    2.0
    """

    factor: Positive

    def _values(self, t: Sequence[Array], order: int) -> Array:
        values = self.kernel._values(t, order)
        try:
            with np.errstate(over="raise"):
                values *= self.factor
        except FloatingPointError:
            raise out_of_range(self) from None
        return values


@final
@dataclass(frozen=True, slots=True)
class Shifted(_Modified):
    """K = K₁ + offset, offset > 0: the functions of K₁ plus an unknown constant with that variance.
    See also `Kernel`, `Scaled`.

    Attributes:
        kernel: K₁.
        offset: the variance of the constant, above 0.

    >>> float(Shifted(Gaussian(), 0.5)(np.ones((1, 2)))[0, 0])
    1.5
    """

    offset: Positive

    def _values(self, t: Sequence[Array], order: int) -> Array:
        values = self.kernel._values(t, order)
        if order == 0:
            values += self.offset
        return values
