"""Remark B.3 (orders of the coefficients) and the bounds in the proofs of Lemmas B.5, B.6 and B.9."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.theory.linearization import setting

KERNELS = [kb.Exponential(0.7), kb.Polynomial(3, 0.5), kb.Gaussian(2.0), kb.RationalQuadratic(), kb.Matern(3.5)]


@pytest.mark.parametrize(
    ("kernel", "power"),
    [
        (kb.Gaussian(), 2.0),
        (kb.Gaussian(1e4), 2.0),
        (kb.RationalQuadratic(), 2.0),
        (kb.Matern(3.5), 2.0),
        (kb.Matern(1.5), 1.5),
        (kb.Matern(1.0), 1.0),
        (kb.Laplace(), 0.5),
        (kb.Exponential(), 2.0),
        (kb.Polynomial(3, 0.0), 3.0),
        (kb.Polynomial(3, 0.5), 2.0),
        (kb.Linear(), np.inf),
        (kb.Gaussian() + kb.Laplace(), 0.5),
    ],
)
def test_power_of_gamma(kernel, power):
    """γ ~ ε^p: p from h'' near 0 agrees with γ itself at two small ε."""
    assert theory.gamma_power(kernel) == pytest.approx(power, abs=0.01)
    if power < np.inf:
        small, large = (theory.kernel_parameters(kernel, [[1.0]], [e]).gamma for e in (1e-6, 2e-6))
        assert np.log2(large / small) == pytest.approx(power, abs=0.03)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("level", [1.0, 0.5, 0.01])
def test_lemma_B_5_bounds_on_gamma(kernel, level):
    """Both bounds of the proof, and γ ≈ ½ε² h''(0) or 2ε² h''(0) as ε = Tr(Σ)/d → 0."""
    low, high = theory.gamma_bounds(kernel, level)
    gamma = theory.kernel_parameters(kernel, np.ones((1, 4)), np.full(4, level)).gamma
    assert low <= gamma <= high
    curvature = kernel.profile(np.zeros(1), 2)[0]
    if level == 0.01:
        scale = 0.5 if kernel.geometry == kb.Exponential().geometry else 2.0
        assert gamma == pytest.approx(scale * level**2 * curvature, rel=0.1)


def test_lemma_B_5_bounds_on_gamma_by_hand():
    """e^{t/2}: ½ε² · ¼ and ½ε² · ¼√e."""
    low, high = theory.gamma_bounds(kb.Exponential(0.5), 0.4)
    assert (low, high) == (pytest.approx(0.5 * 0.16 * 0.25), pytest.approx(0.5 * 0.16 * 0.25 * np.exp(0.5)))


def test_lemma_B_9_bound_on_gamma():
    """e^{−2t}: 2ε|min h'| = 4ε, 2ε² max h'' = 8ε² (smaller below ε = ½), 2ε² min h'' = 8ε² e^{−4}."""
    low, high = theory.gamma_bounds(kb.Gaussian(2.0), 0.25)
    assert (low, high) == (pytest.approx(8 * np.exp(-4) / 16), pytest.approx(0.5))
    assert theory.gamma_bounds(kb.Gaussian(2.0), 1.0)[1] == pytest.approx(4.0)
    gamma = theory.kernel_parameters(kb.Matern(1.5), [[1.0]], [0.3]).gamma
    low, high = theory.gamma_bounds(kb.Matern(1.5), 0.3)
    assert low <= gamma <= high < np.inf


@pytest.mark.parametrize("epsilon", [0.1, 0.37, 0.9])
@pytest.mark.parametrize("d", [11, 200])
def test_lemmas_B_5_and_B_6_levels(epsilon, d):
    """Case I: ε/2 ≤ Tr(Σ)/d ≤ ε. Case II: ¼h''_min ε² ≤ γ ≤ h''_max (d⁻² + ε²)."""
    active = int(epsilon * d)
    assert epsilon / 2 <= active / d <= epsilon
    variances = np.r_[1.0, np.full(d - 1, epsilon)]
    p = theory.kernel_parameters(kb.Exponential(0.5), np.ones((1, d)), variances)
    assert 0.25 * 0.25 * epsilon**2 <= p.gamma <= 0.25 * np.exp(0.5) * (d**-2 + epsilon**2)


