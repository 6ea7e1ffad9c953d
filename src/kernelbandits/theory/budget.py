"""How long to explore by the paper's formulas: Table cond_eps_T0 and Theorem etc_lr_Td_rbf, as printed and corrected.

For lenient regret Δ it suffices that 2 Σ_i √(V + B + Φ) ≤ Δ (Eq. lr_scond). The paper's proofs ask V + B ≤ 3Δ/(8K),
without the square root, which is enough only for Δ ≥ 1.5 K. The corrected budget asks V + B ≤ (3Δ/(8K))²; then the sum
is at most ¾Δ and the last quarter is left to the residual Φ, as the paper intends.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, inf, sqrt
from typing import final

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels.base import Kernel
from kernelbandits.theory.cases import Case, case_bias, variance_slope
from kernelbandits.theory.printed import printed_bias, printed_rounds_per_feature


@final
@dataclass(frozen=True, slots=True)
class Budget:
    """An exploration budget, or why there is none.

    Attributes:
        n_explore: T₀, rounds in total; None where no budget meets Δ.
        n_per_arm: N = T₀/K.
        variance: the case's bound on V at that N.
        bias: the case's bound on B, whatever N.
        allowed: what V + B may be.
        reason: the formula with its numbers, or what stands in the way.

    """

    n_explore: int | None
    n_per_arm: float | None
    variance: float | None
    bias: float
    allowed: float
    reason: str

    @property
    def feasible(self) -> bool:
        """Whether a budget was found."""
        return self.n_explore is not None


def exploration_budget(
    kernel: Kernel,
    case: Case,
    *,
    delta: float,
    n_arms: int,
    noise_std: float,
    norm: float,
    epsilon: float,
    dim: int,
    as_printed: bool = False,
) -> Budget:
    """T₀ for lenient regret Δ with 2K √(V + B) ≤ ¾Δ; `as_printed` gives the paper's table, which may not meet Δ.

    Cases I and II hold for N > d and Case III for N < d, so T₀ is kept on that side of Kd. It is a multiple of K, the
    smallest that works in Cases I and II, the largest in Case III.
    """
    _check(delta, n_arms, noise_std, norm, dim)
    if as_printed:
        return _printed(kernel, case, delta, n_arms, noise_std, norm, epsilon, dim)
    bias = case_bias(kernel, case, epsilon, norm)
    allowed = allowed_error(delta, n_arms)
    if bias >= allowed:
        return Budget(None, None, None, bias, allowed, _too_biased(delta, n_arms, bias, allowed))
    slope = variance_slope(kernel, case, epsilon, noise_std)
    if case.more_data_helps:
        n = max(dim + 1, ceil(slope * dim / (allowed - bias)))
        words = f"smallest N with {slope:.3g} d/N + {bias:.3g} ≤ {allowed:.3g} and N > d"
    else:
        n = floor(min(dim - 1, (allowed - bias) * dim / slope)) if slope > 0 else dim - 1
        words = f"largest N with {slope:.3g} N/d + {bias:.3g} ≤ {allowed:.3g} and N < d"
    if n < 1:
        return Budget(None, None, None, bias, allowed, _too_noisy(delta, slope / dim, allowed - bias, dim))
    variance = slope * (dim / n if case.more_data_helps else n / dim)
    return Budget(n * n_arms, float(n), variance, bias, allowed, f"{case}: {words}; T₀ = {n_arms} N")


def allowed_error(delta: float, n_arms: int) -> float:
    """(3Δ/(8K))²: what V + B may be so that 2K √(V + B) ≤ ¾Δ."""
    return (3.0 * delta / (8.0 * n_arms)) ** 2


def admissible_epsilon(
    kernel: Kernel, case: Case, *, delta: float, n_arms: int, norm: float, as_printed: bool = False
) -> float:
    """The largest ε whose bias leaves room for some budget, at most 1; 0 where not even 10⁻¹² does.

    Printed: B(ε) < Δ/(4K). Corrected: B(ε) < (3Δ/(8K))².
    """
    from scipy.optimize import brentq  # slow to import, and used here only

    _check(delta, n_arms, 0.0, norm, 1)
    limit = delta / (4.0 * n_arms) if as_printed else allowed_error(delta, n_arms)
    bound = printed_bias if as_printed else case_bias

    def excess(epsilon: float) -> float:
        return bound(kernel, case, epsilon, norm) - limit

    smallest, largest = 1e-12, 1.0
    if excess(largest) < 0 or excess(smallest) >= 0:
        return largest if excess(largest) < 0 else 0.0
    return float(brentq(excess, smallest, largest, xtol=1e-15))


def _printed(
    kernel: Kernel, case: Case, delta: float, n_arms: int, noise_std: float, norm: float, epsilon: float, dim: int
) -> Budget:
    bias, room, allowed = printed_bias(kernel, case, epsilon, norm), delta / (4 * n_arms), 3.0 * delta / (8 * n_arms)
    if bias >= room:
        return Budget(None, None, None, bias, allowed, _too_biased(delta, n_arms, bias, room))
    rounds = dim * printed_rounds_per_feature(kernel, case, delta, n_arms, noise_std, epsilon)
    if rounds <= 0:
        return Budget(None, None, None, bias, allowed, f"the printed formula gives T₀ = {rounds}")
    n = rounds / n_arms
    slope = variance_slope(kernel, case, epsilon, noise_std)
    variance = slope * (dim / n if case.more_data_helps else n / dim)
    return Budget(rounds, n, variance, bias, allowed, f"{case}: the paper's table, T₀ = {rounds}")


def _too_biased(delta: float, n_arms: int, bias: float, allowed: float) -> str:
    regret = 2.0 * n_arms * sqrt(bias)
    return (
        f"no budget meets Δ = {delta:g} here: the bias alone is {bias:.3g}, which allows a regret of {regret:.3g} per "
        f"round; Δ leaves room for {allowed:.3g}"
    )


def _too_noisy(delta: float, variance: float, left: float, dim: int) -> str:
    return (
        f"no budget meets Δ = {delta:g} here: Case III needs 1 ≤ N < d = {dim}, and one draw per arm already has "
        f"variance {variance:.3g} where {left:.3g} is left beside the bias"
    )


def _check(delta: float, n_arms: int, noise_std: float, norm: float, dim: int) -> None:
    checks.whole("n_arms", n_arms, at_least=1)
    checks.whole("dim", dim, at_least=1)
    if not 0 < delta < inf:
        raise InvalidArgument(f"delta must be a finite number above 0; got {delta!r}")
    for name, value in (("noise_std", noise_std), ("norm", norm)):
        if not 0 <= value < inf:
            raise InvalidArgument(f"{name} must be a finite number of at least 0; got {value!r}")
