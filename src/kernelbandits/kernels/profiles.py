"""The kernels of the two classes of the paper, by their profiles, and the periodic kernel.

The Matern profile and its derivatives are one function s^μ K_μ(s) of the modified Bessel function K_μ. Because
d/ds [s^μ K_μ(s)] = −s^μ K_{μ−1}(s), each derivative in t lowers μ by one:
h^{(m)}(t) = 2^{1−ν}/Γ(ν) · (−ν/ℓ²)^m · s^{ν−m} K_{ν−m}(s), s = √(2νt)/ℓ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, gamma, lgamma, log, perm, pi, sqrt
from typing import final

import numpy as np

from kernelbandits.kernels.base import ExponentialProfile, InnerProductKernel, RadialKernel
from kernelbandits.kernels.geometry import Geometry, MappedGeometry, Radial
from kernelbandits.specs import Count, NonNegative, Positive
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True)
class Gaussian(ExponentialProfile, RadialKernel):
    """h(t) = exp(−γ t). The paper's experiments use γ = 4. See also `Kernel`, `Laplace`.

    Attributes:
        gamma: γ > 0; functions change over squared distances ‖x − z‖²/d of about 1/γ.

    >>> Gaussian(gamma=4.0)([[0.0, 0.0]], [[1.0, 1.0]]).round(4)
    array([[0.0183]])
    """

    gamma: Positive = 1.0
    _sign = -1.0


@final
@dataclass(frozen=True, slots=True)
class Laplace(RadialKernel):
    """h(t) = exp(−γ √t). Not differentiable at 0: the derivatives there are −∞ and ∞. See also `Kernel`, `Gaussian`.

    Attributes:
        gamma: γ > 0; functions change over distances ‖x − z‖/√d of about 1/γ.

    >>> Laplace(gamma=1.0)(np.zeros((1, 4)), np.ones((1, 4))).round(4)
    array([[0.3679]])
    """

    gamma: Positive = 1.0

    def profile(self, t: Array, order: int = 0) -> Array:
        # This is the Matern profile with ν = ½, exp(−√t/ℓ).
        return _matern_profile(t, 0.5, 1.0 / self.gamma, order)


@final
@dataclass(frozen=True, slots=True)
class RationalQuadratic(RadialKernel):
    """h(t) = (1 + t / (2 α ℓ²))^{−α}: a mixture of Gaussians of all widths. See also `Kernel`, `Matern`.

    Attributes:
        alpha: α > 0; a small one mixes many widths, a large one is close to exp(−t/(2ℓ²)).
        length: ℓ > 0, the distance ‖x − z‖/√d over which functions change.

    >>> RationalQuadratic()(np.zeros((1, 4)), np.ones((1, 4))).round(4)
    array([[0.6667]])
    """

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
    See also `Kernel`, `Laplace`.

    The derivative of order m is finite at 0 only when ν > m.

    Attributes:
        nu: ν > 0, the smoothness: ½ is `Laplace(1/ℓ)`, and a large one is close to exp(−t/(2ℓ²)).
        length: ℓ > 0, the distance ‖x − z‖/√d over which functions change.

    >>> Matern(nu=1.5)(np.zeros((1, 4)), np.ones((1, 4))).round(4)
    array([[0.4834]])
    """

    nu: Positive = 2.5
    length: Positive = 1.0

    def profile(self, t: Array, order: int = 0) -> Array:
        return _matern_profile(t, self.nu, self.length, order)


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
class Periodic(ExponentialProfile):
    """K(x, z) = exp(−γ t), t = (2/d) Σ_j sin²(π (x_j − z_j)/period): functions that repeat in every coordinate.
    See also `Kernel`, `RationalQuadratic`.

    Attributes:
        period: functions repeat after this, in the unit of the features; the same for every coordinate.
        gamma: γ > 0; larger is rougher.

    >>> Periodic(period=24.0)([[1.0]], [[25.0], [13.0]]).round(4)
    array([[1.    , 0.1353]])
    """

    period: Positive = 1.0
    gamma: Positive = 1.0
    _sign = -1.0

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        return (Circular(self.period),)


@final
@dataclass(frozen=True, slots=True)
class Linear(InnerProductKernel):
    """h(t) = t: linear functions without a constant; `Linear() + 1.0` has one. See also `Kernel`, `Periodic`.

    >>> Linear()([[1.0, 1.0]], [[2.0, 0.0]])
    array([[1.]])
    """

    def profile(self, t: Array, order: int = 0) -> Array:
        return t if order == 0 else np.full_like(t, 1.0 if order == 1 else 0.0)


