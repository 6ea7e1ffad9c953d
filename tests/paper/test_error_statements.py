"""Definition 4.5 (effective bias and variance), Theorems 4.6, B.1 and B.4 (estimation error), Lemmas B.8 and B.12."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.theory.error_bounds import tail_infimum

KERNELS = [kb.Gaussian(2.0), kb.Exponential(), kb.RationalQuadratic(), kb.Polynomial(3)]


def sample(n, d, seed, level=0.5):
    return np.random.default_rng((seed, n, d)).standard_normal((n, d)) * np.sqrt(level)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("n", "d"), [(1, 5), (12, 30), (30, 12)])
def test_definition_4_5_effective_variance(kernel, n, d):
    """𝒱 = d⁻¹ Σ λ/(γ/β + λ)² over dense eigenvalues of XXᵀ/d."""
    X, variances = sample(n, d, 0), np.full(d, 0.5)
    p = theory.kernel_parameters(kernel, X, variances)
    values = np.maximum(np.linalg.eigh(X @ X.T / d)[0], 0.0)
    expected = (values / (p.gamma / p.beta + values) ** 2).sum() / d
    assert theory.effective_variance(kernel, X, variances) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("n", "d"), [(1, 5), (12, 30), (40, 3)])
def test_definition_4_5_effective_bias(kernel, n, d):
    """ℬ by brute force over k = 0 … N."""
    X = sample(n, d, 1)
    values = np.sort(np.linalg.eigh(kernel(X))[0])[::-1]
    brute = [values[k:].sum() / n + 2.0 * np.sqrt(k / n) for k in range(n + 1)]
    assert theory.effective_bias(kernel, X) == pytest.approx(min(brute), rel=1e-9)


def test_definition_4_5_effective_bias_is_attained_in_the_middle():
    """Two large eigenvalues of 400: k = 2 is best, which neither end nor the k = 1, 5 of the lemmas gives."""
    values = np.concatenate([[100.0, 90.0], np.full(398, 0.01)])
    value, k = tail_infimum(values)
    assert k == 2
    assert value == pytest.approx(3.98 / 400 + 2.0 * np.sqrt(2 / 400))


def test_theorem_B_1_variance_and_bias():
    """V̄ = (8σ²/d) Σ λ_j(M)/(γ/β + λ_j(M))² with M = Σ̂ + (α/β)11ᵀ; B̄ = B²ℬ."""
    X, variances, sigma = sample(20, 30, 2), np.full(30, 0.5), 0.3
    kernel = kb.Exponential(2.0)
    p = theory.kernel_parameters(kernel, X, variances)
    values = np.linalg.eigvalsh(X @ X.T / 30 + p.alpha / p.beta)
    expected = 8 * sigma**2 / 30 * (values / (p.gamma / p.beta + values) ** 2).sum()
    assert theory.detailed_variance(kernel, X, sigma, variances) == pytest.approx(expected)
    assert theory.detailed_bias(kernel, X, 3.0) == pytest.approx(9.0 * theory.effective_bias(kernel, X))


@pytest.mark.parametrize("as_printed", [False, True])
def test_theorem_B_4_variance(as_printed):
    """Radial V̄: the eigenvalues below the fraction bar are those with ρ and ζ, above it those without."""
    X, variances, sigma = sample(20, 30, 3), np.full(30, 0.5), 0.3
    kernel = kb.Gaussian(2.0)
    s = theory.linearize(kernel, X, variances, as_printed=as_printed)
    above = X @ X.T / 30 + s.alpha / s.beta
    below = above + (s.rho[:, None] + s.rho + s.zeta) / s.beta
    a, b = np.linalg.eigvalsh(above), np.linalg.eigvalsh(below)
    expected = 8 * sigma**2 / 30 * (a / (s.gamma / s.beta + b) ** 2).sum()
    found = theory.detailed_variance(kernel, X, sigma, variances, as_printed=as_printed)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("kernel", [kb.Gaussian(2.0), kb.Exponential(2.0)])
def test_theorem_4_6_variance_dominates(kernel):
    """The variance σ² E‖K⁻¹K(X, x)‖² of the interpolator lies below V̄, and V̄ is not idle: within a factor 16."""
    n = d = 150
    X, Z = sample(n, d, 4), sample(2000, d, 5)
    true = np.mean(np.sum(np.linalg.solve(kernel(X), kernel(X, Z)) ** 2, axis=0))
    bound = theory.detailed_variance(kernel, X, 1.0, np.full(d, 0.5))
    assert true <= bound <= 16 * true


DESIGNS = [kb.LowRank(), kb.ApproximateLowRank(), kb.SpectralDecay()]


@pytest.mark.parametrize("covariance", DESIGNS)
def test_theorem_4_6_error_dominates(covariance):
    """E‖f̂ − f‖² ≤ V̄ + B̄ with each arm's exact norm. B̄ is 10⁴ × too large here, so the parts are tested below."""
    d, n = 40, 40
    instance = kb.Synthetic(covariance, n_arms=2, dim=d, noise_std=0.5).draw(np.random.default_rng(0))
    kernel = kb.Gaussian(4.0)
    measured = theory.measured_error(kb.MinNormInterpolator(kernel), instance, n, rng=1, n_fits=5, n_test=300)
    contexts = instance.rounds(n, np.random.default_rng(2)).contexts
    for arm in range(2):
        X, variances = contexts[:, arm], instance.context_std[arm] ** 2
        norm = instance.rewards[arm].norm
        bound = theory.detailed_variance(kernel, X, 0.5, variances) + theory.detailed_bias(kernel, X, norm)
        assert measured.per_arm[arm] <= bound


