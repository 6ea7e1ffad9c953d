"""Orders and bounds of the constants behind the theorems: Remark B.3, and the proofs of Lemmas B.5 and B.9."""

from math import inf, log, sqrt
from typing import Annotated, NamedTuple

import numpy as np

from kernelbandits.kernels import Kernel
from kernelbandits.specs import Count, NonNegative, Positive, Probability, Range, Share, conform
from kernelbandits.theory.linearization import INNER_PRODUCT, class_of, extremes

_NEAR_ZERO = np.array([1e-12, 1e-10])
_BelowHalf = Annotated[float, Range("a number between 0 and ½, both excluded", lambda v: 0 < v < 0.5)]


def gamma_power(kernel: Kernel) -> float:
    """The p for which γ is of order ε^p as ε = Tr(Σ)/d → 0; ∞ if h'' is not positive near 0.

    γ'' = h'' in the inner-product class and γ' = τ h''(τ) in the radial class, so p is 2 plus the power of t by which
    h''(t) behaves at 0. It is 2 for every h with 0 < h''(0) < ∞, 1.5 for `Matern(1.5)` and 0.5 for `Laplace`.
    """
    class_of(kernel)
    with np.errstate(all="ignore"):
        near, far = kernel.profile(_NEAR_ZERO, 2)
    if not (near > 0 and far > 0):
        return inf
    return 2.0 + float(np.log(far / near) / np.log(_NEAR_ZERO[1] / _NEAR_ZERO[0]))


def gamma_bounds(kernel: Kernel, level: float) -> tuple[float, float]:
    """Bounds on γ at ε = Tr(Σ)/d = `level`, from the extremes of the derivatives of h.

    Inner-product class: ½ε² min h'' ≤ γ ≤ ½ε² max h'' on [0, 1] (proof of Lemma B.5). Radial class: γ ≤ 2ε|min h'| on
    [0, 2] (proof of Lemma B.9); as γ = ∫₀^τ t h''(t) dt with τ = 2ε, also 2ε² min h'' ≤ γ ≤ 2ε² max h''.
    """
    epsilon = conform(level, Share, "level")
    if class_of(kernel) is INNER_PRODUCT:
        low, high = extremes(kernel, 2, 1.0)
        return 0.5 * epsilon**2 * low, 0.5 * epsilon**2 * high
    low, high = extremes(kernel, 2, 2.0)
    return 2.0 * epsilon**2 * low, min(2.0 * epsilon**2 * high, -2.0 * epsilon * extremes(kernel, 1, 2.0)[0])


def eigenvalue_sum_bound(beta: float, level: float, n: int, failure: float, *, bound: float = 1.0) -> float:
    """β ε (1 + C² √(ln(1/δ̄)/(2N))) ≥ (β/N) Σ_j λ_j(XXᵀ/d) with probability at least 1 − δ̄ = 1 − `failure`.

    The proof of Lemma B.5 has the same with O(√(ln(1/δ̄)/N)). The constant is Hoeffding's: the sum is the mean of
    ‖x‖²/d over N rows, which for a diagonal Σ lies between 0 and C² ε if |Z_j| ≤ C = `bound` (Assumption 4.1 (iii)).
    """
    conform(beta, NonNegative, "beta")
    conform(level, NonNegative, "level")
    conform(n, Count, "n")
    conform(failure, Probability, "failure")
    conform(bound, Positive, "bound")
    return beta * level * (1.0 + bound**2 * sqrt(log(1.0 / failure) / (2.0 * n)))


class CoefficientOrders(NamedTuple):
    """Powers of d: `tau` −0.3 means τ = O(d^−0.3). `alpha` is that of α − h(0), `rho` and `zeta` are those of norms.

    `delta` is the power of 1/(dγ²), which δ_d must exceed; `eta` that of η_d. Powers of ln d are left out.
    """

    tau: float
    alpha: float
    gamma: float
    rho: float
    zeta: float
    delta: float
    eta: float

    @property
    def probability_tends_to_one(self) -> bool:
        """Whether δ_d and η_d vanish, so that Theorem B.4 has a probability that tends to 1."""
        return self.delta < 0 and self.eta < 0


def coefficient_orders(a: float, b: float, *, as_printed: bool = False) -> CoefficientOrders:
    """Remark B.3: orders for Tr(Σ) = Θ(d^(½+a)), ‖x‖ = O(d^b) and N = Θ(d) in the radial class.

    Printed are ‖ρ‖ = O(d^b), ‖ζ‖ = O(d^2b), η_d = O(d^b), γ = O(d^(a−½)) and so δ_d of order d^−2a. But E‖x‖² = Tr(Σ)
    makes b at least ¼ + a/2, so such an η_d does not vanish. And γ is of order τ² for a smooth h, so that 1/(dγ²) is of
    order d^(1−4a), which vanishes for a > ¼ only. Here |ψ_j| = O(d^(2b−1)), which is what η_d must exceed.
    """
    conform(a, _BelowHalf, "a")
    conform(b, float, "b")
    tau = a - 0.5
    if as_printed:
        return CoefficientOrders(tau, tau, gamma=tau, rho=b, zeta=2.0 * b, delta=-2.0 * a, eta=b)
    rho = 2.0 * b - 0.5  # √N |ψ_j|
    return CoefficientOrders(tau, tau, gamma=2.0 * tau, rho=rho, zeta=2.0 * rho, delta=1.0 - 4.0 * a, eta=2.0 * b - 1.0)