@final
@dataclass(frozen=True, slots=True)
class Polynomial(InnerProductKernel):
    """h(t) = (t + offset)^degree. A negative offset would not be positive definite. See also `Kernel`, `Linear`.

    Attributes:
        degree: the highest power of ⟨x, z⟩/d, at least 1.
        offset: at least 0. With 0 functions have terms of this degree alone, else of all lower degrees too.

    >>> Polynomial(degree=2)(np.ones((1, 4)))
    array([[4.]])
    """

    degree: Count = 2
    offset: NonNegative = 1.0

    def profile(self, t: Array, order: int = 0) -> Array:
        if order > self.degree:
            return np.zeros_like(t)
        return perm(self.degree, order) * (t + self.offset) ** (self.degree - order)


@final
@dataclass(frozen=True, slots=True)
class Exponential(ExponentialProfile, InnerProductKernel):
    """h(t) = exp(γ t). See also `Kernel`, `Polynomial`.

    Attributes:
        gamma: γ > 0; the power tᵖ has weight γᵖ/p!, so a larger one gives high powers more weight.

    >>> Exponential(gamma=1.0)(np.ones((1, 4))).round(4)
    array([[2.7183]])
    """

    gamma: Positive = 1.0
    _sign = 1.0


_HALF_INTEGER: dict[float, Callable[[Array], Array]] = {
    # s^μ K_μ(s) / √(π/2)
    -1.5: lambda s: (1.0 + s) * np.exp(-s) / s**3,
    -0.5: lambda s: np.exp(-s) / s,
    0.5: lambda s: np.exp(-s),
    1.5: lambda s: (1.0 + s) * np.exp(-s),
    2.5: lambda s: (3.0 + 3.0 * s + np.minimum(s, 1e150) ** 2) * np.exp(-s),  # finite: ∞ · 0 would be NaN
}
_DEBYE_FROM = 100.0  # above this order the uniform expansion is exact to 1e-10 and Γ(μ) is about to overflow


def _matern_profile(t: Array, nu: float, length: float, order: int) -> Array:
    """Derivative of the given order of the Matern profile at t ≥ 0, elementwise."""
    s = np.sqrt(2.0 * nu * t) / length
    mu = nu - order
    log_scale = _log_value_at_zero(mu) - _log_value_at_zero(nu) if mu > 0 else -_log_value_at_zero(nu)
    return (-nu / length**2) ** order * exp(log_scale) * _relative(mu, s)


def _log_value_at_zero(mu: float) -> float:
    """Log of lim_{s→0} s^μ K_μ(s) = 2^{μ−1} Γ(μ), for μ > 0."""
    return (mu - 1.0) * log(2.0) + lgamma(mu)


def _relative(mu: float, s: Array) -> Array:
    """s^μ K_μ(s), divided by its value at 0 if that is finite (μ > 0)."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        if mu in _HALF_INTEGER:
            value = sqrt(pi / 2.0) * _HALF_INTEGER[mu](s)
            return value / (2.0 ** (mu - 1.0) * gamma(mu)) if mu > 0 else value
        if mu > _DEBYE_FROM:
            return _debye(mu, s)
        from scipy.special import kv, kve

        if mu <= 0:
            return np.where(s > 0, s**mu * kv(-mu, s), np.inf)
        scaled = kve(mu, s)  # e^s K_μ(s): with logarithms, s^μ and e^−s neither overflow nor underflow
        value = np.exp(mu * np.log(s) + np.log(scaled) - s - _log_value_at_zero(mu))
        return np.where(np.isfinite(scaled), value, np.where(s < 1.0, _near_zero(mu, s), 0.0))


def _near_zero(mu: float, s: Array) -> Array:
    """The series at 0, for s = 0 and where K_μ(s) overflows; there its next term is below 1e-15."""
    total, term = np.ones_like(s), np.ones_like(s)
    for j in (1, 2, 3):
        if mu <= j:
            break
        term = term * (-(s**2) / (4.0 * j * (mu - j)))
        total = total + term
    return total


def _debye(mu: float, s: Array) -> Array:
    """Debye's uniform expansion of K_μ for large order, relative to the value at 0."""
    z = s / mu
    root = np.sqrt(1.0 + z**2)
    p = 1.0 / root
    series = (
        1.0
        - (3.0 * p - 5.0 * p**3) / (24.0 * mu)
        + (81.0 * p**2 - 462.0 * p**4 + 385.0 * p**6) / (1152.0 * mu**2)
        - (30375.0 * p**3 - 369603.0 * p**5 + 765765.0 * p**7 - 425425.0 * p**9) / (414720.0 * mu**3)
    )
    # log[s^μ e^{−μη}] with η = root + log(z / (1 + root)): log s cancels, so s = 0 needs no special case.
    exponent = mu * (log(mu) + np.log1p(root) - root)
    logarithm = exponent + 0.5 * log(pi / (2.0 * mu)) - 0.5 * np.log(root) + np.log(series)
    return np.exp(logarithm - _log_value_at_zero(mu))
