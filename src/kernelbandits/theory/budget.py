"""Exploration budgets for lenient regret: Theorem 4.11 with Table 2, and Theorem C.2, corrected and as printed.

Lemma C.1 bounds the lenient regret if 2 Σ_i √(V + B + Φ) ≤ Δ. The paper's proofs ask for V + B ≤ 3Δ/(8K), without the
square root, which suffices only for Δ ≥ 1.5 K. The corrected budget asks for V + B ≤ (3Δ/(8K))². The sum is then at
most ¾Δ, and the last quarter is left for the residual Φ, as the paper intends.
"""

from dataclasses import dataclass
from math import ceil, floor, sqrt
from typing import NamedTuple, final

from kernelbandits.kernels import Kernel
from kernelbandits.specs import Count, NonNegative, Positive, Share, Spec, conform
from kernelbandits.theory.cases import FormulaStep, case_bias, case_formulas, variance_slope
from kernelbandits.theory.linearization import RADIAL, class_of
from kernelbandits.theory.spectrum import Case


@final
@dataclass(frozen=True, slots=True)
class BudgetInputs(Spec):
    """The numbers that a budget depends on: Δ, K, σ, B, ε and d."""

    delta: Positive
    n_arms: Count
    noise_std: NonNegative
    norm: NonNegative
    epsilon: Share
    dim: Count


class Budget(NamedTuple):
    """An exploration budget, or the reason why there is none."""

    kernel: Kernel
    case: Case
    given: BudgetInputs
    as_printed: bool  # whether the formulas are those of the paper as printed
    bias: float  # the case's bound on B, which does not depend on N
    allowed: float  # what V + B may be
    reason: str  # the formula with its numbers, or why there is no budget
    variance: float | None = None  # the bound on V at N = T₀/K; None, like the next two, if no budget meets Δ
    n_per_arm: float | None = None  # N
    n_explore: int | None = None  # T₀ in rounds

    @property
    def feasible(self) -> bool:
        return self.n_explore is not None

    @property
    def admissible_epsilon(self) -> float:
        """The largest ε for which some budget exists."""
        g = self.given
        return admissible_epsilon(
            self.kernel, self.case, delta=g.delta, n_arms=g.n_arms, norm=g.norm, as_printed=self.as_printed
        )

    @property
    def steps(self) -> tuple[FormulaStep, ...]:
        """The formulas of the allowed error, the bias and the variance."""
        g, kernel = self.given, self.kernel
        numbers = f"3 · {g.delta:g} / (8 · {g.n_arms})"
        allowed = ("3Δ / (8K)", numbers) if self.as_printed else ("(3Δ / (8K))²", f"({numbers})²")
        slope, bias = case_formulas(kernel, self.case, self.as_printed)
        unit = "d/N" if self.case.more_data_helps else "N/d"
        return (
            FormulaStep("variance + bias at most", *allowed, self.allowed),
            bias.step("bias at any N", kernel, g.epsilon, g.norm),
            slope.step(f"variance per unit of {unit}", kernel, g.epsilon, g.noise_std),
        )


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
    """T₀ for lenient regret Δ, such that 2K √(V + B) ≤ ¾Δ.

    Cases I and II hold for N > d and Case III for N < d, so T₀ stays on that side of Kd. It is a multiple of K: the
    smallest that works in Cases I and II, the largest in Case III. `as_printed` gives the T₀ of the paper's Table 2
    and Theorem C.2, which may not meet Δ.
    """
    find = _printed if as_printed else _corrected
    return find(kernel, case, BudgetInputs(delta, n_arms, noise_std, norm, epsilon, dim))


def allowed_error(delta: float, n_arms: int) -> float:
    """(3Δ/(8K))²: what V + B may be so that 2K √(V + B) ≤ ¾Δ."""
    conform(delta, Positive, "delta")
    conform(n_arms, Count, "n_arms")
    return (3.0 * delta / (8.0 * n_arms)) ** 2


