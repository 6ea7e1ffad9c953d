"""Kernels of the radial-basis-function class, K(x, z) = h(‖x − z‖² / d)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.kernels.base import RadialKernel
from kernelbandits.kernels.profiles import exponential_profile, matern_profile
from kernelbandits.specs import Positive
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True)
class Gaussian(RadialKernel):
    """h(t) = exp(−γ t). The paper's experiments use γ = 4.

    >>> Gaussian(gamma=4.0)([[0.0, 0.0]], [[1.0, 1.0]]).round(4)
    array([[0.0183]])
    """

    gamma: Positive = 1.0

    def profile(self, t: Array, order: int = 0) -> Array:
        return exponential_profile(t, -self.gamma, order)


@final
@dataclass(frozen=True, slots=True)
class Laplace(RadialKernel):
    """h(t) = exp(−γ √t). Not differentiable at 0: the derivatives there are −∞ and ∞."""

    gamma: Positive = 1.0

    def profile(self, t: Array, order: int = 0) -> Array:
        # This is the Matern profile with ν = ½, exp(−√t/ℓ).
        return matern_profile(t, 0.5, 1.0 / self.gamma, order)


@final
@dataclass(frozen=True, slots=True)
class RationalQuadratic(RadialKernel):
    """h(t) = (1 + t / (2 α ℓ²))^{−α}: a mixture of Gaussians of all widths."""

    alpha: Positive = 1.0
    length: Positive = 1.0

    def profile(self, t: Array, order: int = 0) -> Array:
        scale = 2.0 * self.alpha * self.length**2
        rising = float(np.prod(self.alpha + np.arange(order)))
        return rising / (-scale) ** order * (1.0 + t / scale) ** (-self.alpha - order)


@final
@dataclass(frozen=True, slots=True)
class Matern(RadialKernel):
    """h(t) = 2^{1−ν}/Γ(ν) s^ν K_ν(s), s = √(2νt)/ℓ, for any ν > 0; closed forms at ν = ½, 3/2, 5/2.

    The derivative of order m is finite at 0 only when ν > m.
    """

    nu: Positive = 2.5
    length: Positive = 1.0

    def profile(self, t: Array, order: int = 0) -> Array:
        return matern_profile(t, self.nu, self.length, order)
