"""Definitions 4.4 and B.2 (parameters), Remark B.3, Proposition C.3 (linear approximation of the Gram matrix)."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory

LEVEL = 0.5


def sample(n, d, seed, variances=None):
    variances = np.full(d, LEVEL) if variances is None else variances
    return np.random.default_rng((seed, n, d)).standard_normal((n, d)) * np.sqrt(variances)


def test_definition_4_4_inner_product():
    """With h = exp: α = 1 + Tr(Σ²)/(2d²), β = 1, γ = e^{Tr(Σ)/d} − 1 − Tr(Σ)/d."""
    variances = np.array([1.0, 0.5, 0.25, 0.25])  # Tr = 2, Tr(Σ²) = 1.375, d = 4
    found = theory.kernel_parameters(kb.Exponential(), sample(3, 4, 0), variances)
    assert (found.tau, found.beta) == pytest.approx((1.0, 1.0))
    assert found.alpha == pytest.approx(1.0 + 1.375 / 32.0)
    assert found.gamma == pytest.approx(np.exp(0.5) - 1.5)
    printed = theory.kernel_parameters(kb.Exponential(), sample(3, 4, 0), variances, as_printed=True)
    assert printed.alpha == pytest.approx(1.0 + 1.375 / 16.0)
    assert (printed.tau, printed.beta, printed.gamma) == (found.tau, found.beta, found.gamma)


def test_definition_4_4_radial():
    """With h = e^{−3t}: α = h + 18h Tr(Σ²)/d², β = 6h, γ = 1 − 3τh − h at τ = 2 Tr(Σ)/d."""
    variances = np.array([1.0, 0.5, 0.25, 0.25])
    found = theory.kernel_parameters(kb.Gaussian(3.0), sample(3, 4, 0), variances)
    value = np.exp(-3.0)
    assert found.tau == pytest.approx(1.0)
    assert found.alpha == pytest.approx(value + 18.0 * value * 1.375 / 16.0)
    assert found.beta == pytest.approx(6.0 * value)
    assert found.gamma == pytest.approx(1.0 - 3.0 * value - value)


def test_definition_B_2():
    """ψ, ρ, ζ by their formulas, ζ with h'' (corrected) and h' (printed); K_lin is their sum."""
    X = sample(6, 4, 1)
    found = theory.linearize(kb.Gaussian(3.0), X, np.full(4, LEVEL))
    psi = (X**2).sum(axis=1) / 4 - LEVEL
    slope, curvature = -3.0 * np.exp(-3.0), 9.0 * np.exp(-3.0)
    np.testing.assert_allclose(found.psi, psi)
    np.testing.assert_allclose(found.rho, slope * psi + curvature * psi**2 / 2)
    np.testing.assert_allclose(found.zeta, curvature * np.outer(psi, psi))
    one = np.ones(6)
    expected = (
        found.gamma * np.eye(6)
        + found.alpha * np.outer(one, one)
        + found.beta * X @ X.T / 4
        + np.outer(found.rho, one)
        + np.outer(one, found.rho)
        + found.zeta
    )
    np.testing.assert_allclose(found.gram, expected)
    assert found.error == pytest.approx(np.linalg.norm(kb.Gaussian(3.0)(X) - expected, 2))
    printed = theory.linearize(kb.Gaussian(3.0), X, np.full(4, LEVEL), as_printed=True)
    np.testing.assert_allclose(printed.zeta, slope * np.outer(psi, psi))


def test_theorem_B_1_linear_gram():
    """K_lin = γI + α11ᵀ + βXXᵀ/d; the event is ‖K − K_lin‖ ≤ γ/2."""
    X = sample(5, 7, 2)
    found = theory.linearize(kb.Exponential(), X, np.full(7, LEVEL))
    expected = found.gamma * np.eye(5) + found.alpha + X @ X.T / 7
    np.testing.assert_allclose(found.gram, expected)
    assert found.error == pytest.approx(np.linalg.norm(kb.Exponential()(X) - expected, 2))
    assert found.psi is None
    assert found.event == (found.error <= found.gamma / 2)


@pytest.mark.parametrize(("error", "holds"), [(0.1, True), (0.1001, False)])
def test_theorem_B_1_event(error, holds):
    """‖K − K_lin‖ ≤ γ/2 at γ = 0.2."""
    assert theory.Linearization(1.0, 1.0, 1.0, 0.2, np.eye(2), error, None, None, None).event is holds


def test_remark_B_3_orders():
    """With Tr(Σ) = d^{1/2+a}, τ, γ (inner product: its square root) and |α − h(0)| fall like d^{−1/2+a}."""
    a, sizes = 0.2, np.array([100, 10_000])
    found = [theory.kernel_parameters(kb.Gaussian(), np.ones((1, d)), np.full(d, d ** (a - 0.5))) for d in sizes]
    rate = np.log(sizes[1] / sizes[0])
    assert np.log(found[1].tau / found[0].tau) / rate == pytest.approx(a - 0.5)
    # h is smooth here, so γ falls like τ²: at least as fast as the remark says
    assert np.log(found[1].gamma / found[0].gamma) / rate < a - 0.5
    assert np.log(abs(found[1].alpha - 1) / abs(found[0].alpha - 1)) / rate == pytest.approx(a - 0.5, abs=0.1)


