"""The paper's definitions, lemmas and theorems as functions, one module per group of statements."""

from kernelbandits.theory.assumptions import assumptions
from kernelbandits.theory.budget import Budget, admissible_epsilon, allowed_error, exploration_budget
from kernelbandits.theory.cases import Case, case_bias, case_bound, variance_slope
from kernelbandits.theory.error_bounds import (
    detailed_bias,
    detailed_variance,
    effective_bias,
    effective_variance,
    residual_order,
    simplified_bias,
    simplified_variance,
)
from kernelbandits.theory.exploration_advice import ExplorationAdvice, expected_maximum, recommend_exploration
from kernelbandits.theory.hypotheses import AssumptionReport, Verdict
from kernelbandits.theory.information import (
    InformationRate,
    classical_bounds,
    gaussian_rate_by_scale,
    greedy_information_gain,
    information_gain,
    information_rate,
)
from kernelbandits.theory.kernel_classes import Parameters
from kernelbandits.theory.learning_curve import LearningCurve
from kernelbandits.theory.linearization import Linearization, kernel_parameters, linearize
from kernelbandits.theory.measured_error import measured_error
from kernelbandits.theory.regret import (
    RegretExponent,
    inner_product_exponent,
    lenient_regret_is_bounded,
    per_round_bound,
    radial_exponent,
    regret_bound,
    regret_exponent,
)
from kernelbandits.theory.spectrum import Spectrum, moments, spectrum, subsample
from kernelbandits.theory.spectrum_case import SpectrumCase, classify

__all__ = [
    "AssumptionReport",
    "Budget",
    "Case",
    "ExplorationAdvice",
    "InformationRate",
    "LearningCurve",
    "Linearization",
    "Parameters",
    "RegretExponent",
    "Spectrum",
    "SpectrumCase",
    "Verdict",
    "admissible_epsilon",
    "allowed_error",
    "assumptions",
    "case_bias",
    "case_bound",
    "classical_bounds",
    "classify",
    "detailed_bias",
    "detailed_variance",
    "effective_bias",
    "effective_variance",
    "expected_maximum",
    "exploration_budget",
    "gaussian_rate_by_scale",
    "greedy_information_gain",
    "information_gain",
    "information_rate",
    "inner_product_exponent",
    "kernel_parameters",
    "lenient_regret_is_bounded",
    "linearize",
    "measured_error",
    "moments",
    "per_round_bound",
    "radial_exponent",
    "recommend_exploration",
    "regret_bound",
    "regret_exponent",
    "residual_order",
    "simplified_bias",
    "simplified_variance",
    "spectrum",
    "subsample",
    "variance_slope",
]
