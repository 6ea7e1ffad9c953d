"""Closed forms of Cases I, II, III for both classes: Lemmas low_rank, approx_low_rank, N_ll_d and their _rbf relatives.

The lemmas' O(·) terms are left out: they have no constant. What is left is linear in one ratio, so a variance is kept
as its slope, V = slope · d/N in Cases I and II and V = slope · N/d in Case III.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import final

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels.base import Kernel
from kernelbandits.theory.classes import INNER_PRODUCT, RADIAL, KernelClass, class_of, extremes, h
from kernelbandits.theory.spectrum import Moments


class Case(Enum):
    """The paper's Example liang_sec4: the shapes of Σ for which the bounds close."""

    LOW_RANK = "I"
    APPROXIMATE_LOW_RANK = "II"
    SPECTRAL_DECAY = "III"

    def __str__(self) -> str:
        return f"Case {self.value} ({self.name.lower().replace('_', ' ')})"

    @property
    def more_data_helps(self) -> bool:
        """Whether V falls with N (Cases I and II, where N > d) or grows with it (Case III, where N < d)."""
        return self is not Case.SPECTRAL_DECAY


@final
@dataclass(frozen=True, slots=True)
class CaseBound:
    """The bounds on V̄ and B̄ at one N, without the O(·) terms."""

    variance: float
    bias: float


@final
@dataclass(frozen=True, slots=True)
class Profile:
    """The constants of h that the cases use.

    Attributes:
        beta: h'(0), inner-product class.
        curvature_max: max of h'' on [0, 1], inner-product class.
        curvature_min: min of h'' on [0, 1], inner-product class.
        steepest: |min of h' on [0, 2]|, radial class.
        gamma_ratio: the c in γ ≥ c Tr(Σ)/d, radial class.

    """

    beta: float = 0.0
    curvature_max: float = 0.0
    curvature_min: float = 0.0
    steepest: float = 0.0
    gamma_ratio: float = 0.0


def _inner_product_profile(kernel: Kernel, epsilon: float) -> Profile:
    smallest, largest = extremes(kernel, 2, 1.0)
    return Profile(beta=h(kernel, 0.0, 1), curvature_max=largest, curvature_min=smallest)


def _radial_profile(kernel: Kernel, epsilon: float) -> Profile:
    # γ ≥ c Tr(Σ)/d with Tr(Σ)/d ≈ ε: the largest c that this very Σ allows.
    gamma = RADIAL.parameters(kernel, Moments(epsilon, 0.0), as_printed=False).gamma
    return Profile(steepest=-extremes(kernel, 1, 2.0)[0], gamma_ratio=gamma / epsilon)


_PROFILES: dict[KernelClass, Callable[[Kernel, float], Profile]] = {
    INNER_PRODUCT: _inner_product_profile,
    RADIAL: _radial_profile,
}

Formula = Callable[[Profile, float], float]

_SLOPES: dict[tuple[KernelClass, Case], Formula] = {
    # V = slope · σ² · d/N (I, II) or · N/d (III)
    (INNER_PRODUCT, Case.LOW_RANK): lambda p, e: 32.0 * e,
    (INNER_PRODUCT, Case.APPROXIMATE_LOW_RANK): lambda p, e: 32.0 / e,
    (INNER_PRODUCT, Case.SPECTRAL_DECAY): lambda p, e: 8.0 * p.beta / (e**2 * p.curvature_min),
    (RADIAL, Case.LOW_RANK): lambda p, e: 32.0 * e,
    (RADIAL, Case.APPROXIMATE_LOW_RANK): lambda p, e: 32.0 / e,
    (RADIAL, Case.SPECTRAL_DECAY): lambda p, e: 4.0 * p.steepest / (e * p.gamma_ratio),
}
_BIASES: dict[tuple[KernelClass, Case], Formula] = {
    # B̄ = bias · B²
    (INNER_PRODUCT, Case.LOW_RANK): lambda p, e: 0.75 * p.curvature_max * e**2 + p.beta * e,
    (INNER_PRODUCT, Case.APPROXIMATE_LOW_RANK): lambda p, e: 1.5 * p.curvature_max * e**2 + p.beta * e,
    (INNER_PRODUCT, Case.SPECTRAL_DECAY): lambda p, e: 0.75 * p.curvature_max * e**2 + p.beta * e,
    (RADIAL, Case.LOW_RANK): lambda p, e: 5.0 * p.steepest * e,
    (RADIAL, Case.APPROXIMATE_LOW_RANK): lambda p, e: 5.0 * p.steepest * e,
    (RADIAL, Case.SPECTRAL_DECAY): lambda p, e: 5.0 * p.steepest * e,
}


def profile_constants(kernel: Kernel, epsilon: float) -> Profile:
    """The constants of h for a spectrum of level ε."""
    if not 0.0 < epsilon <= 1.0:
        raise InvalidArgument(f"epsilon must be above 0 and at most 1, as in the paper's cases; got {epsilon!r}")
    return _PROFILES[class_of(kernel)](kernel, float(epsilon))


def variance_slope(kernel: Kernel, case: Case, epsilon: float, noise_std: float) -> float:
    """V per unit of d/N (Cases I, II) or of N/d (Case III). ∞ where the class conditions on h fail."""
    p = profile_constants(kernel, epsilon)
    try:
        return noise_std**2 * _SLOPES[class_of(kernel), case](p, epsilon)
    except ZeroDivisionError:
        return float("inf")


def case_bias(kernel: Kernel, case: Case, epsilon: float, norm: float) -> float:
    """The bound on B̄, which no number of draws lowers."""
    return norm**2 * _BIASES[class_of(kernel), case](profile_constants(kernel, epsilon), epsilon)


def case_bound(
    kernel: Kernel, case: Case, *, epsilon: float, dim: int, n: float, noise_std: float, norm: float
) -> CaseBound:
    """The closed forms at d = `dim` and N = `n` draws per arm."""
    ratio = dim / n if case.more_data_helps else n / dim
    return CaseBound(variance_slope(kernel, case, epsilon, noise_std) * ratio, case_bias(kernel, case, epsilon, norm))