def admissible_epsilon(
    kernel: Kernel, case: Case, *, delta: float, n_arms: int, norm: float, as_printed: bool = False
) -> float:
    """The largest ε, at most 1, whose bias leaves room for some budget; 0 if not even 10⁻¹² does.

    Corrected: B(ε) < (3Δ/(8K))². As printed: B(ε) < Δ/(4K).
    """
    from scipy.optimize import brentq  # slow to import, and used here only

    BudgetInputs(delta, n_arms, 0.0, norm, 1.0, 1)
    limit = delta / (4.0 * n_arms) if as_printed else allowed_error(delta, n_arms)

    def excess(epsilon: float) -> float:
        return case_bias(kernel, case, epsilon, norm, as_printed=as_printed) - limit

    smallest, largest = 1e-12, 1.0
    if excess(largest) < 0 or excess(smallest) >= 0:
        return largest if excess(largest) < 0 else 0.0
    return float(brentq(excess, smallest, largest, xtol=1e-15))


def _corrected(kernel: Kernel, case: Case, g: BudgetInputs) -> Budget:
    bias, allowed = case_bias(kernel, case, g.epsilon, g.norm), allowed_error(g.delta, g.n_arms)
    if bias >= allowed:
        return Budget(kernel, case, g, False, bias, allowed, _too_biased(g, bias, allowed))
    slope = variance_slope(kernel, case, g.epsilon, g.noise_std)
    if case.more_data_helps:
        n = max(g.dim + 1, ceil(slope * g.dim / (allowed - bias)))
        words = f"smallest N with {slope:.3g} d/N + {bias:.3g} ≤ {allowed:.3g} and N > d"
    else:
        n = floor(min(g.dim - 1, (allowed - bias) * g.dim / slope)) if slope > 0 else g.dim - 1
        words = f"largest N with {slope:.3g} N/d + {bias:.3g} ≤ {allowed:.3g} and N < d"
    if n < 1:
        reason = (
            f"no budget meets Δ = {g.delta:g} here: Case III needs 1 ≤ N < d = {g.dim}, and one draw per arm already "
            f"has variance {slope / g.dim:.3g} where {allowed - bias:.3g} is left beside the bias"
        )
        return Budget(kernel, case, g, False, bias, allowed, reason)
    reason = f"{case}: {words}; T₀ = {g.n_arms} N"
    variance = slope * case.ratio(g.dim, n)
    return Budget(kernel, case, g, False, bias, allowed, reason, variance, float(n), n * g.n_arms)


def _printed(kernel: Kernel, case: Case, g: BudgetInputs) -> Budget:
    """Table 2 and Theorem C.2 as printed: if the bias is below Δ/(4K), the T₀ for which V is Δ/(8K).

    T₀/d is ⌈256σ²K²ε/Δ⌉ in Case I and inner-product Case II, ⌈256σ²K²/(Δε)⌉ in radial Case II, and in Case III
    ⌊ε²h''_min Δ/(64σ²β)⌋ (inner product) or ⌊Δεc/(32 h'_min σ²)⌋ (radial).
    """
    bias = case_bias(kernel, case, g.epsilon, g.norm, as_printed=True)
    room, allowed = g.delta / (4 * g.n_arms), 3.0 * g.delta / (8 * g.n_arms)
    if bias >= room:
        return Budget(kernel, case, g, True, bias, allowed, _too_biased(g, bias, room))
    slope = variance_slope(kernel, case, g.epsilon, g.noise_std, as_printed=True)
    if case.more_data_helps:
        rounds = g.dim * ceil(8.0 * slope * g.n_arms**2 / g.delta)
    else:
        # The radial h'_min is negative and printed without its absolute value.
        sign = -1.0 if class_of(kernel) is RADIAL else 1.0
        rounds = g.dim * floor(sign * g.delta / (8.0 * slope)) if slope > 0 else 0
    if rounds <= 0:
        return Budget(kernel, case, g, True, bias, allowed, f"the printed formula gives T₀ = {rounds}")
    n = rounds / g.n_arms
    variance = variance_slope(kernel, case, g.epsilon, g.noise_std) * case.ratio(g.dim, n)
    return Budget(
        kernel, case, g, True, bias, allowed, f"{case}: the paper's table, T₀ = {rounds}", variance, n, rounds
    )


def _too_biased(g: BudgetInputs, bias: float, allowed: float) -> str:
    regret = 2.0 * g.n_arms * sqrt(bias)
    return (
        f"no budget meets Δ = {g.delta:g} here: the bias alone is {bias:.3g}, which allows a regret of {regret:.3g} "
        f"per round; Δ leaves room for {allowed:.3g}"
    )
