"""The paper's definitions, lemmas and theorems as functions, one module per group of statements."""

from kernelbandits.theory.assumptions import assumptions
from kernelbandits.theory.budget import Budget, admissible_epsilon, allowed_error, exploration_budget
from kernelbandits.theory.cases import balancing_epsilon, case_bias, case_bound, case_order, variance_slope
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
from kernelbandits.theory.guarantee import Guarantee, guarantee, linearization_limit, smallest_delta
from kernelbandits.theory.hypotheses import AssumptionReport, HypothesisVerdict
from kernelbandits.theory.information import (
    InformationRate,
    classical_bounds,
    gaussian_rate_by_scale,
    greedy_information_gain,
    information_gain,
    information_rate,
)
from kernelbandits.theory.linearization import Linearization, Parameters, kernel_parameters, linearize
from kernelbandits.theory.orders import (
    CoefficientOrders,
    coefficient_orders,
    eigenvalue_sum_bound,
    gamma_bounds,
    gamma_power,
)
from kernelbandits.theory.regret import (
    RegretExponent,
    inner_product_exponent,
    lenient_regret_is_bounded,
    per_round_bound,
    radial_exponent,
    regret_bound,
    regret_exponent,
)
from kernelbandits.theory.reward_norm import smallest_norm
from kernelbandits.theory.spectrum import Case, Spectrum, SpectrumCase, classify, moments, spectrum, subsample
