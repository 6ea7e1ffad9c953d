"""Lemma C.1 (regret upper bound of EtC), Theorems 4.8 and 4.9 (no-regret EtC)."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory


def test_lemma_C_1():
    """2BNK + 2BT Pr(𝒜ᶜ) + 2T Σ√e with B = 2, N = 5, K = 3, T = 100, Pr = 0.01, e = (1, 4, 9)."""
    found = theory.regret_bound([1.0, 4.0, 9.0], n_per_arm=5, horizon=100, norm=2.0, failure_probability=0.01)
    assert found == pytest.approx(2 * 2 * 5 * 3 + 2 * 2 * 100 * 0.01 + 2 * 100 * (1 + 2 + 3))
    assert theory.per_round_bound([1.0, 4.0, 9.0], norm=2.0, failure_probability=0.01) == pytest.approx(12.04)
    # a failure is taken to be impossible unless it is given
    assert theory.regret_bound([1.0, 4.0, 9.0], n_per_arm=5, horizon=100, norm=2.0) == pytest.approx(60 + 1200)
    assert theory.per_round_bound([1.0, 4.0, 9.0], norm=2.0) == pytest.approx(12.0)
    assert theory.per_round_bound([1.0, 4.0, 9.0], failure_probability=0.5) == pytest.approx(12.0)


def test_lemma_C_1_lenient_condition():
    assert theory.lenient_regret_is_bounded([0.01, 0.01], delta=0.4)
    assert not theory.lenient_regret_is_bounded([0.01, 0.01], delta=0.39)
    assert theory.lenient_regret_is_bounded([0.01, 0.01], delta=0.4, norm=1.0)
    assert theory.lenient_regret_is_bounded([0.01, 0.01], delta=0.4, failure_probability=0.1)
    assert not theory.lenient_regret_is_bounded([0.01, 0.01], delta=0.4, norm=1.0, failure_probability=0.001)


def test_lemma_C_1_dominates_play():
    """The committed rounds of a simulated run lose no more per round than 2 Σ √error, measured on the same instance."""
    instance = kb.Synthetic(kb.LowRank(), n_arms=3, dim=20).draw(np.random.default_rng(0))
    estimator = kb.MinNormInterpolator(kb.Gaussian(4.0))
    error = theory.measured_error(estimator, instance, 20, rng=1, n_fits=5, n_test=500)
    runs = [kb.play(kb.ExploreThenCommit(estimator, 60, kb.AsGiven()), instance, 600, rng=seed) for seed in range(5)]
    per_round = np.mean([run.regrets[60:].mean() for run in runs])
    limit = theory.per_round_bound(error.per_arm)
    assert 0 < per_round <= limit
    norm = max(f.norm for f in instance.rewards)
    total = theory.regret_bound(error.per_arm, n_per_arm=20, horizon=600, norm=norm)
    assert np.mean([run.regrets.sum() for run in runs]) <= total
    assert not theory.lenient_regret_is_bounded(error.per_arm, delta=0.5 * limit)


def test_theorem_4_11_no_lenient_regret_after_exploration():
    """With Δ at the bound of Lemma C.1, expected regrets of committed rounds stay below Δ: R_Δ stops at T₀."""
    instance = kb.Synthetic(kb.LowRank(), n_arms=3, dim=20).draw(np.random.default_rng(1))
    estimator = kb.MinNormInterpolator(kb.Gaussian(4.0))
    delta = theory.per_round_bound(theory.measured_error(estimator, instance, 20, rng=1, n_fits=5).per_arm)
    policy = kb.ExploreThenCommit(estimator, 60, kb.AsGiven())
    regrets = np.array([kb.play(policy, instance, 400, rng=seed).regrets for seed in range(20)])
    lenient = kb.lenient_regret(regrets, delta)
    assert lenient[-1] == lenient[59]
    # Δ is not idle: the exploration exceeds a fifth of it, the commitment does not
    assert kb.lenient_regret(regrets[:, :60], 0.2 * delta)[-1] > 0
    assert regrets[:, 60:].mean() < 0.2 * delta


def test_theorem_4_8():
    """τ₁ = 0.8, τ₂ = 0.1: τ̄ = min{0.4, 0.1, 0.4} and the exponent is max{0.8, 0.95}."""
    found = theory.regret_exponent(kb.Exponential(), 0.8, 0.1)
    assert (found.value, found.tau_bar, found.valid) == (pytest.approx(0.95), pytest.approx(0.1), True)
    binding = theory.inner_product_exponent(0.8, 0.18)
    assert (binding.value, binding.tau_bar) == (pytest.approx(0.96), pytest.approx(0.08))
    assert theory.inner_product_exponent(0.98, 0.19).value == pytest.approx(0.98)
    assert theory.inner_product_exponent(0.8, 0.19).valid
    assert theory.inner_product_exponent(0.05, 0.001).valid
    for tau_1, tau_2 in ((0.8, 0.2), (0.8, 0.0), (1.0, 0.1), (0.0, 0.0)):
        outside = theory.inner_product_exponent(tau_1, tau_2)
        assert not outside.valid
        assert f"τ₁ = {tau_1:g}" in outside.reason


def test_theorem_4_9():
    """τ₁ = 0.6, τ₂ = 0.2: τ̄ = min{0.3, 0.2, 0.2}; exponents 0.6, −0.2, 1 − 0.6c, 0.9."""
    found = theory.regret_exponent(kb.Laplace(), 0.6, 0.2, c=1.0)
    assert (found.value, found.tau_bar, found.valid) == (pytest.approx(0.9), pytest.approx(0.2), True)
    assert found == theory.radial_exponent(0.6, 0.2, 1.0)
    assert theory.radial_exponent(0.6, 0.2, 0.1).value == pytest.approx(0.94)
    assert theory.radial_exponent(0.6, 0.25, 1.0).tau_bar == pytest.approx(0.1)
    assert theory.radial_exponent(0.6, 0.25, 1.0).valid
    assert theory.radial_exponent(0.6, 0.29, 1.0).valid
    assert theory.radial_exponent(0.05, 0.001, 0.01).valid
    assert not theory.radial_exponent(0.6, 0.3, 1.0).valid
    assert not theory.radial_exponent(0.6, 0.2, 0.0).valid
    assert not theory.radial_exponent(1.0, 0.2, 1.0).valid


@pytest.mark.parametrize("kernel", [kb.Gaussian(), kb.RationalQuadratic(), kb.Matern(3.5), kb.Matern(1.5)])
def test_theorem_4_9_cannot_hold_for_a_smooth_kernel(kernel):
    """γ ≥ cε with ε → 0: no h of the class has it, and none is called valid; the reason has what the proof gives."""
    for tau_2 in (0.01, 0.1, 0.14, 0.2):
        found = theory.regret_exponent(kernel, 0.6, tau_2)
        assert (found.value, found.valid) == (theory.radial_exponent(0.6, tau_2, 1.0).value, False)
        assert f"γ falls like ε^{theory.gamma_power(kernel):.3g}" in found.reason
    for epsilon in (1e-3, 1e-5):
        gamma = theory.kernel_parameters(kernel, [[1.0]], [epsilon]).gamma
        assert gamma < 0.2 * epsilon


def test_theorem_4_9_with_the_power_of_gamma():
    """γ = Θ(ε^p): τ̄ = min{τ₁/2, τ₂, τ₁ − 2pτ₂} for τ₂ < τ₁/(2p); at p = 2 the range and τ̄ of Theorem 4.8."""
    found = theory.radial_exponent(0.8, 0.18, 5.0, power=2.0)
    same = theory.inner_product_exponent(0.8, 0.18)
    assert (found.value, found.tau_bar, found.valid) == (same.value, same.tau_bar, True)
    assert not theory.radial_exponent(0.8, 0.2, 5.0, power=2.0).valid
    assert theory.radial_exponent(0.8, 0.26, 5.0, power=1.5).valid
    assert "T^0.96 here, for τ₂ < τ₁/4" in theory.regret_exponent(kb.Gaussian(), 0.8, 0.18, 5.0).reason
    assert "gives nothing here" in theory.regret_exponent(kb.Gaussian(), 0.8, 0.3).reason


@pytest.mark.parametrize(("kernel", "words"), [(kb.Linear(), "is not above 0"), (kb.Polynomial(3, 0.0), "like ε^3")])
def test_theorem_4_8_needs_curvature(kernel, words):
    """γ = Θ(ε²) needs h'' ≥ c > 0; t and t³ have none at 0."""
    found = theory.regret_exponent(kernel, 0.8, 0.1)
    assert not found.valid
    assert words in found.reason
    assert theory.regret_exponent(kb.Polynomial(3, 0.5), 0.8, 0.1).valid


@pytest.mark.parametrize("class_", ["inner product", "radial"])
def test_theorems_4_8_and_4_9_exponents_follow_from_the_lemma(class_):
    """Lemma C.1 with the proofs' orders of V, B, Φ and Pr(𝒜ᶜ) grows with the theorem's exponent."""
    inner = class_ == "inner product"
    for tau_1, tau_2 in ((0.5, 0.08), (0.9, 0.2), (0.9, 0.12)):
        found = theory.inner_product_exponent(tau_1, tau_2) if inner else theory.radial_exponent(tau_1, tau_2, 5.0)
        power = 2 if inner else 1  # γ = Θ(ε²) or Θ(ε)

        def log_bound(log_t, tau_1=tau_1, tau_2=tau_2, power=power):
            log_d, log_e = tau_1 * log_t, -tau_2 * log_t
            variance = [log_e, -log_d - power * log_e]
            bias = [log_e, -log_d / 2]
            residual = [-log_d - 2 * power * log_e, -log_d / 2]
            failure = [-log_d - 2 * power * log_e, -2 * log_d]
            error = np.logaddexp.reduce([*variance, *bias, *residual])
            return np.logaddexp.reduce([log_d, *(log_t + f for f in failure), log_t + error / 2])

        slope = (log_bound(4e4) - log_bound(2e4)) / 2e4
        assert slope == pytest.approx(found.value, abs=1e-3)


def test_negative_errors_are_refused():
    with pytest.raises(kb.errors.InvalidArgument, match=r"arm 1: -1\.0"):
        theory.per_round_bound([0.0, -1.0])
