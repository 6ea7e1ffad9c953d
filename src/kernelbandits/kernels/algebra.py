"""Sums, products and multiples of kernels. Where both parts share a geometry, the result has a profile too."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels.base import Features, Kernel
from kernelbandits.kernels.geometry import Geometry
from kernelbandits.linalg.segments import Segments
from kernelbandits.specs import Positive
from kernelbandits.types import Array


@dataclass(frozen=True, slots=True)
class _Pair(Kernel):
    """Two kernels of the same points, combined elementwise."""

    first: Kernel
    second: Kernel

    @abstractmethod
    def _combine(self, first: Array, second: Array) -> Array: ...

    def left(self, X: Array) -> Features:
        return self.first.left(X) + self.second.left(X)

    def right(self, Z: Array) -> Features:
        return self.first.right(Z) + self.second.right(Z)

    def evaluate(self, left: Features, right: Features) -> Array:
        n = self.first.n_geometries
        return self._combine(self.first.evaluate(left[:n], right[:n]), self.second.evaluate(left[n:], right[n:]))

    def evaluate_each(self, lefts: Sequence[Features], right: Features, out: Segments) -> None:
        n, second = self.first.n_geometries, Segments(out.sizes)
        self.first.evaluate_each([left[:n] for left in lefts], right[:n], out)
        self.second.evaluate_each([left[n:] for left in lefts], right[n:], second)
        out.values[:] = self._combine(out.values, second.values)

    def diagonal(self, X: Array) -> Array:
        return self._combine(self.first.diagonal(X), self.second.diagonal(X))

    @property
    def stationary(self) -> bool:
        return self.first.stationary and self.second.stationary

    @property
    def n_geometries(self) -> int:
        return self.first.n_geometries + self.second.n_geometries

    @property
    def geometry(self) -> Geometry | None:
        return self.first.geometry if self.first.geometry == self.second.geometry else None

    def _require_profile(self) -> None:
        if self.geometry is None:
            raise InvalidArgument(
                f"{self.first} and {self.second} look at points in different ways (distance, inner product), so that "
                "their combination has no single profile; combine kernels of one class to use profiles"
            )


@final
@dataclass(frozen=True, slots=True)
class Sum(_Pair):
    """K = K₁ + K₂."""

    def _combine(self, first: Array, second: Array) -> Array:
        return first + second

    def profile(self, t: Array, order: int = 0) -> Array:
        self._require_profile()
        return self.first.profile(t, order) + self.second.profile(t, order)


@final
@dataclass(frozen=True, slots=True)
class Product(_Pair):
    """K = K₁ K₂, elementwise (positive definite by Schur's theorem)."""

    def _combine(self, first: Array, second: Array) -> Array:
        return first * second

    def profile(self, t: Array, order: int = 0) -> Array:
        """Leibniz' rule: Σ_j C(m, j) h₁^{(j)} h₂^{(m−j)}."""
        self._require_profile()
        total = np.zeros_like(t)
        for j in range(order + 1):
            total += comb(order, j) * self.first.profile(t, j) * self.second.profile(t, order - j)
        return total


@final
@dataclass(frozen=True, slots=True)
class Scaled(Kernel):
    """K = factor · K₁, factor > 0."""

    kernel: Kernel
    factor: Positive

    def left(self, X: Array) -> Features:
        return self.kernel.left(X)

    def right(self, Z: Array) -> Features:
        return self.kernel.right(Z)

    def evaluate(self, left: Features, right: Features) -> Array:
        return self.factor * self.kernel.evaluate(left, right)

    def evaluate_each(self, lefts: Sequence[Features], right: Features, out: Segments) -> None:
        self.kernel.evaluate_each(lefts, right, out)
        out.values *= self.factor

    @property
    def stationary(self) -> bool:
        return self.kernel.stationary

    @property
    def n_geometries(self) -> int:
        return self.kernel.n_geometries

    def diagonal(self, X: Array) -> Array:
        return self.factor * self.kernel.diagonal(X)

    @property
    def geometry(self) -> Geometry | None:
        return self.kernel.geometry

    def profile(self, t: Array, order: int = 0) -> Array:
        return self.factor * self.kernel.profile(t, order)


@final
@dataclass(frozen=True, slots=True)
class Shifted(Kernel):
    """K = K₁ + offset, offset > 0: functions of K₁ plus an unknown constant of that variance."""

    kernel: Kernel
    offset: Positive

    def left(self, X: Array) -> Features:
        return self.kernel.left(X)

    def right(self, Z: Array) -> Features:
        return self.kernel.right(Z)

    def evaluate(self, left: Features, right: Features) -> Array:
        return self._shift(self.kernel.evaluate(left, right))

    def evaluate_each(self, lefts: Sequence[Features], right: Features, out: Segments) -> None:
        self.kernel.evaluate_each(lefts, right, out)
        out.values += self.offset

    def _shift(self, values: Array) -> Array:
        values += self.offset  # the inner kernel's answer is a fresh array
        return values

    @property
    def stationary(self) -> bool:
        return self.kernel.stationary

    @property
    def n_geometries(self) -> int:
        return self.kernel.n_geometries

    def diagonal(self, X: Array) -> Array:
        return self.kernel.diagonal(X) + self.offset

    @property
    def geometry(self) -> Geometry | None:
        return self.kernel.geometry

    def profile(self, t: Array, order: int = 0) -> Array:
        return self.kernel.profile(t, order) + (self.offset if order == 0 else 0.0)
