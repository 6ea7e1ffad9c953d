"""Regret of Explore-then-Commit: Lemma C.1 and the exponents of Theorems 4.8 and 4.9."""

from math import inf
from typing import Annotated, NamedTuple

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel
from kernelbandits.specs import CountFromZero, NonNegative, Range, conform
from kernelbandits.theory.linearization import INNER_PRODUCT, class_of
from kernelbandits.theory.orders import gamma_power
from kernelbandits.types import Array, ArrayLike

_Chance = Annotated[float, Range("a number from 0 to 1", lambda v: 0 <= v <= 1)]


def _errors(value: ArrayLike) -> Array:
    errors = checks.finite_array("errors", value, (None,), "one squared error E‖f̂ − f‖² per arm")
    if errors.min() < 0:
        raise InvalidArgument(f"errors are squared and cannot be negative; arm {int(errors.argmin())}: {errors.min()}")
    return errors


def regret_bound(
    errors: ArrayLike, *, n_per_arm: int, horizon: int, norm: float, failure_probability: float = 0.0
) -> float:
    """R(T) ≤ 2BNK + 2BT Pr(𝒜ᶜ) + 2T Σ_i √(E‖f̂⁽ⁱ⁾ − f⁽ⁱ⁾‖²): Lemma C.1, regret upper bound of EtC.

    `errors` holds one squared error per arm, measured or bounded; K is their number.
    """
    squared = _errors(errors)
    conform(n_per_arm, CountFromZero, "n_per_arm")
    conform(horizon, CountFromZero, "horizon")
    explore = 2.0 * norm * n_per_arm * len(squared)
    return explore + horizon * per_round_bound(squared, norm=norm, failure_probability=failure_probability)


def per_round_bound(errors: ArrayLike, *, norm: float = 0.0, failure_probability: float = 0.0) -> float:
    """2B Pr(𝒜ᶜ) + 2 Σ_i √(E‖f̂⁽ⁱ⁾ − f⁽ⁱ⁾‖²): bounds the regret of one committed round (Lemma C.1)."""
    conform(norm, NonNegative, "norm")
    conform(failure_probability, _Chance, "failure_probability")
    return 2.0 * norm * failure_probability + 2.0 * float(np.sqrt(_errors(errors)).sum())


def lenient_regret_is_bounded(
    errors: ArrayLike, delta: float, *, norm: float = 0.0, failure_probability: float = 0.0
) -> bool:
    """Whether R_Δ(T) ≤ 2BNK by Lemma C.1, that is, no lenient regret after the exploration."""
    return per_round_bound(errors, norm=norm, failure_probability=failure_probability) <= delta


class RegretExponent(NamedTuple):
    """R(T) = Õ(T^value) and squared error Õ(T^−tau_bar), if (τ₁, τ₂, c) is in the theorem's range (`valid`)."""

    value: float
    tau_bar: float
    valid: bool
    reason: str


def regret_exponent(kernel: Kernel, tau_1: float, tau_2: float, c: float = 1.0) -> RegretExponent:
    """Exponent in Case I with d = Θ(T^τ₁), ε = Θ(T^−τ₂), T₀ = Θ(Kd); `c` matters to the radial class only.

    Not `valid` if γ falls faster with ε than the theorem supposes for the class: γ = Θ(ε²) for the inner-product class,
    γ ≥ cε for the radial one. Every radial h of the class is smooth at 0, so γ = Θ(ε²) there too; `reason` then has
    what the proof gives with the kernel's own power of ε.
    """
    inner = class_of(kernel) is INNER_PRODUCT
    found = inner_product_exponent(tau_1, tau_2) if inner else radial_exponent(tau_1, tau_2, c)
    supposed, power = 2.0 if inner else 1.0, gamma_power(kernel)
    if power <= supposed + 0.05:  # room for a logarithm
        return found
    falls = f"falls like ε^{power:.3g}" if power < inf else "is not above 0"
    reason = f"{found.reason}; needs γ of order ε^{supposed:g} or more, but γ {falls} for {kernel} as ε → 0"
    if power < inf and not inner:
        own = radial_exponent(tau_1, tau_2, c, power=power)
        reach = f"T^{own.value:.3g}" if own.valid else "nothing"
        reason += f". With that power the proof gives {reach} here, for τ₂ < τ₁/{2.0 * power:.3g}"
    return found._replace(valid=False, reason=reason)


def inner_product_exponent(tau_1: float, tau_2: float) -> RegretExponent:
    """Theorem 4.8, no-regret EtC: max{τ₁, 1 − τ̄/2}, τ̄ = min{τ₁/2, τ₂, τ₁ − 4τ₂}, for τ₂ < τ₁/4."""
    tau_bar = min(tau_1 / 2.0, tau_2, tau_1 - 4.0 * tau_2)
    valid = 0.0 < tau_1 < 1.0 and 0.0 < tau_2 < tau_1 / 4.0
    reason = f"needs 0 < τ₁ < 1 and 0 < τ₂ < τ₁/4; given τ₁ = {tau_1:g}, τ₂ = {tau_2:g}"
    return RegretExponent(max(tau_1, 1.0 - tau_bar / 2.0), tau_bar, valid, reason)


def radial_exponent(tau_1: float, tau_2: float, c: float, *, power: float = 1.0) -> RegretExponent:
    """Theorem 4.9, no-regret EtC: max{τ₁, 1 − 2τ₁, 1 − cτ₁, 1 − τ̄/2}, τ̄ = min{τ₁/2, τ₂, τ₁ − 2τ₂}, for τ₂ < τ₁/2.

    `power` is the p in γ = Θ(ε^p), which the theorem takes to be 1; for any p its proof has τ₁ − 2pτ₂ and τ₂ < τ₁/(2p).
    `valid` is about the ranges of τ₁, τ₂ and c alone. The theorem's ‖X‖ = o(d^−c) is used for η_d = O(d^−c) only; taken
    literally it contradicts Case I, where ‖X‖² is about εd.
    """
    tau_bar = min(tau_1 / 2.0, tau_2, tau_1 - 2.0 * power * tau_2)
    valid = 0.0 < tau_1 < 1.0 and 0.0 < tau_2 < tau_1 / (2.0 * power) and c > 0.0
    reason = (
        f"needs 0 < τ₁ < 1, 0 < τ₂ < τ₁/{2.0 * power:.3g} and ‖X‖ = o(d^−c) for a c > 0; "
        f"given τ₁ = {tau_1:g}, τ₂ = {tau_2:g}, c = {c:g}"
    )
    return RegretExponent(max(tau_1, 1.0 - 2.0 * tau_1, 1.0 - c * tau_1, 1.0 - tau_bar / 2.0), tau_bar, valid, reason)
