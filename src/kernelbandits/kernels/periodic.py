"""The periodic kernel: a Gaussian kernel of points wound around circles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.kernels.base import ProfileKernel
from kernelbandits.kernels.geometry import Geometry, Radial
from kernelbandits.specs import Positive
from kernelbandits.types import Array

_RADIAL = Radial()


@final
@dataclass(frozen=True, slots=True)
class Circular(Geometry):
    """t = (2/d) Σ_j sin²(π (x_j − z_j)/period): the squared distance of the points on their circles, divided by 2d."""

    stationary = True
    period: float

    def left(self, X: Array) -> Array:
        return _RADIAL.left(self._wound(X))

    def right(self, Z: Array) -> Array:
        return _RADIAL.right(self._wound(Z))

    def _wound(self, X: Array) -> Array:
        """Every coordinate as a point of the unit circle, shape (n, 2d)."""
        angles = (2.0 * np.pi / self.period) * X
        return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)

    def scale(self, right: Array) -> Array:
        return _RADIAL.scale(right)

    def settle(self, t: Array, scale: Array) -> None:
        _RADIAL.settle(t, scale)

    def diagonal(self, X: Array) -> Array:
        return np.zeros(len(X))


@final
@dataclass(frozen=True, slots=True)
class Periodic(ProfileKernel):
    """K(x, z) = exp(−γ t), t = (2/d) Σ_j sin²(π (x_j − z_j)/period): functions that repeat in every coordinate."""

    period: Positive = 1.0
    gamma: Positive = 1.0

    def _geometry(self) -> Geometry:
        return Circular(self.period)

    def profile(self, t: Array, order: int = 0) -> Array:
        values: Array = (-self.gamma) ** order * np.exp(-self.gamma * t)
        return values
