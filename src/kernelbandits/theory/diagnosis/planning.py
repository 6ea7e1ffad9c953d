"""The paper's budget from numbers alone, with every formula written out in symbols and in numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from kernelbandits.kernels.base import Kernel
from kernelbandits.theory.budget import Budget, admissible_epsilon, allowed_error, exploration_budget
from kernelbandits.theory.cases import Case, Profile, case_bias, profile_constants, variance_slope
from kernelbandits.theory.classes import INNER_PRODUCT, RADIAL, KernelClass, class_of
from kernelbandits.theory.printed import printed_bias_case, printed_slope_case


@final
@dataclass(frozen=True, slots=True)
class Numbers:
    """What a plan is made for: Δ, K, σ, B, ε, d."""

    delta: float
    n_arms: int
    noise_std: float
    norm: float
    epsilon: float
    dim: int


@final
@dataclass(frozen=True, slots=True)
class Step:
    """A formula of the plan: its name, in symbols, with the numbers put in, and its value."""

    name: str
    symbols: str
    numbers: str
    value: float


@final
@dataclass(frozen=True, slots=True)
class Plan:
    """A budget by the paper's formulas, and how it came about.

    Attributes:
        kernel: the kernel.
        case: the shape of Σ.
        given: the numbers.
        as_printed: whether the paper's table was taken to the letter.
        budget: T₀, N, variance, bias, and feasibility.
        epsilon_limit: the largest ε for which some budget exists.
        steps: the formulas: allowed error, bias, variance.

    """

    kernel: Kernel
    case: Case
    given: Numbers
    as_printed: bool
    budget: Budget
    epsilon_limit: float
    steps: tuple[Step, ...]


Words = Callable[[Profile, Numbers], tuple[str, str]]

_SLOPES: dict[tuple[KernelClass, Case], Words] = {
    # lem:low_rank, lem:approx_low_rank, lem:N_ll_d and their radial relatives, in words; `theory.cases` computes them.
    (INNER_PRODUCT, Case.LOW_RANK): lambda p, g: ("32 σ² ε", f"32 · {g.noise_std:g}² · {g.epsilon:g}"),
    (INNER_PRODUCT, Case.APPROXIMATE_LOW_RANK): lambda p, g: ("32 σ² / ε", f"32 · {g.noise_std:g}² / {g.epsilon:g}"),
    (INNER_PRODUCT, Case.SPECTRAL_DECAY): lambda p, g: (
        "8 σ² h'(0) / (ε² min h'')",
        f"8 · {g.noise_std:g}² · {p.beta:.6g} / ({g.epsilon:g}² · {p.curvature_min:.6g})",
    ),
    (RADIAL, Case.LOW_RANK): lambda p, g: ("32 σ² ε", f"32 · {g.noise_std:g}² · {g.epsilon:g}"),
    (RADIAL, Case.APPROXIMATE_LOW_RANK): lambda p, g: ("32 σ² / ε", f"32 · {g.noise_std:g}² / {g.epsilon:g}"),
    (RADIAL, Case.SPECTRAL_DECAY): lambda p, g: (
        "4 σ² |min h'| / (ε c)",
        f"4 · {g.noise_std:g}² · {p.steepest:.6g} / ({g.epsilon:g} · {p.gamma_ratio:.6g})",
    ),
}


def _inner_product_bias(factor: str) -> Words:
    return lambda p, g: (
        f"B² ({factor} max h'' ε² + h'(0) ε)",
        f"{g.norm:g}² · ({factor} · {p.curvature_max:.6g} · {g.epsilon:g}² + {p.beta:.6g} · {g.epsilon:g})",
    )


def _radial_bias(p: Profile, g: Numbers) -> tuple[str, str]:
    return "5 B² |min h'| ε", f"5 · {g.norm:g}² · {p.steepest:.6g} · {g.epsilon:g}"


_BIASES: dict[tuple[KernelClass, Case], Words] = {
    (INNER_PRODUCT, Case.LOW_RANK): _inner_product_bias("0.75"),
    (INNER_PRODUCT, Case.APPROXIMATE_LOW_RANK): _inner_product_bias("1.5"),
    (INNER_PRODUCT, Case.SPECTRAL_DECAY): _inner_product_bias("0.75"),
    (RADIAL, Case.LOW_RANK): _radial_bias,
    (RADIAL, Case.APPROXIMATE_LOW_RANK): _radial_bias,
    (RADIAL, Case.SPECTRAL_DECAY): _radial_bias,
}


def plan_exploration(kernel: Kernel, case: Case, given: Numbers, *, as_printed: bool = False) -> Plan:
    """T₀ by the paper's formulas, corrected or to the letter, with the formulas."""
    budget = exploration_budget(
        kernel,
        case,
        delta=given.delta,
        n_arms=given.n_arms,
        noise_std=given.noise_std,
        norm=given.norm,
        epsilon=given.epsilon,
        dim=given.dim,
        as_printed=as_printed,
    )
    limit = admissible_epsilon(
        kernel, case, delta=given.delta, n_arms=given.n_arms, norm=given.norm, as_printed=as_printed
    )
    return Plan(kernel, case, given, as_printed, budget, limit, _steps(kernel, case, given, as_printed))


def _steps(kernel: Kernel, case: Case, g: Numbers, as_printed: bool) -> tuple[Step, ...]:
    kind, profile = class_of(kernel), profile_constants(kernel, g.epsilon)
    slope_case = printed_slope_case(kind, case) if as_printed else case
    bias_case = printed_bias_case(case) if as_printed else case
    slope = variance_slope(kernel, slope_case, g.epsilon, g.noise_std)
    bias = case_bias(kernel, bias_case, g.epsilon, g.norm)
    ratio = "d/N" if case.more_data_helps else "N/d"
    return (
        _allowed(g, as_printed),
        Step("bias, whatever N", *_BIASES[kind, bias_case](profile, g), bias),
        Step(f"variance for each unit of {ratio}", *_SLOPES[kind, slope_case](profile, g), slope),
    )


def _allowed(g: Numbers, as_printed: bool) -> Step:
    numbers = f"3 · {g.delta:g} / (8 · {g.n_arms})"
    if as_printed:
        return Step("variance + bias at most", "3Δ / (8K)", numbers, 3.0 * g.delta / (8 * g.n_arms))
    return Step("variance + bias at most", "(3Δ / (8K))²", f"({numbers})²", allowed_error(g.delta, g.n_arms))
