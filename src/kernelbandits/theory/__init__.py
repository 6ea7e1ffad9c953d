"""The paper's definitions, lemmas and theorems as functions, one module per group of statements."""

from kernelbandits.theory.assumptions import AssumptionReport, Verdict, assumptions
from kernelbandits.theory.budget import Budget, admissible_epsilon, allowed_error, exploration_budget
from kernelbandits.theory.cases import case_bias, case_bound, variance_slope
from kernelbandits.theory.error_bounds import (
    detailed_bias,
    detailed_variance,
    effective_bias,
    effective_variance,
    measured_error,
    residual_order,
    simplified_bias,
    simplified_variance,
)
from kernelbandits.theory.exploration_advice import (
    ExplorationAdvice,
    LearningCurve,
    expected_maximum,
    recommend_exploration,
)
from kernelbandits.theory.information import (
    InformationRate,
    classical_bounds,
    gaussian_rate_by_scale,
    greedy_information_gain,
    information_gain,
    information_rate,
)
from kernelbandits.theory.linearization import Linearization, Parameters, kernel_parameters, linearize
from kernelbandits.theory.regret import (
    RegretExponent,
    inner_product_exponent,
    lenient_regret_is_bounded,
    per_round_bound,
    radial_exponent,
    regret_bound,
    regret_exponent,
)
from kernelbandits.theory.spectrum import Case, Spectrum, SpectrumCase, classify, moments, spectrum, subsample
