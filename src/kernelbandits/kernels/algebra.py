"""Sums, products, multiples and shifts of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels.base import Kernel, out_of_range
from kernelbandits.kernels.geometry import Geometry
from kernelbandits.specs import Positive
from kernelbandits.types import Array


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
