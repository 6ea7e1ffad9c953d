"""A Gaussian kernel of functions that may be 0 at one context, with every feature in its own unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.kernels import Combination, Gaussian, Geometry, InnerProduct, MappedGeometry, Radial
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class Units(MappedGeometry):
    """t = ‖u(x) − u(z)‖²/d with u(x) = scales · (x − origin); `origin` and `scales` have shape (d,).

    The origin changes no distance: it is there so that no digits are lost if contexts are far from 0.
    """

    mapped = Radial()
    origin: Array
    scales: Array

    def _validate(self) -> None:
        checks.refuse_misshapen(self, origin=(None,), scales=(len(self.origin),))

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
@dataclass(frozen=True, slots=True, eq=False)
class Anchor(MappedGeometry):
    """t = a(x) a(z) with a(x) = exp(−γ ‖u(x)‖²/d), the correlation with the value at the origin of the units."""

    mapped = InnerProduct()
    _units: Units
    _gamma: float

    def _map(self, X: Array) -> Array:
        U = self._units._map(X)
        heights: Array = np.exp(-self._gamma / U.shape[1] * np.vecdot(U, U))[:, np.newaxis]
        return heights

    def diagonal(self, X: Array) -> Array:
        return self._map(X)[:, 0] ** 2


@final
class AnchoredGaussian(Combination):
    """K(x, z) = exp(−γ t(x, z)) − (1 − common) exp(−γ t(x, c)) exp(−γ t(z, c)), t in `Units`, c their origin.

    With common = 1 it is exp(−γ t), which is nearly constant for a small γ. With common = 0 it is the covariance given
    that the function is 0 at c: what varies with the context is told apart from the level, and a small γ stands for
    linear functions. It holds arrays, so it is not a spec: beliefs make it.
    """

    __slots__ = ("_geometries", "common", "gamma")
    _geometries: tuple[Geometry, ...]
    gamma: float
    common: float

    def __init__(self, units: Units, gamma: float, common: float) -> None:
        self._geometries = (units, Anchor(units, gamma))[: 1 if common == 1.0 else 2]
        self.gamma = gamma
        self.common = common

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        return self._geometries

    def _values(self, t: Sequence[Array], order: int) -> Array:
        values = Gaussian(self.gamma)._values(t[:1], order)
        for anchor in t[1:]:
            values -= (1.0 - self.common) * anchor
        return values
