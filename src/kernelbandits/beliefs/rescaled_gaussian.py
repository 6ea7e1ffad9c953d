"""A Gaussian kernel after every feature was brought to its own unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from kernelbandits.kernels import Combination, Gaussian, Geometry, MappedGeometry, Radial
from kernelbandits.types import Array


@final
class Units(MappedGeometry):
    """t = ‖(x − z)/units‖²/d; `units` has shape (d,). Points are moved by `origin` first, for their digits' sake."""

    mapped = Radial()
    __slots__ = ("_inverse", "_origin")

    def __init__(self, origin: Array, units: Array) -> None:
        self._origin = origin
        self._inverse = 1.0 / units

    @classmethod
    def of(cls, groups: list[Array]) -> Units:
        """The deviation of each feature within groups of points, arrays of shape (n, d).

        One that is constant there has the root mean square of the units of the others: it may vary later.
        """
        together = np.concatenate(groups)
        apart = np.concatenate([X - X.mean(axis=0) for X in groups])
        units = np.sqrt((apart**2).mean(axis=0))
        constant = units <= _CONSTANT * np.abs(together).max(axis=0)
        typical = np.sqrt(np.mean(units[~constant] ** 2)) if not constant.all() else 1.0
        return cls(together.mean(axis=0), np.where(constant, typical, units))

    def _map(self, X: Array) -> Array:
        return (X - self._origin) * self._inverse

    def diagonal(self, X: Array) -> Array:
        return np.zeros(len(X))


_CONSTANT = 1e-12  # a deviation that is rounding, relative to the size of the feature


@final
class GeometricGaussian(Combination):
    """K(x, z) = exp(−γ t) for any geometry t. It holds arrays, so it is not a spec: beliefs make it."""

    __slots__ = ("_geometries", "gamma")

    def __init__(self, geometry: Geometry, gamma: float) -> None:
        self._geometries = (geometry,)
        self.gamma = gamma

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        return self._geometries

    def _values(self, t: Sequence[Array], order: int) -> Array:
        return Gaussian(self.gamma)._values(t, order)
