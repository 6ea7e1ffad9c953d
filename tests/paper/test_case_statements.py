"""Example 1 (Cases I, II, III), with Lemmas B.5 to B.7 (inner product) and B.9 to B.11 (radial)."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.theory import Case

EXPONENTIAL, GAUSSIAN = kb.Exponential(0.5), kb.Gaussian(0.5)
SIGMA, NORM = 0.7, 1.5


def bound(kernel, case, epsilon, dim, n):
    return theory.case_bound(kernel, case, epsilon=epsilon, dim=dim, n=n, noise_std=SIGMA, norm=NORM)


# h = e^{t/2} has h'(0) = ½, h'' from ¼ to ¼√e on [0, 1]; h = e^{−t/2} has h' from −½ on [0, 2].
CURVATURE = 0.25 * np.exp(0.5)


def test_lemma_B_5_case_I():
    found = bound(EXPONENTIAL, Case.LOW_RANK, 0.2, 50, 400)
    assert found.variance == pytest.approx(32 * 0.49 * 0.2 * 50 / 400)
    assert found.bias == pytest.approx(2.25 * (0.75 * CURVATURE * 0.04 + 0.5 * 0.2))


def test_lemma_B_6_case_II():
    found = bound(EXPONENTIAL, Case.APPROXIMATE_LOW_RANK, 0.2, 50, 400)
    assert found.variance == pytest.approx(32 * 0.49 / 0.2 * 50 / 400)
    assert found.bias == pytest.approx(2.25 * (1.5 * CURVATURE * 0.04 + 0.5 * 0.2))


def test_lemma_B_7_case_III():
    found = bound(EXPONENTIAL, Case.SPECTRAL_DECAY, 0.2, 400, 50)
    assert found.variance == pytest.approx(8 * 0.49 * 0.5 / (0.04 * 0.25) * 50 / 400)
    assert found.bias == pytest.approx(2.25 * (0.75 * CURVATURE * 0.04 + 0.5 * 0.2))


def test_lemma_B_9_case_I_radial():
    found = bound(GAUSSIAN, Case.LOW_RANK, 0.2, 50, 400)
    assert found.variance == pytest.approx(32 * 0.49 * 0.2 * 50 / 400)
    assert found.bias == pytest.approx(5 * 2.25 * 0.5 * 0.2)


def test_lemma_B_10_case_II_radial():
    found = bound(GAUSSIAN, Case.APPROXIMATE_LOW_RANK, 0.2, 50, 400)
    assert found.variance == pytest.approx(32 * 0.49 / 0.2 * 50 / 400)
    assert found.bias == pytest.approx(5 * 2.25 * 0.5 * 0.2)


def test_lemma_B_11_case_III_radial():
    """V = 8|h'|σ²/(εc) N/d, and with the largest c that γ ≥ cε allows, εc is γ itself. Printed is half of it."""
    found = bound(GAUSSIAN, Case.SPECTRAL_DECAY, 0.2, 400, 50)
    value = np.exp(-0.2)  # h(τ) at τ = 0.4
    gamma = 1.0 - 0.4 * 0.5 * value - value
    assert found.variance == pytest.approx(8 * 0.5 * 0.49 / gamma * 50 / 400)
    assert found.bias == pytest.approx(5 * 2.25 * 0.5 * 0.2)
    printed = theory.variance_slope(GAUSSIAN, Case.SPECTRAL_DECAY, 0.2, SIGMA, as_printed=True)
    assert printed == pytest.approx(4 * 0.5 * 0.49 / gamma)


def test_lemma_B_11_factor_follows_from_its_proof():
    """(8σ²/d) · 2 Σ_j λ_j/(r + λ_j)² with each term at its largest 1/(4r), r = γ/β, and β at its largest 2|min h'|."""
    d, n, epsilon = 400, 50, 0.2
    p = theory.kernel_parameters(GAUSSIAN, np.ones((1, d)), np.full(d, epsilon))
    r = p.gamma / p.beta
    X = np.sqrt(r * d) * np.eye(n, d)  # λ_j = r for all j
    chain = 16 * SIGMA**2 * theory.effective_variance(GAUSSIAN, X, np.full(d, epsilon))
    assert chain == pytest.approx(16 * SIGMA**2 / d * n * p.beta / (4 * p.gamma))
    widest = chain * 2 * 0.5 / p.beta  # |min h'| is ½
    assert bound(GAUSSIAN, Case.SPECTRAL_DECAY, epsilon, d, n).variance == pytest.approx(widest)