def test_lemma_B_5_eigenvalue_sum():
    """(β/N) Σλ_j ≤ βε(1 + C²√(ln(1/δ̄)/(2N))) in 95 % of the draws or more; coordinates bounded by C = √3."""
    d, n, failure = 10, 40, 0.05
    variances = np.linspace(0.1, 1.0, d)
    bound = theory.eigenvalue_sum_bound(0.7, variances.mean(), n, failure, bound=np.sqrt(3))
    expected = 0.7 * 0.55 * (1 + 3 * np.sqrt(np.log(20) / 80))
    assert bound == pytest.approx(expected)
    rng = np.random.default_rng(0)
    draws = rng.uniform(-np.sqrt(3), np.sqrt(3), (2000, n, d)) * np.sqrt(variances)
    sums = 0.7 * (draws**2).sum(axis=2).mean(axis=1) / d
    first = 0.7 * theory.spectrum(draws[0]).gram_eigenvalues.sum() / n
    assert sums[0] == pytest.approx(first)
    assert np.mean(sums > bound) <= failure


def test_lemma_B_5_eigenvalue_sum_is_attained():
    """One coordinate that is ±C with probability 1/C² and else 0: the deviation is 4 × at most, not idle."""
    n, C, failure = 100, 2.0, 0.1
    draws = (np.random.default_rng(1).random((4000, n)) < 1 / C**2) * C**2
    quantile = np.quantile(draws.mean(axis=1), 1 - failure) - 1.0
    deviation = theory.eigenvalue_sum_bound(1.0, 1.0, n, failure, bound=C) - 1.0
    assert quantile <= deviation <= 2.0 * quantile


def test_remark_B_3_printed():
    a, b = 0.2, 0.35
    found = theory.coefficient_orders(a, b, as_printed=True)
    assert (found.tau, found.alpha, found.gamma) == pytest.approx((-0.3, -0.3, -0.3))
    assert (found.rho, found.zeta) == pytest.approx((0.35, 0.7))
    assert (found.delta, found.eta) == pytest.approx((-0.4, 0.35))
    # ‖x‖² averages Tr(Σ), so b is at least ¼ + a/2 > 0, and the printed η_d grows
    assert not found.probability_tends_to_one


def test_remark_B_3_corrected():
    found = theory.coefficient_orders(0.2, 0.35)
    assert (found.tau, found.alpha, found.gamma) == pytest.approx((-0.3, -0.3, -0.6))
    assert (found.rho, found.zeta) == pytest.approx((0.2, 0.4))
    assert (found.delta, found.eta) == pytest.approx((0.2, -0.3))
    assert [theory.coefficient_orders(a, 0.3).probability_tends_to_one for a in (0.24, 0.26)] == [False, True]
    assert not theory.coefficient_orders(0.26, 0.5).probability_tends_to_one


def powers(values, sizes):
    return np.log(np.divide(*values[::-1])) / np.log(sizes[1] / sizes[0])


@pytest.mark.parametrize("kernel", [kb.Gaussian(0.05), kb.RationalQuadratic(length=4.0)])
def test_remark_B_3_orders_of_parameters(kernel):
    """Σ = d^(a−½) I with a = 0.3: τ, α − h(0), γ and 1/(dγ²) have the powers; the printed one of 1/(dγ²) is far off."""
    a, sizes, found = 0.3, (10**4, 10**6), []
    for d in sizes:
        p = theory.kernel_parameters(kernel, np.ones((1, d)), np.full(d, d ** (a - 0.5)))
        found.append([p.tau, abs(p.alpha - 1), p.gamma, theory.smallest_delta(p.gamma, d)])
    orders, printed = (theory.coefficient_orders(a, 0.4, as_printed=p) for p in (False, True))
    wanted = [orders.tau, orders.alpha, orders.gamma, orders.delta]
    np.testing.assert_allclose(powers(found, sizes), wanted, atol=0.02)
    assert printed.delta == pytest.approx(-0.6)
    assert powers(found, sizes)[3] > -0.25


@pytest.mark.parametrize("kernel", [kb.Gaussian(), kb.RationalQuadratic()])
def test_remark_B_3_orders_of_samples(kernel):
    """‖ρ‖, ‖ζ‖ and η_d of normal samples with N = d grow no faster than their orders."""
    a, sizes, found = 0.3, (100, 1600), []
    for d in sizes:
        variances = np.full(d, d ** (a - 0.5))
        X = np.random.default_rng(d).standard_normal((d, d)) * np.sqrt(variances)
        extra = setting(kernel, X, variances).corrections
        norms = np.linalg.norm(extra.rho), abs(extra.zeta_weight) * (extra.psi @ extra.psi)
        found.append([*norms, theory.guarantee(kernel, X, variances).eta])
    orders = theory.coefficient_orders(a, 0.25 + a / 2)
    assert (powers(found, sizes) <= [orders.rho, orders.zeta, orders.eta]).all()
