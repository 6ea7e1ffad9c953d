"""Table cond_eps_T0 and Theorem etc_lr_Td_rbf to the letter, misprints included; `budget` has the corrected forms."""

from __future__ import annotations

from math import ceil, floor

from kernelbandits.kernels.base import Kernel
from kernelbandits.theory.cases import Case, case_bias, variance_slope
from kernelbandits.theory.classes import INNER_PRODUCT, RADIAL, KernelClass, class_of

_BIAS_OF: dict[Case, Case] = {
    # The table gives Case III the 3/2 of Case II; its lemma has 3/4. The radial classes' biases are all the same.
    Case.LOW_RANK: Case.LOW_RANK,
    Case.APPROXIMATE_LOW_RANK: Case.APPROXIMATE_LOW_RANK,
    Case.SPECTRAL_DECAY: Case.APPROXIMATE_LOW_RANK,
}
_SLOPE_OF: dict[tuple[KernelClass, Case], Case] = {
    # The inner-product table repeats Case I's ε in Case II, where its lemma has 1/ε.
    (INNER_PRODUCT, Case.APPROXIMATE_LOW_RANK): Case.LOW_RANK,
}
_SIGN_OF: dict[tuple[KernelClass, Case], float] = {
    # h'_min is negative, and stands below the fraction bar without its absolute value.
    (RADIAL, Case.SPECTRAL_DECAY): -1.0,
}


def printed_bias_case(case: Case) -> Case:
    """The case whose lemma has the bias that the table prints for this one."""
    return _BIAS_OF[case]


def printed_slope_case(kind: KernelClass, case: Case) -> Case:
    """The case whose lemma has the variance that the table prints for this one."""
    return _SLOPE_OF.get((kind, case), case)


def printed_bias(kernel: Kernel, case: Case, epsilon: float, norm: float) -> float:
    """The left side of the table's condition on ε, which is to be below Δ/(4K)."""
    return case_bias(kernel, printed_bias_case(case), epsilon, norm)


def printed_rounds_per_feature(
    kernel: Kernel, case: Case, delta: float, n_arms: int, noise_std: float, epsilon: float
) -> int:
    """T₀/d: ⌈256σ²K²ε/Δ⌉ in Cases I and (inner product) II, ⌈256σ²K²/(Δε)⌉ in radial Case II, and in Case III

    ⌊ε²h''_min Δ/(64σ²β)⌋ or ⌊Δεc/(32 h'_min σ²)⌋.
    """
    kind = class_of(kernel)
    slope = variance_slope(kernel, printed_slope_case(kind, case), epsilon, noise_std)
    if case.more_data_helps:
        return ceil(8.0 * slope * n_arms**2 / delta)
    return floor(_SIGN_OF.get((kind, case), 1.0) * delta / (8.0 * slope)) if slope > 0 else 0
