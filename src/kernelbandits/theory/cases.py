"""Closed forms of the bounds for Cases I, II and III of Example 1: Lemmas B.5 to B.7 and B.9 to B.11.

The O(·) terms of the lemmas have no constants and are left out. The rest of each variance is linear in one ratio:
V = slope · d/N in Cases I and II, V = slope · N/d in Case III.

Lemma B.11 prints a slope of 4|h'|σ²/(εc). Its own proof has (8σ²/d) · 2N · |h'|/(2εc), which is twice as much, so the
slope here is 8|h'|σ²/(εc).
"""

from collections.abc import Callable
from typing import NamedTuple

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel
from kernelbandits.specs import Count, NonNegative, Positive, Share, conform
from kernelbandits.theory.linearization import INNER_PRODUCT, RADIAL, KernelClass, class_of, extremes, h
from kernelbandits.theory.spectrum import Case, Moments


class CaseBound(NamedTuple):
    """Bounds on V̄ and B̄ at one N, without the O(·) terms."""

    variance: float
    bias: float


class ProfileConstants(NamedTuple):
    """The constants of h that the lemmas use; those of the other class are 0.

    Inner-product class: `beta` is h'(0), the curvatures are the extremes of h'' on [0, 1]. Radial class: `steepest` is
    |min of h' on [0, 2]|, and `gamma_ratio` the c in γ ≥ c Tr(Σ)/d.
    """

    beta: float = 0.0
    curvature_min: float = 0.0
    curvature_max: float = 0.0
    steepest: float = 0.0
    gamma_ratio: float = 0.0


class FormulaStep(NamedTuple):
    """One formula behind a budget: its name, in symbols, with its numbers, and its value."""

    name: str
    symbols: str
    numbers: str
    value: float


class CaseFormula(NamedTuple):
    """A closed form, in symbols, as a template for its numbers, and as a function of (constants of h, ε).

    The function leaves out the square of the `scale`: σ of a variance, B of a bias.
    """

    symbols: str
    template: str
    factor: Callable[[ProfileConstants, float], float]

    def value(self, kernel: Kernel, epsilon: float, scale: float) -> float:
        """The value, ∞ where the class conditions on h fail."""
        p = profile_constants(kernel, epsilon)
        try:
            return scale**2 * self.factor(p, epsilon)
        except ZeroDivisionError:
            return float("inf")

    def step(self, name: str, kernel: Kernel, epsilon: float, scale: float) -> FormulaStep:
        """The formula with its numbers and its value."""
        numbers = self.template.format(p=profile_constants(kernel, epsilon), e=epsilon, s=scale)
        return FormulaStep(name, self.symbols, numbers, self.value(kernel, epsilon, scale))


_LOW_RANK = CaseFormula("32 σ² ε", "32 · {s:g}² · {e:g}", lambda p, e: 32.0 * e)
_APPROXIMATE = CaseFormula("32 σ² / ε", "32 · {s:g}² / {e:g}", lambda p, e: 32.0 / e)
_INNER_PRODUCT_DECAY = CaseFormula(
    "8 σ² h'(0) / (ε² min h'')",
    "8 · {s:g}² · {p.beta:.6g} / ({e:g}² · {p.curvature_min:.6g})",
    lambda p, e: 8.0 * p.beta / (e**2 * p.curvature_min),
)


def _radial_decay(factor: float) -> CaseFormula:
    return CaseFormula(
        f"{factor:g} σ² |min h'| / (ε c)",
        f"{factor:g} · {{s:g}}² · {{p.steepest:.6g}} / ({{e:g}} · {{p.gamma_ratio:.6g}})",
        lambda p, e: factor * p.steepest / (e * p.gamma_ratio),
    )


_RADIAL_BIAS = CaseFormula(
    "5 B² |min h'| ε", "5 · {s:g}² · {p.steepest:.6g} · {e:g}", lambda p, e: 5.0 * p.steepest * e
)


def _inner_product_bias(factor: float) -> CaseFormula:
    return CaseFormula(
        f"B² ({factor:g} max h'' ε² + h'(0) ε)",
        f"{{s:g}}² · ({factor:g} · {{p.curvature_max:.6g}} · {{e:g}}² + {{p.beta:.6g}} · {{e:g}})",
        lambda p, e: factor * p.curvature_max * e**2 + p.beta * e,
    )