@pytest.mark.parametrize("covariance", DESIGNS)
def test_theorem_4_6_error_is_variance_plus_bias(covariance):
    """E‖f̂ − f‖² = σ² E‖K⁻¹k(x)‖² + E(f(x) − k(x)ᵀK⁻¹f(X))²; the first part lies below V̄ and within 10 × of it.

    The second is at most ‖f‖² E[K(x, x) − k(x)ᵀK⁻¹k(x)], and that mean is at most ℬ and within 1.3 × of it.
    """
    d = n = 60
    sigma, kernel = 0.5, kb.Gaussian(4.0)
    instance = kb.Synthetic(covariance, n_arms=1, dim=d, noise_std=sigma).draw(np.random.default_rng(0))
    measured = theory.measured_error(kb.MinNormInterpolator(kernel), instance, n, rng=1, n_fits=60, n_test=300).mean
    variances, norm = instance.context_std[0] ** 2, instance.rewards[0].norm
    parts = []
    for seed in range(20):
        rounds = instance.rounds(n + 300, np.random.default_rng(seed))
        X, Z, f = rounds.contexts[:n, 0], rounds.contexts[n:, 0], rounds.means[:, 0]
        weights = np.linalg.solve(kernel(X), kernel(X, Z))
        variance, bias = sigma**2 * np.mean(np.sum(weights**2, axis=0)), np.mean((f[n:] - f[:n] @ weights) ** 2)
        unseen = np.mean(kernel.diagonal(Z) - np.sum(kernel(X, Z) * weights, axis=0))
        assert variance <= theory.detailed_variance(kernel, X, sigma, variances) <= 10 * variance
        assert bias <= norm**2 * unseen
        assert unseen <= theory.effective_bias(kernel, X) <= 1.3 * unseen
        parts.append(variance + bias)
    assert measured == pytest.approx(np.mean(parts), rel=0.1)


def test_theorem_4_6_bias_dominates_where_it_is_informative():
    """A wide kernel and many draws: E[K(x, x) − k(x)ᵀK⁻¹k(x)] ≤ ℬ, attained at a k above 0 and far below 1."""
    kernel, d, n = kb.Gaussian(0.3), 4, 900
    X, Z = sample(n, d, 6, level=0.05), sample(400, d, 7, level=0.05)
    K = kernel(X)
    K[np.diag_indices_from(K)] += 1e-10
    unseen = np.mean(kernel.diagonal(Z) - np.sum(kernel(X, Z) * np.linalg.solve(K, kernel(X, Z)), axis=0))
    value, k = tail_infimum(np.linalg.eigvalsh(kernel(X))[::-1])
    assert theory.effective_bias(kernel, X) == pytest.approx(value)
    assert k > 0
    assert unseen <= value < 0.12


