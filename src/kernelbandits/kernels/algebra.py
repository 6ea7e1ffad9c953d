"""Sums, products, multiples and shifts of kernels. With a single geometry, the result has a profile too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import final

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels.base import Kernel
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
        return self._values([t], order)


@dataclass(frozen=True, slots=True)
class _Pair(Combination):
    """Two kernels of the same points, combined elementwise."""

    first: Kernel
    second: Kernel

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        return tuple(dict.fromkeys(self.first.geometries + self.second.geometries))

    def _split(self, t: Sequence[Array]) -> tuple[list[Array], list[Array]]:
        """The values of t that belong to the first and to the second kernel."""
        found = dict(zip(self.geometries, t, strict=True))
        return [found[g] for g in self.first.geometries], [found[g] for g in self.second.geometries]


@final
@dataclass(frozen=True, slots=True)
class Sum(_Pair):
    """K = K₁ + K₂."""

    def _values(self, t: Sequence[Array], order: int) -> Array:
        first, second = self._split(t)
        return self.first._values(first, order) + self.second._values(second, order)


@final
@dataclass(frozen=True, slots=True)
class Product(_Pair):
    """K = K₁ K₂, elementwise (positive definite by Schur's theorem)."""

    def _values(self, t: Sequence[Array], order: int) -> Array:
        """Leibniz' rule: Σ_j C(m, j) h₁^{(j)} h₂^{(m−j)}."""
        first, second = self._split(t)
        total = self.first._values(first, 0) * self.second._values(second, order)
        for j in range(1, order + 1):
            total += comb(order, j) * self.first._values(first, j) * self.second._values(second, order - j)
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
    """K = factor · K₁, factor > 0."""

    factor: Positive

    def _values(self, t: Sequence[Array], order: int) -> Array:
        return self.factor * self.kernel._values(t, order)


@final
@dataclass(frozen=True, slots=True)
class Shifted(_Modified):
    """K = K₁ + offset, offset > 0: the functions of K₁ plus an unknown constant with that variance."""

    offset: Positive

    def _values(self, t: Sequence[Array], order: int) -> Array:
        values = self.kernel._values(t, order)
        return values + self.offset if order == 0 else values