_FORMULAS: dict[tuple[KernelClass, Case], tuple[CaseFormula, CaseFormula]] = {
    # (variance slope, bias)
    (INNER_PRODUCT, Case.LOW_RANK): (_LOW_RANK, _inner_product_bias(0.75)),  # Lemma B.5
    (INNER_PRODUCT, Case.APPROXIMATE_LOW_RANK): (_APPROXIMATE, _inner_product_bias(1.5)),  # Lemma B.6
    (INNER_PRODUCT, Case.SPECTRAL_DECAY): (_INNER_PRODUCT_DECAY, _inner_product_bias(0.75)),  # Lemma B.7
    (RADIAL, Case.LOW_RANK): (_LOW_RANK, _RADIAL_BIAS),  # Lemma B.9
    (RADIAL, Case.APPROXIMATE_LOW_RANK): (_APPROXIMATE, _RADIAL_BIAS),  # Lemma B.10
    (RADIAL, Case.SPECTRAL_DECAY): (_radial_decay(8.0), _RADIAL_BIAS),  # Lemma B.11
}
_PRINTED = _FORMULAS | {
    # Table 2 repeats the ε of Case I in Case II, where Lemma B.6 has 1/ε, and the 3/2 of Case II in Case III, where
    # Lemma B.7 has 3/4. Theorem C.2 uses the 4 of Lemma B.11.
    (INNER_PRODUCT, Case.APPROXIMATE_LOW_RANK): (_LOW_RANK, _inner_product_bias(1.5)),
    (INNER_PRODUCT, Case.SPECTRAL_DECAY): (_INNER_PRODUCT_DECAY, _inner_product_bias(1.5)),
    (RADIAL, Case.SPECTRAL_DECAY): (_radial_decay(4.0), _RADIAL_BIAS),
}


def profile_constants(kernel: Kernel, epsilon: float) -> ProfileConstants:
    """The constants of h for a Σ of level ε."""
    if not 0.0 < epsilon <= 1.0:
        raise InvalidArgument(f"epsilon must be above 0 and at most 1, as in the paper's cases; got {epsilon!r}")
    if class_of(kernel) is INNER_PRODUCT:
        return ProfileConstants(h(kernel, 0.0, 1), *extremes(kernel, 2, 1.0))
    # γ ≥ c Tr(Σ)/d with Tr(Σ)/d ≈ ε: the largest c for this Σ.
    gamma = RADIAL.parameters(kernel, Moments(float(epsilon), 0.0), False).gamma
    return ProfileConstants(steepest=-extremes(kernel, 1, 2.0)[0], gamma_ratio=gamma / epsilon)


def case_formulas(kernel: Kernel, case: Case, as_printed: bool = False) -> tuple[CaseFormula, CaseFormula]:
    """The formulas of the variance slope and of the bias; as printed, those of Table 2 and Theorem C.2."""
    return (_PRINTED if as_printed else _FORMULAS)[class_of(kernel), case]


def variance_slope(kernel: Kernel, case: Case, epsilon: float, noise_std: float, *, as_printed: bool = False) -> float:
    """V per unit of d/N (Cases I, II) or of N/d (Case III). ∞ where the class conditions on h fail."""
    conform(noise_std, NonNegative, "noise_std")
    return case_formulas(kernel, case, as_printed)[0].value(kernel, epsilon, noise_std)


def case_bias(kernel: Kernel, case: Case, epsilon: float, norm: float, *, as_printed: bool = False) -> float:
    """The bound on B̄, which does not depend on N."""
    conform(norm, NonNegative, "norm")
    return case_formulas(kernel, case, as_printed)[1].value(kernel, epsilon, norm)


def case_bound(
    kernel: Kernel, case: Case, *, epsilon: float, dim: int, n: float, noise_std: float, norm: float
) -> CaseBound:
    """The closed forms at d = `dim` and N = `n` draws per arm."""
    conform(dim, Count, "dim")
    conform(n, Positive, "n")
    slope = variance_slope(kernel, case, epsilon, noise_std)
    return CaseBound(slope * case.ratio(dim, n), case_bias(kernel, case, epsilon, norm))


def case_order(case: Case, *, ratio: float, epsilon: float) -> CaseBound:
    """Example 1: the orders of 𝒱 and ℬ at d/N = δ = `ratio`, without constants.

    𝒱 is of order δε in Case I, δ/ε in Case II and 1/(δε²) in Case III; ℬ is of order ε in all of them.
    """
    conform(ratio, Positive, "ratio")
    conform(epsilon, Share, "epsilon")
    variance = {
        Case.LOW_RANK: ratio * epsilon,
        Case.APPROXIMATE_LOW_RANK: ratio / epsilon,
        Case.SPECTRAL_DECAY: 1.0 / (ratio * epsilon**2),
    }
    return CaseBound(variance[case], epsilon)


def balancing_epsilon(case: Case, ratio: float) -> float:
    """Example 1: the ε at which 𝒱 and ℬ are of one order at d/N = δ = `ratio`, and that order itself.

    √δ in Case II and δ^(−1/3) in Case III. In Case I both orders fall with ε, so no ε balances them.
    """
    conform(ratio, Positive, "ratio")
    powers = {Case.APPROXIMATE_LOW_RANK: 0.5, Case.SPECTRAL_DECAY: -1.0 / 3.0}
    if case not in powers:
        raise InvalidArgument(f"no ε balances {case}: variance and bias both fall with ε, so take it as small as it is")
    epsilon = float(ratio ** powers[case])
    if epsilon > 1.0:
        side = "below" if case.more_data_helps else "above"
        raise InvalidArgument(f"{case} of Example 1 is for d/N {side} 1, so that ε is at most 1; got d/N = {ratio:g}")
    return epsilon
