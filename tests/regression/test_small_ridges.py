"""A ridge below what arithmetic resolves: the posterior assumes more noise, says so, and stays finite."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

import examples
import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, RidgeTooSmall

RESOLVED = 2.0**-28
rng = np.random.default_rng(0)


def grown(model, X, y, start=0):
    posterior = model.fit(X[:start], y[:start]) if start else model.without_data(X.shape[1])
    for x, target in zip(X[start:], y[start:], strict=True):
        posterior = posterior.extend(x, target)
    return posterior


@pytest.mark.filterwarnings("ignore::kernelbandits.errors.RidgeTooSmall")
@pytest.mark.parametrize("ridge", [1e-12, 1e-300])
def test_many_points_on_a_line(ridge):
    """Neighbours explain each other to the last digit: every pivot is close to the noise."""
    X = rng.standard_normal((500, 1))
    y = np.sin(X[:, 0])
    model = kb.GaussianProcess(kb.Gaussian(gamma=1.0), ridge)
    posterior = grown(model, X, y, start=100)
    assert np.abs(posterior.mean(X) - y).max() < 1e-4
    assert posterior.std(X).max() < 1e-4
    assert posterior.repairs.floored == 0
    assert posterior.repairs.noise == RESOLVED
    whole = model.fit(X, y)
    assert np.allclose(posterior.mean(X), whole.mean(X), atol=1e-6)
    assert posterior.log_det == pytest.approx(whole.log_det, rel=1e-3)
    assert posterior.information_gain == pytest.approx(whole.information_gain, rel=1e-2)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::kernelbandits.errors.RidgeTooSmall")
@pytest.mark.parametrize("gamma", [0.01, 1.0])
def test_very_many_points_on_a_line(gamma):
    X = rng.standard_normal((3000, 1))
    y = np.sin(X[:, 0])
    posterior = grown(kb.GaussianProcess(kb.Gaussian(gamma), 1e-12), X, y)
    assert np.abs(posterior.mean(X) - y).max() < 0.1
    assert posterior.repairs.floored == 0


def test_the_noise_follows_the_prior_variance_of_each_point():
    X = 10.0 * rng.standard_normal((60, 3))
    model = kb.GaussianProcess(kb.Polynomial(degree=2), ridge=1e-10)
    with pytest.warns(RidgeTooSmall):
        posterior = grown(model, X, X[:, 0])
    prior = model.kernel.diagonal(X)
    assert posterior.repairs.raised == 60
    assert posterior.repairs.noise == pytest.approx(RESOLVED * prior.max())
    assert np.allclose(posterior.mean(X), X[:, 0], rtol=1e-3, atol=1e-3)
    A = model.kernel(X) + np.diag(RESOLVED * prior)
    assert posterior.log_det == pytest.approx(np.linalg.slogdet(A)[1], rel=1e-6)
    gain = 0.5 * (np.linalg.slogdet(A)[1] - np.log(RESOLVED * prior).sum())
    assert posterior.information_gain == pytest.approx(gain, rel=1e-6)


def test_a_ridge_that_arithmetic_resolves_is_kept():
    X = rng.standard_normal((30, 2))
    for ridge in (1e-8, 1.0):
        posterior = kb.GaussianProcess(kb.Gaussian(gamma=4.0) + 1.0, ridge).fit(X, X[:, 0])
        assert posterior.repairs.raised == 0
        assert "noise" not in str(posterior.report)


def test_it_is_told_once_in_a_warning_and_always_in_the_report():
    X = rng.standard_normal((20, 2))
    with pytest.warns(RidgeTooSmall, match="the ridge 1e-12 .* noise of variance 3.73e-09 .* Centre and") as told:
        posterior = grown(kb.GaussianProcess(kb.Gaussian(), ridge=1e-12), X, X[:, 0], start=5)
    assert len(told) == 1
    assert "noise raised above the ridge at 20 points, to at most 3.7e-09" in str(posterior.report)
    quiet = grown(kb.GaussianProcess(kb.Gaussian(), ridge=1e-9), X, X[:, 0])  # not far below: no warning
    assert quiet.report.raised == 20


@dataclass(frozen=True)
class Indefinite(kb.RadialKernel):
    def profile(self, t, order=0):
        return np.cos(3.0 * t)


def test_a_kernel_that_is_not_positive_definite_is_refused():
    X = rng.standard_normal((100, 1))
    model = kb.GaussianProcess(Indefinite(), ridge=1e-8)
    for attempt in (lambda: model.fit(X, X[:, 0]), lambda: grown(model, X, X[:, 0])):
        with pytest.raises(InvalidArgument, match="not positive definite at these points"):
            attempt()


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), st.integers(-14, 0), st.integers(0, 8), st.integers(-6, 6))
@pytest.mark.filterwarnings("ignore::kernelbandits.errors.RidgeTooSmall")
def test_posteriors_are_finite_whatever_the_points(seed, dim, log_ridge, offset, scale):
    rng = np.random.default_rng(seed)
    X = 10.0**offset + 10.0**scale * rng.standard_normal((25, dim))
    X[5:10] = X[:5]
    y = 1e4 * rng.standard_normal(25) + 1e6
    for kernel in (kb.Gaussian(), kb.Linear() + 1.0, kb.Polynomial()):
        posterior = grown(kb.GaussianProcess(kernel, 10.0**log_ridge), X, y, start=12)
        mean, std = posterior.mean_and_std(X)
        assert np.isfinite([*mean, *std, posterior.log_det, posterior.information_gain]).all()


@pytest.mark.filterwarnings("ignore::kernelbandits.errors.NotConverged")
@pytest.mark.parametrize("kernel", [kb.Gaussian(gamma=4.0), kb.Laplace(), kb.Matern(nu=1.5)], ids=repr)
@pytest.mark.parametrize("estimator", examples.ESTIMATORS, ids=repr)
def test_predictions_do_not_depend_on_the_origin(estimator, kernel):
    """Dyadic points in dimension 4: offsets are added without rounding."""
    estimator = replace(estimator, kernel=kernel)
    X, Z = (np.round(2.0**16 * rng.standard_normal((n, 4))) / 2.0**16 for n in (30, 9))
    y = rng.standard_normal(30)
    near = estimator.fit(X, y).mean(Z)
    for offset in (2.0**10, 2.0**23, np.array([0.0, 1.7e9, 0.0, -1e5])):
        assert np.allclose(estimator.fit(X + offset, y).mean(Z + offset), near, rtol=1e-5, atol=1e-5)
