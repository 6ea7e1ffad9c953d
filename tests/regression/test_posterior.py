"""The Gaussian-process posterior against scikit-learn and against numpy."""

from math import log, sqrt

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor, kernels as sk

import kernelbandits as kb

DIM = 6
SCALE = sqrt(DIM)  # ours divide squared distances by d, theirs do not
PAIRS = [
    (kb.Gaussian(gamma=4.0), sk.RBF(length_scale=sqrt(DIM / 8.0))),
    (kb.Gaussian(gamma=0.3), sk.RBF(length_scale=sqrt(DIM / 0.6))),
    (kb.Matern(nu=0.5, length=0.7), sk.Matern(length_scale=0.7 * SCALE, nu=0.5)),
    (kb.Laplace(gamma=2.0), sk.Matern(length_scale=0.5 * SCALE, nu=0.5)),
    (kb.Matern(nu=1.5), sk.Matern(length_scale=SCALE, nu=1.5)),
    (kb.Matern(nu=2.5, length=2.0), sk.Matern(length_scale=2.0 * SCALE, nu=2.5)),
    (kb.Matern(nu=0.8), sk.Matern(length_scale=SCALE, nu=0.8)),
    (kb.Matern(nu=3.7), sk.Matern(length_scale=SCALE, nu=3.7)),
    (kb.RationalQuadratic(alpha=0.6, length=1.5), sk.RationalQuadratic(length_scale=1.5 * SCALE, alpha=0.6)),
    (kb.Scaled(kb.Gaussian(gamma=0.5), 3.0), sk.ConstantKernel(3.0) * sk.RBF(length_scale=SCALE)),
    (kb.Scaled(kb.Polynomial(degree=1, offset=1 / DIM), DIM), sk.DotProduct(sigma_0=1.0)),
]
cases = pytest.mark.parametrize(("ours", "theirs"), [pytest.param(*pair, id=repr(pair[0])) for pair in PAIRS])
ridges = pytest.mark.parametrize("ridge", [1.0, 1e-2, 1e-4])

rng = np.random.default_rng(0)
X, y, Z = rng.standard_normal((35, DIM)), rng.standard_normal(35), rng.standard_normal((20, DIM))


def one_by_one(model, X, y):
    posterior = model.without_data(X.shape[1])
    for x, target in zip(X, y, strict=True):
        posterior = posterior.extend(x, float(target))
    return posterior


@cases
@ridges
@pytest.mark.parametrize("learn", [kb.GaussianProcess.fit, one_by_one], ids=["fit", "extend"])
def test_agrees_with_scikit_learn(ours, theirs, ridge, learn):
    reference = GaussianProcessRegressor(theirs, alpha=ridge, optimizer=None).fit(X, y)
    posterior = learn(kb.GaussianProcess(ours, ridge=ridge), X, y)
    places = np.vstack([Z, X])
    mean, std = reference.predict(places, return_std=True)
    assert np.abs(posterior.mean(places) - mean).max() < 1e-8
    assert np.abs(posterior.std(places) - std).max() < 1e-8


@cases
@ridges
def test_log_det_is_that_of_numpy(ours, theirs, ridge):
    K = theirs(X)
    for posterior in (kb.GaussianProcess(ours, ridge).fit(X, y), one_by_one(kb.GaussianProcess(ours, ridge), X, y)):
        assert posterior.log_det == pytest.approx(np.linalg.slogdet(K + ridge * np.eye(35))[1], rel=1e-8, abs=1e-8)
        gain = 0.5 * np.linalg.slogdet(np.eye(35) + K / ridge)[1]
        assert posterior.information_gain == pytest.approx(gain, rel=1e-8)


@pytest.mark.parametrize("ridge", [1.0, 1e-8])
def test_mean_is_kernel_ridge_regression(ridge):
    kernel = kb.Gaussian(gamma=4.0)
    mean = kb.KernelRidge(kernel, ridge=ridge).fit(X, y).mean(Z)
    assert np.allclose(kb.GaussianProcess(kernel, ridge=ridge).fit(X, y).mean(Z), mean, rtol=1e-6, atol=1e-9)


def test_prior_knows_nothing():
    prior = kb.GaussianProcess(kb.Scaled(kb.Gaussian(), 4.0)).without_data(DIM)
    assert prior.n == 0
    assert not prior.mean(Z).any()
    assert np.array_equal(prior.std(Z), np.full(20, 2.0))
    assert prior.information_gain == 0.0


def test_data_never_add_uncertainty():
    posterior = kb.GaussianProcess(kb.Matern(nu=1.5), ridge=0.1).without_data(DIM)
    before = posterior.std(Z)
    for x, target in zip(X, y, strict=True):
        posterior = posterior.extend(x, float(target))
        now = posterior.std(Z)
        assert (now <= before + 1e-12).all()
        before = now


def test_a_single_observation_by_hand():
    posterior = kb.GaussianProcess(kb.Gaussian(), ridge=3.0).fit(X[:1], [2.0])
    assert posterior.mean(X[:1])[0] == pytest.approx(2.0 / 4.0)
    assert posterior.std(X[:1])[0] == pytest.approx(sqrt(1 - 1 / 4))
    assert posterior.log_det == pytest.approx(log(4.0))
