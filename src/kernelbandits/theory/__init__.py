"""The paper's theory as functions: hypotheses, linearisation, effective bias and variance, budgets, regret."""

from kernelbandits.theory.assumptions import assumptions
from kernelbandits.theory.budget import Budget, admissible_epsilon, allowed_error, exploration_budget
from kernelbandits.theory.cases import Case, CaseBound, case_bias, case_bound, variance_slope
from kernelbandits.theory.classes import Parameters
from kernelbandits.theory.classification import Classification, classify
from kernelbandits.theory.curve import LearningCurve
from kernelbandits.theory.error import (
    detailed_bias,
    detailed_variance,
    effective_bias,
    effective_variance,
    residual_order,
    simplified_bias,
    simplified_variance,
)
from kernelbandits.theory.information import (
    ClassicalBounds,
    GreedyGain,
    InformationRate,
    classical_bounds,
    gaussian_rate_by_scale,
    greedy_information_gain,
    information_gain,
    information_rate,
)
from kernelbandits.theory.linearization import Linearization, kernel_parameters, linearize
from kernelbandits.theory.measured import MeasuredError, measured_error
from kernelbandits.theory.recommendation import Recommendation, expected_maximum, recommend_exploration
from kernelbandits.theory.regret import (
    RegretExponent,
    inner_product_exponent,
    lenient_regret_is_bounded,
    per_round_bound,
    radial_exponent,
    regret_bound,
    regret_exponent,
)
from kernelbandits.theory.report import AssumptionReport, Hypothesis, Verdict
from kernelbandits.theory.spectrum import Moments, Spectrum, moments, spectrum, subsample

__all__ = [
    "AssumptionReport",
    "Budget",
    "Case",
    "CaseBound",
    "ClassicalBounds",
    "Classification",
    "GreedyGain",
    "Hypothesis",
    "InformationRate",
    "LearningCurve",
    "Linearization",
    "MeasuredError",
    "Moments",
    "Parameters",
    "Recommendation",
    "RegretExponent",
    "Spectrum",
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
