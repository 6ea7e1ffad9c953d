"""Sums, products and multiples of kernels. Where both parts share a geometry, the result has a profile too."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.fields import Positive
from kernelbandits.kernels.base import Kernel
from kernelbandits.kernels.geometry import Geometry
from kernelbandits.types import Array


def _common(left: Kernel, right: Kernel) -> Geometry | None:
    return left.geometry if left.geometry == right.geometry else None


def _require_common(left: Kernel, right: Kernel) -> None:
    if _common(left, right) is None:
        raise InvalidArgument(
            f"{left} and {right} look at points in different ways (distance, inner product), so their combination has "
            "no single profile; combine kernels of one class to use profiles"
        )


@final
@dataclass(frozen=True, slots=True)
class Sum(Kernel):
    """K = K₁ + K₂."""

    left: Kernel
    right: Kernel

    def block(self, X: Array, Z: Array) -> Array:
        return self.left.block(X, Z) + self.right.block(X, Z)

    def gram(self, X: Array) -> Array:
        return self.left.gram(X) + self.right.gram(X)

    def diagonal(self, X: Array) -> Array:
        return self.left.diagonal(X) + self.right.diagonal(X)

    @property
    def geometry(self) -> Geometry | None:
        return _common(self.left, self.right)

    def profile(self, t: Array, order: int = 0) -> Array:
        _require_common(self.left, self.right)
        return self.left.profile(t, order) + self.right.profile(t, order)


@final
@dataclass(frozen=True, slots=True)
class Product(Kernel):
    """K = K₁ K₂, elementwise (positive definite by Schur's theorem)."""

    left: Kernel
    right: Kernel

    def block(self, X: Array, Z: Array) -> Array:
        return self.left.block(X, Z) * self.right.block(X, Z)

    def gram(self, X: Array) -> Array:
        return self.left.gram(X) * self.right.gram(X)

    def diagonal(self, X: Array) -> Array:
        return self.left.diagonal(X) * self.right.diagonal(X)

    @property
    def geometry(self) -> Geometry | None:
        return _common(self.left, self.right)

    def profile(self, t: Array, order: int = 0) -> Array:
        """Leibniz' rule: Σ_j C(m, j) h₁^{(j)} h₂^{(m−j)}."""
        _require_common(self.left, self.right)
        total = np.zeros_like(t)
        for j in range(order + 1):
            total += comb(order, j) * self.left.profile(t, j) * self.right.profile(t, order - j)
        return total


@final
@dataclass(frozen=True, slots=True)
class Scaled(Kernel):
    """K = factor · K₁, factor > 0."""

    kernel: Kernel
    factor: Positive

    def block(self, X: Array, Z: Array) -> Array:
        return self.factor * self.kernel.block(X, Z)

    def gram(self, X: Array) -> Array:
        return self.factor * self.kernel.gram(X)

    def diagonal(self, X: Array) -> Array:
        return self.factor * self.kernel.diagonal(X)

    @property
    def geometry(self) -> Geometry | None:
        return self.kernel.geometry

    def profile(self, t: Array, order: int = 0) -> Array:
        return self.factor * self.kernel.profile(t, order)
