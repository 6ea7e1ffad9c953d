"""Leave-one-out predictions of a growing sample: after every observation those of refitting."""

import numpy as np
import pytest

import kernelbandits as kb
import oracles
from kernelbandits.policies.commitment_value import GrowingLeaveOneOut
from kernelbandits.regression import leave_one_out

KERNELS = [(kb.Gaussian(4.0), oracles.gaussian), (kb.Linear(), oracles.linear)]


@pytest.mark.parametrize(("kernel", "slow"), KERNELS, ids=["gaussian", "linear"])
@pytest.mark.parametrize("ridge", [1e-8, 0.3])
@pytest.mark.parametrize("level", [0.0, 20.0])
def test_after_every_observation(kernel, slow, ridge, level):
    rng = np.random.default_rng(0)
    X, y, levels = rng.standard_normal((9, 12)), level + rng.standard_normal(9), level + rng.standard_normal(9)
    growing = GrowingLeaveOneOut(kb.GaussianProcess(kernel, ridge).without_data(12))
    for n in range(1, 10):
        growing.observe(X[n - 1], float(y[n - 1]))
        expected = oracles.leave_one_out(slow, X[:n], y[:n], ridge, levels[:n])
        np.testing.assert_allclose(growing.predictions(levels[:n]), expected, atol=1e-6)
        np.testing.assert_array_equal(growing.rewards, y[:n])
        fitted = kb.GaussianProcess(kernel, ridge).fit(X[:n], y[:n] - levels[0])
        np.testing.assert_allclose(growing.expansion(levels[0])(X), fitted.mean(X), atol=1e-6)


@pytest.mark.parametrize("kernel", [kb.Gaussian(4.0), kb.Linear()], ids=repr)
def test_repeated_and_dependent_points(kernel):
    """With a tiny ridge it is the interpolator's closed form, also where the Gram matrix is singular."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((5, 3))[[0, 1, 2, 0, 3, 4, 1, 0]]
    y = rng.standard_normal(8)
    growing = GrowingLeaveOneOut(kb.GaussianProcess(kernel, 1e-8).without_data(3))
    for x, target in zip(X, y, strict=True):
        growing.observe(x, float(target))
    np.testing.assert_allclose(growing.predictions(0.0), leave_one_out(kernel, X, y), atol=1e-5)


def test_a_high_level_costs_no_digits():
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((9, 12)), rng.standard_normal(9)
    predictions = []
    for level in (0.0, 1e8):
        growing = GrowingLeaveOneOut(kb.GaussianProcess(kb.Gaussian(4.0), 1e-8).without_data(12))
        for x, target in zip(X, y + level, strict=True):
            growing.observe(x, float(target))
        predictions.append(growing.predictions(y.mean() + level) - level)
    np.testing.assert_allclose(*predictions, atol=1e-6)