def design(case, epsilon, d):
    """Σ of Example 1."""
    if case is Case.LOW_RANK:
        return np.concatenate([np.ones(int(epsilon * d)), np.zeros(d - int(epsilon * d))])
    if case is Case.APPROXIMATE_LOW_RANK:
        return np.concatenate([[1.0], np.full(d - 1, epsilon)])
    return np.full(d, epsilon)


@pytest.mark.parametrize("kernel", [EXPONENTIAL, GAUSSIAN])
@pytest.mark.parametrize(
    ("case", "epsilon", "d", "n"),
    [(Case.LOW_RANK, 0.3, 40, 800), (Case.APPROXIMATE_LOW_RANK, 0.3, 40, 800), (Case.SPECTRAL_DECAY, 0.3, 800, 100)],
)
def test_example_1_closed_forms_dominate(kernel, case, epsilon, d, n):
    """V̄ and B̄ of a draw lie below the closed forms plus the O(·) terms that the proofs drop, written out."""
    variances = design(case, epsilon, d)
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(n, d)) * np.sqrt(variances)  # bounded, independent coordinates
    closed = bound(kernel, case, epsilon, d, n)
    p = theory.kernel_parameters(kernel, X, variances)
    dropped = 8 * SIGMA**2 / d * p.beta / p.gamma
    assert theory.detailed_variance(kernel, X, SIGMA, variances) <= closed.variance + dropped
    slack = NORM**2 * (np.sqrt(20 / n) + 3 * abs(p.beta) / d)
    assert theory.detailed_bias(kernel, X, NORM) <= closed.bias + slack


@pytest.mark.parametrize("kernel", [EXPONENTIAL, GAUSSIAN])
def test_example_1_variance_follows_its_law(kernel):
    """Case I: 𝒱 falls like d/N and grows like ε; Case II: falls like d/N and grows like 1/ε; two draws each."""

    def variance(case, epsilon, n, d=60):
        variances = design(case, epsilon, d)
        X = np.random.default_rng(1).choice([-1.0, 1.0], size=(n, d)) * np.sqrt(variances)
        return theory.effective_variance(kernel, X, variances)

    for case, growth in ((Case.LOW_RANK, 2.0), (Case.APPROXIMATE_LOW_RANK, 0.5)):
        assert variance(case, 0.2, 12000) / variance(case, 0.2, 6000) == pytest.approx(0.5, rel=0.05)
        assert variance(case, 0.4, 12000) / variance(case, 0.2, 12000) == pytest.approx(growth, rel=0.15)


def test_example_1_balanced_orders():
    """ε = √δ in Case II and δ^(−1/3) in Case III make 𝒱 and ℬ of one order; Case I has δε and ε."""
    for case, ratio, order in ((Case.APPROXIMATE_LOW_RANK, 0.04, 0.2), (Case.SPECTRAL_DECAY, 64.0, 0.25)):
        found = theory.balancing_epsilon(case, ratio)
        at = theory.case_order(case, ratio=ratio, epsilon=found)
        assert (found, at.variance, at.bias) == (pytest.approx(order), pytest.approx(order), found)
    low_rank = theory.case_order(Case.LOW_RANK, ratio=0.5, epsilon=0.1)
    assert (low_rank.variance, low_rank.bias) == (pytest.approx(0.05), 0.1)
    # Case III is printed for every ε ≤ Cδ^(−1/3), but a smaller ε has a larger variance: it must be of that order
    assert theory.case_order(Case.SPECTRAL_DECAY, ratio=64.0, epsilon=0.05).variance > 5.0
    with pytest.raises(kb.errors.InvalidArgument, match="no ε balances Case I"):
        theory.balancing_epsilon(Case.LOW_RANK, 0.5)
    for case, ratio, side in ((Case.APPROXIMATE_LOW_RANK, 1.5, "below"), (Case.SPECTRAL_DECAY, 0.5, "above")):
        with pytest.raises(kb.errors.InvalidArgument, match=f"d/N {side} 1"):
            theory.balancing_epsilon(case, ratio)


