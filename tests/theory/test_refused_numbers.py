"""Numbers that make no sense are refused by name, with the library's own error, by every function of the theory."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.errors import InvalidArgument
from kernelbandits.theory import Case

NAN, KERNEL, X = float("nan"), kb.Gaussian(), np.ones((3, 2))
CASE = {"epsilon": 0.1, "dim": 5, "n": 9, "noise_std": 0.1, "norm": 1.0}
LEMMA = {"n_per_arm": 3, "horizon": 9, "norm": 1.0}


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: theory.gaussian_rate_by_scale(10, 1, 1.0), "horizon"),
        (lambda: theory.gaussian_rate_by_scale(10, 100, -1.0), "length"),
        (lambda: theory.gaussian_rate_by_scale(10, 100, 0.0), "length"),
        (lambda: theory.gaussian_rate_by_scale(10, 100, NAN), "length"),
        (lambda: theory.gaussian_rate_by_scale(0, 100, 1.0), "dim"),
        (lambda: theory.greedy_information_gain(KERNEL, [[0.0]], 0), "n"),
        (lambda: theory.information_rate(KERNEL, 10, 2), "horizon"),
        (lambda: theory.classical_bounds(1.0, 0), "horizon"),
        (lambda: theory.classical_bounds(1.0, -4), "horizon"),
        (lambda: theory.classical_bounds(NAN, 4), "gain"),
        (lambda: theory.residual_order(0.5, 0, 5, 0.1), "dim"),
        (lambda: theory.residual_order(0.5, 5, 0, 0.1), "n"),
        (lambda: theory.residual_order(0.5, 5, 5, 0.0), "failure"),
        (lambda: theory.residual_order(NAN, 5, 5, 0.1), "gamma"),
        (lambda: theory.smallest_delta(NAN, 5), "gamma"),
        (lambda: theory.smallest_delta(0.5, 0), "dim"),
        (lambda: theory.linearization_limit(0, 0.1), "dim"),
        (lambda: theory.linearization_limit(5, 0.0), "delta"),
        (lambda: theory.allowed_error(0.0, 3), "delta"),
        (lambda: theory.allowed_error(0.1, 0), "n_arms"),
        (lambda: theory.expected_maximum(0), "k"),
        (lambda: theory.per_round_bound([1.0], norm=-1.0), "norm"),
        (lambda: theory.per_round_bound([1.0], failure_probability=1.1), "failure_probability"),
        (lambda: theory.per_round_bound([1.0], failure_probability=NAN), "failure_probability"),
        (lambda: theory.regret_bound([1.0], **LEMMA | {"n_per_arm": -1}), "n_per_arm"),
        (lambda: theory.regret_bound([1.0], **LEMMA | {"horizon": 2.5}), "horizon"),
        *(
            (lambda name=name, value=value: theory.case_bound(KERNEL, Case.LOW_RANK, **CASE | {name: value}), name)
            for name, value in (("n", 0), ("dim", 0), ("noise_std", -1.0), ("norm", NAN), ("epsilon", 2.0))
        ),
        (lambda: theory.case_order(Case.LOW_RANK, ratio=0.0, epsilon=0.1), "ratio"),
        (lambda: theory.case_order(Case.LOW_RANK, ratio=1.0, epsilon=0.0), "epsilon"),
        (lambda: theory.balancing_epsilon(Case.SPECTRAL_DECAY, -1.0), "ratio"),
        (lambda: theory.gamma_bounds(KERNEL, 1.5), "level"),
        (lambda: theory.gamma_power(kb.Gaussian() + kb.Linear()), "is neither"),
        (lambda: theory.eigenvalue_sum_bound(-1.0, 0.5, 5, 0.1), "beta"),
        (lambda: theory.eigenvalue_sum_bound(1.0, -0.5, 5, 0.1), "level"),
        (lambda: theory.eigenvalue_sum_bound(1.0, 0.5, 0, 0.1), "n"),
        (lambda: theory.eigenvalue_sum_bound(1.0, 0.5, 5, 1.0), "failure"),
        (lambda: theory.eigenvalue_sum_bound(1.0, 0.5, 5, 0.1, bound=0.0), "bound"),
        (lambda: theory.coefficient_orders(0.5, 0.1), "a"),
        (lambda: theory.coefficient_orders(0.1, NAN), "b"),
        (lambda: theory.detailed_variance(KERNEL, X, -0.1), "noise_std"),
        (lambda: theory.simplified_variance(KERNEL, X, NAN), "noise_std"),
        (lambda: theory.detailed_bias(KERNEL, X, -1.0), "norm"),
        (lambda: theory.simplified_bias(KERNEL, X, NAN), "norm"),
        (lambda: theory.smallest_norm(KERNEL, X, np.ones(3), -1.0), "noise_std"),
        (lambda: theory.smallest_norm(KERNEL, X, np.ones(2)), "y"),
        (lambda: theory.assumptions(KERNEL, X, n=0), "n"),
        (lambda: theory.assumptions(KERNEL, norm=-1.0), "norm"),
        (lambda: theory.assumptions(KERNEL, needed_norm=NAN), "needed_norm"),
    ],
)
def test_refused_by_name(call, name):
    with pytest.raises(InvalidArgument, match=rf"(^|\b){name}\b"):
        call()