def test_theorem_B_1_residual_order():
    """Φ's terms: ln^4.1 d/(dγ²) + √(ln(N/δ)/N)."""
    expected = np.log(100) ** 4.1 / (100 * 0.25) + np.sqrt(np.log(50 / 0.1) / 50)
    assert theory.residual_order(0.5, 100, 50, 0.1) == pytest.approx(expected)
    assert theory.residual_order(0.0, 100, 50, 0.1) == np.inf


@pytest.mark.parametrize(("kernel", "constant"), [(kb.Exponential(2.0), 4.0), (kb.Gaussian(1.0), 20.0)])
def test_lemmas_B_8_and_B_12(kernel, constant):
    """Both bounds by their formulas (√(4/N) and √(20/N)), and above V̄ and B̄ on draws where the event holds."""
    n = d = 300
    variances = np.full(d, 0.5)
    for seed in range(3):
        # signs: with them the diagonal of K does not fluctuate, and the event holds at this d already
        X = np.sqrt(0.5) * np.random.default_rng(seed).choice([-1.0, 1.0], size=(n, d))
        p = theory.kernel_parameters(kernel, X, variances)
        values = np.linalg.eigvalsh(X @ X.T / d).clip(0)
        total = (values / (p.gamma / p.beta + values) ** 2).sum()
        variance = theory.simplified_variance(kernel, X, 0.3, variances)
        assert variance == pytest.approx(8 * 0.09 / d * (p.beta / p.gamma + 2 * total))
        assert variance >= theory.detailed_variance(kernel, X, 0.3, variances)
        bias = theory.simplified_bias(kernel, X, 2.0, variances)
        assert bias == pytest.approx(4 * (1.5 * p.gamma + p.beta * values.mean() + np.sqrt(constant / n)))
        assert theory.linearize(kernel, X, variances).event
        assert bias >= theory.detailed_bias(kernel, X, 2.0)


def test_linear_kernel_has_no_implicit_regularisation():
    """γ = 0: 𝒱 = d⁻¹ Σ 1/λ over the directions seen, and the simplified bound is infinite."""
    X = sample(10, 4, 0)
    values = np.linalg.eigvalsh(X.T @ X / 4)
    assert theory.effective_variance(kb.Linear(), X) == pytest.approx((1 / values).sum() / 4)
    assert theory.simplified_variance(kb.Linear(), X, 1.0) == np.inf


def test_measured_error_by_hand():
    """One arm, one fit: the mean square of prediction minus truth on fresh contexts."""
    instance = kb.Synthetic(kb.LowRank(), n_arms=2, dim=6).draw(np.random.default_rng(0))
    estimator = kb.KernelRidge(kb.Gaussian(4.0), 0.1)
    found = theory.measured_error(estimator, instance, 5, rng=3, n_test=7)
    rounds = instance.rounds(12, np.random.default_rng(3).spawn(1)[0])
    X, f = rounds.contexts[:, 1], rounds.means[:, 1]
    fit = estimator.fit(X[:5], f[:5] + rounds.noise[:5])
    assert found.per_arm[1] == pytest.approx(np.mean((fit.mean(X[5:]) - f[5:]) ** 2))
    assert np.isnan(found.standard_error).all()
    more = theory.measured_error(estimator, instance, 5, rng=3, n_fits=4, n_test=7)
    assert np.isfinite(more.standard_error).all()
    assert more.mean == pytest.approx(more.per_arm.mean())


def test_quantities_without_a_gram_matrix_take_any_number_of_rows():
    """𝒱 of 30,000 rows from the d × d side; ℬ needs the Gram matrix and says so."""
    X = sample(30_000, 3, 0)
    p = theory.kernel_parameters(kb.Gaussian(), X)
    values = np.linalg.eigvalsh(X.T @ X / 3)
    expected = (values / (p.gamma / p.beta + values) ** 2).sum() / 3
    assert theory.effective_variance(kb.Gaussian(), X) == pytest.approx(expected)
    assert np.isfinite(theory.simplified_variance(kb.Gaussian(), X, 1.0))
    with pytest.raises(kb.errors.InvalidArgument, match="30000 rows"):
        theory.effective_bias(kb.Gaussian(), X)
    assert np.isfinite(theory.effective_bias(kb.Gaussian(), theory.subsample(X, 50)))
