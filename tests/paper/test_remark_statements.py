"""Remarks 4.3, 4.7, 4.10 and 4.12, and Algorithm 1."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.theory import Case


def contexts(n, d, seed=0):
    return np.random.default_rng((seed, n, d)).standard_normal((n, d)) * np.sqrt(0.5)


def test_algorithm_1():
    """Arms in turn for T₀ rounds, then the largest prediction of the interpolators, one per arm, of those rounds."""
    n_arms, dim, T0 = 3, 6, 21
    instance = kb.Synthetic(kb.LowRank(), n_arms=n_arms, dim=dim).draw(np.random.default_rng(0))
    rounds = instance.rounds(80, np.random.default_rng(1))
    policy = kb.paper.methods(dim, T0)["EtC"]
    trace = kb.replay(policy, instance.problem(80), rounds, np.random.default_rng(2))
    t = np.arange(T0)
    np.testing.assert_array_equal(trace.arms[:T0], t % n_arms)
    rewards = rounds.means[t, t % n_arms] + rounds.noise[:T0]
    fits = [
        kb.MinNormInterpolator(kb.Gaussian(4.0)).fit(rounds.contexts[i:T0:n_arms, i], rewards[i::n_arms])
        for i in range(n_arms)
    ]
    predictions = np.stack([fit.mean(rounds.contexts[T0:, i]) for i, fit in enumerate(fits)], axis=1)
    np.testing.assert_array_equal(trace.arms[T0:], predictions.argmax(axis=1))


def test_remark_4_3_scaling():
    """Divided by d, the argument of h stays at Tr(Σ)/d and 2 Tr(Σ)/d as d grows; else contexts are unrelated."""
    for d in (50, 5000):
        X = contexts(30, d)
        inner, distances = kb.Linear()(X), -np.log(kb.Gaussian(1.0)(X))
        off = ~np.eye(30, dtype=bool)
        assert np.diagonal(inner).mean() == pytest.approx(0.5, rel=0.05)
        assert distances[off].mean() == pytest.approx(1.0, rel=0.05)
        # exp(−‖x − z‖²) without the 1/d is Gaussian(d): the identity, whose information gain is ½ T ln 2
        fixed = theory.information_gain(kb.Gaussian(float(d)), X)
        assert fixed == pytest.approx(0.5 * 30 * np.log(2.0), rel=1e-3)
        assert theory.information_gain(kb.Gaussian(1.0), X) < 0.85 * fixed
    for d in (20, 100):
        assert theory.classical_bounds(theory.information_rate(kb.Gaussian(), d, 10**6).value, 10**6).vacuous


def test_remark_4_7_residual_and_spectrum():
    """At fixed d/N = δ the residual, d⁻¹ + N^−½ up to logarithms, vanishes, and eigenvalues spread to (1 ± √δ)²/2."""
    orders = [theory.residual_order(0.5, d, d, 16 / (d * 0.25)) for d in (10**4, 10**6, 10**8)]
    assert orders[0] > orders[1] > orders[2]
    assert orders[2] < 0.01
    for d in (100, 400):
        values = theory.spectrum(contexts(4 * d, d)).eigenvalues
        np.testing.assert_allclose([values[0], values[-1]], [0.5 * 1.5**2, 0.5 * 0.5**2], rtol=0.1)


def test_remark_4_10_limitation():
    """At fixed d/N, Case I has an error that vanishes with ε; in Cases II and III no ε beats the balanced order."""
    grid = np.geomspace(1e-6, 1.0, 601)
    for case, ratio in ((Case.APPROXIMATE_LOW_RANK, 0.04), (Case.SPECTRAL_DECAY, 27.0)):
        orders = [theory.case_order(case, ratio=ratio, epsilon=e) for e in grid]
        best = min(max(order.variance, order.bias) for order in orders)
        assert best == pytest.approx(theory.balancing_epsilon(case, ratio), rel=0.03)
    vanishing = theory.case_order(Case.LOW_RANK, ratio=0.5, epsilon=1e-6)
    assert max(vanishing.variance, vanishing.bias) == 1e-6


@pytest.mark.parametrize("kernel", [kb.Exponential(0.5), kb.Gaussian(0.5)])
@pytest.mark.parametrize("case", [Case.APPROXIMATE_LOW_RANK, Case.SPECTRAL_DECAY])
def test_remark_4_12_any_delta_has_a_budget(kernel, case):
    """For every Δ some ε and d/N give a budget, but d/N depends on Δ: it tends to 0 in Case II, to ∞ in Case III."""
    given = {"n_arms": 2, "norm": 1.0}
    ratios = []
    for delta in (1.0, 0.1, 0.01):
        epsilon = 0.5 * theory.admissible_epsilon(kernel, case, delta=delta, **given)
        found = theory.exploration_budget(
            kernel, case, delta=delta, noise_std=1e-6, epsilon=epsilon, dim=10**15, **given
        )
        assert found.feasible
        needed = theory.variance_slope(kernel, case, epsilon, 1.0) / (found.allowed - found.bias)
        ratios.append(1.0 / needed if case.more_data_helps else needed)
    assert ratios[0] / ratios[1] > 10 if case.more_data_helps else ratios[1] / ratios[0] > 10
    assert ratios[1] / ratios[2] > 10 if case.more_data_helps else ratios[2] / ratios[1] > 10