@pytest.mark.parametrize("kernel", [EXPONENTIAL, GAUSSIAN])
@pytest.mark.parametrize(
    ("case", "ratios", "power"),
    [(Case.APPROXIMATE_LOW_RANK, (1e-4, 1e-6), 0.5), (Case.SPECTRAL_DECAY, (1e6, 1e9), -1 / 3)],
)
def test_example_1_rates(kernel, case, ratios, power):
    """The closed forms at the balancing ε fall like √δ (Case II) and δ^(−1/3) (Case III)."""
    d = 10**12
    found = [bound(kernel, case, theory.balancing_epsilon(case, ratio), d, d / ratio) for ratio in ratios]
    step = np.log(ratios[1] / ratios[0])
    assert np.log(found[1].variance / found[0].variance) / step == pytest.approx(power, abs=0.01)
    assert np.log(found[1].bias / found[0].bias) / step == pytest.approx(power, abs=0.01)


@pytest.mark.parametrize("kernel", [EXPONENTIAL, GAUSSIAN])
def test_example_1_rates_of_samples(kernel):
    """𝒱 of draws with ε = √δ falls like √δ in Case II; with ε = δ^(−1/3) it stays below δ^(−1/3) in Case III; ℬ too."""

    def draw(case, d, n):
        epsilon = theory.balancing_epsilon(case, d / n)
        variances = design(case, epsilon, d)
        X = np.random.default_rng(2).choice([-1.0, 1.0], size=(n, d)) * np.sqrt(variances)
        return theory.effective_variance(kernel, X, variances) / epsilon, X, epsilon

    scaled = [draw(Case.APPROXIMATE_LOW_RANK, 40, n)[0] for n in (4000, 16000)]
    assert scaled[1] / scaled[0] == pytest.approx(1.0, abs=0.05)
    for d, n in ((400, 50), (3200, 50)):
        scaled, X, epsilon = draw(Case.SPECTRAL_DECAY, d, n)
        assert 0.05 < scaled < 1.5
        assert theory.effective_bias(kernel, X) <= 2.5 * epsilon + np.sqrt(20 / n)


@pytest.mark.parametrize("kernel", [EXPONENTIAL, GAUSSIAN])
@pytest.mark.parametrize("case", [Case.LOW_RANK, Case.APPROXIMATE_LOW_RANK])
def test_lemmas_B_5_and_B_6_spectral_sum(kernel, case):
    """d⁻¹ Σ λ_j/(γ/β + λ_j)² is at most 2ε d/N (Case I) or 2ε⁻¹ d/N (Case II), and at least half of it."""
    epsilon, d, n = 0.25, 40, 1600
    variances = design(case, epsilon, d)
    X = np.random.default_rng(3).choice([-1.0, 1.0], size=(n, d)) * np.sqrt(variances)
    limit = 2.0 * (epsilon if case is Case.LOW_RANK else 1.0 / epsilon) * d / n
    assert 0.4 * limit <= theory.effective_variance(kernel, X, variances) <= limit


def test_steepest_slope_is_looked_for_on_all_of_0_to_2():
    """A radial profile that is steepest at t = 2 (outside the class, where it would be at 0) shows the interval."""

    class Falling(kb.RadialKernel):
        def profile(self, t, order=0):
            return [9.0 - t**2, -2.0 * t, np.full_like(t, -2.0)][order]

    found = theory.case_bias(Falling(), Case.LOW_RANK, 0.1, norm=1.0)
    assert found == pytest.approx(5 * 4.0 * 0.1)


def test_epsilon_outside_the_cases_is_refused():
    for epsilon in (0.0, 1.01):
        with pytest.raises(kb.errors.InvalidArgument, match="epsilon must be above 0"):
            bound(GAUSSIAN, Case.LOW_RANK, epsilon, 10, 20)


def test_a_profile_without_curvature_has_no_finite_variance():
    assert bound(kb.Linear(), Case.SPECTRAL_DECAY, 0.2, 400, 50).variance == np.inf
