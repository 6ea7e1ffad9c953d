"""Kernels on the sphere: the cosine of an angle as geometry, Gegenbauer polynomials as profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels.base import ProfileKernel
from kernelbandits.kernels.geometry import Geometry, multiply_each
from kernelbandits.linalg import Segments
from kernelbandits.specs import Count, NonNegative
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True)
class Spherical(Geometry):
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

    def evaluate(self, left: Array, right: Array) -> Array:
        t: Array = left @ right.T
        return np.clip(t, -1.0, 1.0, out=t)

    def evaluate_each(self, lefts: Sequence[Array], right: Array, out: Segments) -> None:
        multiply_each(lefts, right, out)
        np.clip(out.values, -1.0, 1.0, out=out.values)

    def diagonal(self, X: Array) -> Array:
        return np.ones(len(self.left(X)))


@final
@dataclass(frozen=True, slots=True)
class Schoenberg(ProfileKernel):
    """h(t) = Σ_ℓ a_ℓ C_ℓ^{(α)}(t), α = (dim − 2)/2, on the sphere: Gegenbauer polynomials with weights a_ℓ ≥ 0.

    Points are projected to the sphere, so t is the cosine of their angle. The kernel is positive definite for points
    with at most `dim` features (Schoenberg 1942). C_ℓ^{(α)}(1) grows like dim^ℓ / ℓ!, so weights should shrink as fast.

    Attributes:
        coefficients: a_0, a_1, …, all at least 0 and one above 0.
        dim: the largest number of features that points may have, at least 3; it sets α.

    >>> Schoenberg((0.5, 0.1), dim=4)(np.ones((1, 4))).round(4)
    array([[0.7]])

    See also `Kernel`, `Exponential`, `RadialKernel`, `InnerProductKernel`.
    """

    coefficients: tuple[NonNegative, ...]
    dim: Count

    def _validate(self) -> None:
        if self.dim < 3:
            raise InvalidArgument(f"Schoenberg: dim must be at least 3, so that (dim − 2)/2 > 0; got {self.dim}")
        if not any(self.coefficients):
            raise InvalidArgument(f"Schoenberg: coefficients must have a positive entry; got {self.coefficients}")

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        return (Spherical(self.dim),)

    def profile(self, t: Array, order: int = 0) -> Array:
        # d^m/dt^m C_ℓ^{(α)} = 2^m (α)_m C_{ℓ−m}^{(α+m)}
        from scipy.special import eval_gegenbauer, poch

        alpha = (self.dim - 2) / 2
        total = np.zeros_like(t)
        for degree, weight in enumerate(self.coefficients[order:]):
            if weight:
                total += weight * eval_gegenbauer(degree, alpha + order, t)
        return 2.0**order * poch(alpha, order) * total
