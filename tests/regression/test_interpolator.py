"""The minimum-norm interpolator where the Gram matrix is well conditioned: it goes through the data."""

import numpy as np
import pytest

import kernelbandits as kb
import oracles

WELL_CONDITIONED = [
    kb.Gaussian(gamma=4.0),
    kb.Laplace(),
    kb.Matern(nu=0.5),
    kb.Matern(nu=1.5, length=0.5),
    kb.RationalQuadratic(length=0.5),
    kb.Linear(),
    kb.Exponential(),
    kb.Linear() + kb.Gaussian(gamma=4.0),
]


def data(n, dim, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, dim)), rng.standard_normal(n)


@pytest.mark.parametrize("kernel", WELL_CONDITIONED, ids=repr)
@pytest.mark.parametrize(("n", "dim"), [(1, 3), (5, 100), (60, 100)])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_goes_through_the_data(kernel, n, dim, scale):
    X, y = data(n, dim)
    fit = kb.MinNormInterpolator(kernel).fit(X, scale * y)
    assert np.abs(fit.mean(X) - scale * y).max() <= 1e-8 * scale * np.abs(y).max()
    assert fit.report.exact
    assert fit.report.method == "cholesky"
    assert fit.report.residual < 1e-8
    assert fit.report.duplicates == 0


def test_predicts_what_the_formula_says():
    X, y = data(40, 30)
    Z, _ = data(10, 30, seed=1)
    weights = np.linalg.solve(oracles.gaussian(X, X), y)
    fit = kb.MinNormInterpolator(kb.Gaussian(gamma=4.0)).fit(X, y)
    assert np.allclose(fit.weights, weights, rtol=1e-9)
    assert np.allclose(fit.mean(Z), oracles.gaussian(Z, X) @ weights, rtol=1e-9, atol=1e-12)
    assert fit.norm == pytest.approx(oracles.rkhs_norm(oracles.gaussian, X, weights), rel=1e-9)


def test_linear_interpolation_is_the_least_norm_regression():
    """With d > n the interpolator x ↦ ⟨θ, x⟩ has the θ of smallest norm: numpy's lstsq."""
    X, y = data(10, 25)
    Z, _ = data(6, 25, seed=1)
    theta = np.linalg.lstsq(X, y, rcond=None)[0]
    assert np.allclose(kb.MinNormInterpolator(kb.Linear()).fit(X, y).mean(Z), Z @ theta, rtol=1e-9)


def test_no_interpolant_has_a_smaller_norm():
    """f̂ plus any function that vanishes on the data is longer: compare with fits that know one point more."""
    X, y = data(20, 10)
    shortest = kb.MinNormInterpolator(kb.Gaussian(gamma=4.0)).fit(X, y)
    for seed in range(5):
        extra, target = data(1, 10, seed=50 + seed)
        other = kb.MinNormInterpolator(kb.Gaussian(gamma=4.0)).fit(np.vstack([X, extra]), np.append(y, target))
        assert np.allclose(other.mean(X), y, atol=1e-9)
        assert other.norm > shortest.norm


@pytest.mark.parametrize("kernel", WELL_CONDITIONED, ids=repr)
@pytest.mark.parametrize("ridge", [1e-3, 1.0, 50.0])
def test_ridge_solves_the_shifted_system(kernel, ridge):
    X, y = data(25, 8)
    fit = kb.KernelRidge(kernel, ridge=ridge).fit(X, y)
    assert np.allclose(fit.weights, oracles.ridge_weights(kernel(X), y, ridge), rtol=1e-7, atol=1e-9)


def test_ridge_of_zero_is_the_interpolator():
    X, y = data(12, 20)
    ridge, interpolator = kb.KernelRidge(kb.Gaussian(), ridge=0.0), kb.MinNormInterpolator(kb.Gaussian())
    assert np.array_equal(ridge.fit(X, y).weights, interpolator.fit(X, y).weights)


def test_condition_is_that_of_the_matrix():
    X, y = data(30, 40)
    report = kb.MinNormInterpolator(kb.Gaussian(gamma=1.0)).fit(X, y).report
    true_condition = np.linalg.cond(kb.Gaussian(gamma=1.0)(X), 1)
    assert true_condition / 5 < report.condition < true_condition * 1.01


def test_without_data_it_predicts_zero():
    fit = kb.MinNormInterpolator(kb.Gaussian()).without_data(3)
    assert not fit.mean(np.ones((4, 3))).any()
    assert fit.norm == 0.0
