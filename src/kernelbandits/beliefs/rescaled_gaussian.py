"""A Gaussian kernel after every feature was brought to its own unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from kernelbandits.kernels import Combination, Gaussian, Geometry, MappedGeometry, Radial
from kernelbandits.types import Array


@final
class Units(MappedGeometry):
    """t = ‖u(x) − u(z)‖²/d with u(x) = scales · (x − origin); `origin` and `scales` have shape (d,).

    The origin changes no distance: it is there so that no digits are lost if contexts are far from 0.
    """

    mapped = Radial()
    __slots__ = ("origin", "scales")

    def __init__(self, origin: Array, scales: Array) -> None:
        self.origin = origin
        self.scales = scales

    @classmethod
    def as_given(cls, groups: list[Array]) -> Units:
        """Features as they are in groups of points, arrays of shape (n, d)."""
        origin = np.concatenate(groups).mean(axis=0)
        return cls(origin, np.ones_like(origin))

    @classmethod
    def own(cls, groups: list[Array]) -> Units:
        """Each feature in units of its deviation within groups of points, arrays of shape (n, d).

        One that is constant there has the root mean square of the units of the others: it may vary later.
        """
        together = np.concatenate(groups)
        apart = np.concatenate([X - X.mean(axis=0) for X in groups])
        units = np.sqrt((apart**2).mean(axis=0))
        constant = units <= _CONSTANT * np.abs(together).max(axis=0)
        typical = np.sqrt(np.mean(units[~constant] ** 2)) if not constant.all() else 1.0
        return cls(together.mean(axis=0), 1.0 / np.where(constant, typical, units))

    def _map(self, X: Array) -> Array:
        return (X - self.origin) * self.scales

    def diagonal(self, X: Array) -> Array:
        return np.zeros(len(X))


_CONSTANT = 1e-12  # a deviation that is rounding, relative to the size of the feature


@final
class RescaledGaussian(Combination):
    """K(x, z) = exp(−γ t) with t in `Units`. It holds arrays, so it is not a spec: beliefs make it."""

    __slots__ = ("_geometries", "gamma")

    def __init__(self, units: Units, gamma: float) -> None:
        self._geometries = (units,)
        self.gamma = gamma

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        return self._geometries

    def _values(self, t: Sequence[Array], order: int) -> Array:
        return Gaussian(self.gamma)._values(t, order)
