"""The periodic kernel: a Gaussian kernel of points mapped to circles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.kernels.base import ProfileKernel
from kernelbandits.kernels.geometry import Geometry, MappedGeometry, Radial
from kernelbandits.kernels.profiles import exponential_profile
from kernelbandits.specs import Positive
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True)
class Circular(MappedGeometry):
    """t = (2/d) Σ_j sin²(π (x_j − z_j)/period): the squared distance of the points on their circles, divided by 2d."""

    mapped = Radial()
    period: float

    def _map(self, X: Array) -> Array:
        """Every coordinate as a point of the unit circle, shape (n, 2d)."""
        angles = (2.0 * np.pi / self.period) * X
        return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)

    def diagonal(self, X: Array) -> Array:
        return np.zeros(len(X))


@final
@dataclass(frozen=True, slots=True)
class Periodic(ProfileKernel):
    """K(x, z) = exp(−γ t), t = (2/d) Σ_j sin²(π (x_j − z_j)/period): functions that repeat in every coordinate."""

    period: Positive = 1.0
    gamma: Positive = 1.0

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        return (Circular(self.period),)

    def profile(self, t: Array, order: int = 0) -> Array:
        return exponential_profile(t, -self.gamma, order)