@pytest.mark.parametrize("kernel", [kb.Gaussian(), kb.Exponential()])
def test_proposition_C_3(kernel):
    """‖K − K_lin‖ vanishes like d^{−1/2} (up to logarithms) with the corrected constants, not with the printed ones."""

    def mean_error(d, as_printed):
        draws = (sample(d, d, seed) for seed in range(5))
        return np.mean([theory.linearize(kernel, X, np.full(d, LEVEL), as_printed=as_printed).error for X in draws])

    corrected = mean_error(400, False) / mean_error(100, False)
    printed = mean_error(400, True) / mean_error(100, True)
    assert corrected < 0.65
    assert printed > 0.7


@pytest.mark.parametrize("kernel", [kb.Gaussian(), kb.RationalQuadratic(), kb.Matern(3.5), kb.Polynomial(3)])
def test_proposition_C_3_event(kernel):
    """The event ‖K − K_lin‖ ≤ γ/2 comes true as d grows; at d = 400 it holds for the radial kernels tried."""
    d = 400
    small, large = (theory.linearize(kernel, sample(n, n, 0), np.full(n, LEVEL)) for n in (50, d))
    assert large.error / large.gamma < 0.5 * small.error / small.gamma
    if kernel.geometry == kb.Gaussian().geometry:
        assert large.event


def test_covariance_forms_agree():
    d, n = 6, 2000
    variances = np.linspace(0.2, 1.0, d)
    X = sample(n, d, 3, variances)
    vector = theory.linearize(kb.Gaussian(), X[:20], variances)
    matrix = theory.linearize(kb.Gaussian(), X[:20], np.diag(variances))
    np.testing.assert_allclose(vector.gram, matrix.gram)
    estimated = theory.kernel_parameters(kb.Gaussian(), X)
    assert estimated.alpha == pytest.approx(vector.alpha, rel=0.05)
    assert estimated.gamma == pytest.approx(vector.gamma, rel=0.05)


def test_moments_of_few_rows_by_hand():
    """Tr(Σ²) is the mean of ⟨x_i, x_j⟩² over i ≠ j; a single row has ‖x‖⁴ in its place."""
    X = sample(3, 2, 6)
    pairs = [(X[i] @ X[j]) ** 2 for i in range(3) for j in range(3) if i != j]
    assert theory.moments(X).square == pytest.approx(np.mean(pairs) / 4)
    assert theory.moments(X).level == pytest.approx((X**2).sum() / 6)
    one = theory.moments([[1.0, 2.0, 2.0]])
    assert (one.level, one.square) == (pytest.approx(9 / 3), pytest.approx(81 / 9))


def test_trace_of_square_has_no_bias():
    """At n = d the plug-in estimate of Tr(Σ²)/d² is twice too large; the pairs' average is right."""
    d = 100
    draws = [theory.moments(sample(d, d, seed)).square for seed in range(20)]
    assert np.mean(draws) == pytest.approx(LEVEL**2 / d, rel=0.05)
    plug_in = [np.sum((X.T @ X / d) ** 2) / d**2 for X in (sample(d, d, seed) for seed in range(20))]
    assert np.mean(plug_in) > 1.8 * LEVEL**2 / d


def test_schoenberg_is_linearised_on_the_sphere():
    X = 3.0 * sample(40, 40, 4)
    kernel = kb.Schoenberg((0.5, 0.01, 0.0002), dim=40)
    found = theory.linearize(kernel, X)
    assert found.tau == pytest.approx(2.0)
    rescaled = theory.linearize(kernel, 0.1 * X)
    np.testing.assert_allclose(found.gram, rescaled.gram)
    assert found.error < 0.1
    # a given covariance is rescaled to the sphere too: of Σ = 5I only Tr(Σ²)/Tr(Σ)² = 1/d is left
    given = theory.kernel_parameters(kernel, X, np.full(40, 5.0))
    assert given.tau == pytest.approx(2.0)
    curvature = kernel.profile(np.zeros(1), 2)[0]
    assert given.alpha == pytest.approx(kernel.profile(np.zeros(1))[0] + 0.5 * curvature / 40)


def test_too_many_rows_are_refused_and_a_subsample_is_named():
    X = sample(50, 4, 5)
    assert len(theory.linearize(kb.Gaussian(), theory.subsample(X, 10)).gram) == 10
    with pytest.raises(kb.errors.InvalidArgument, match=r"30000 rows.*max_rows=2000"):
        theory.linearize(kb.Gaussian(), np.ones((30_000, 1)))


def test_a_kernel_of_no_class_is_refused():
    with pytest.raises(kb.errors.InvalidArgument, match="is neither"):
        theory.linearize(kb.Gaussian() + kb.Linear(), [[1.0]])


@pytest.mark.slow
@pytest.mark.parametrize("kernel", [kb.Gaussian(), kb.Exponential()])
def test_proposition_C_3_to_1600(kernel):
    """N = d, flat spectrum, mean of five draws, d = 100 → 1600: corrected below 0.4 ×, printed above 0.7 ×."""
    corrected, printed = ([], [])
    for d in (100, 1600):
        draws = [sample(d, d, seed) for seed in range(5)]
        for found, as_printed in ((corrected, False), (printed, True)):
            errors = [theory.linearize(kernel, X, np.full(d, LEVEL), as_printed=as_printed).error for X in draws]
            found.append(np.mean(errors))
    assert corrected[1] <= 0.4 * corrected[0]
    assert printed[1] > 0.7 * printed[0]
