"""Kernels of functions that may be 0 at one context, for distances in any `Units`: Gaussian and rational."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, final

import numpy as np

from kernelbandits.beliefs.context_units import Units
from kernelbandits.kernels import (
    Combination,
    Gaussian,
    Geometry,
    InnerProduct,
    Kernel,
    MappedGeometry,
    RationalQuadratic,
)
from kernelbandits.types import Array


def height(s: Array, *, rational: bool) -> Array:
    """h(s) = e⁻ˢ, or 1/(1 + s), which is the mean of e^(−ws) over exponential w: Gaussians of all widths at once."""
    return 1.0 / (1.0 + s) if rational else np.exp(-s)


@dataclass(frozen=True, slots=True, eq=False)
class Anchor(MappedGeometry):
    """t = a(x) a(z) with a(x) = h(γ ‖u(x)‖²/d), the correlation with the value at the origin of the units."""

    mapped = InnerProduct()
    rational: ClassVar = False
    _units: Units
    _gamma: float

    def _map(self, X: Array) -> Array:
        U = self._units._map(X)
        return height(self._gamma / U.shape[1] * np.vecdot(U, U), rational=self.rational)[:, np.newaxis]

    def diagonal(self, X: Array) -> Array:
        return self._map(X)[:, 0] ** 2


@final
@dataclass(frozen=True, slots=True, eq=False)
class RationalAnchor(Anchor):
    """The anchor of an `AnchoredRational`."""

    rational: ClassVar = True


class AnchoredKernel(Combination):
    """K(x, z) = h(γ t(x, z)) − (1 − common) h(γ t(x, c)) h(γ t(z, c)), t in `Units`, c their origin.

    With common = 1 it is h(γ t), which is nearly constant for a small γ. With common = 0 it is the covariance given
    that the function is 0 at c: what varies with the context is told apart from the level, and a small γ stands for
    linear functions. It holds arrays, so it is not a spec: beliefs make it.
    """

    __slots__ = ("_geometries", "common", "gamma")
    _anchor: ClassVar[type[Anchor]]
    _geometries: tuple[Geometry, ...]
    gamma: float
    common: float

    def __init__(self, units: Units, gamma: float, common: float) -> None:
        self._geometries = (units, self._anchor(units, gamma))[: 1 if common == 1.0 else 2]
        self.gamma = gamma
        self.common = common

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        return self._geometries

    def _values(self, t: Sequence[Array], order: int) -> Array:
        values = self._radial._values(t[:1], order)
        for anchor in t[1:]:
            values -= (1.0 - self.common) * anchor
        return values

    @property
    @abstractmethod
    def _radial(self) -> Kernel:
        """h(γ t) as a kernel of its own."""


@final
class AnchoredGaussian(AnchoredKernel):
    """h(s) = e⁻ˢ: smooth functions."""

    __slots__ = ()
    _anchor = Anchor

    @property
    def _radial(self) -> Kernel:
        return Gaussian(self.gamma)


@final
class AnchoredRational(AnchoredKernel):
    """h(s) = 1/(1 + s): functions that are level over wide regions and change quickly between them."""

    __slots__ = ()
    _anchor = RationalAnchor

    @property
    def _radial(self) -> Kernel:
        return RationalQuadratic(1.0, sqrt(0.5 / self.gamma))
