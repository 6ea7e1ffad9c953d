"""Closed-form leave-one-out errors against refitting without each point."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.regression import leave_one_out


def refit(kernel, X, y, ridge):
    estimator = kb.KernelRidge(kernel, ridge) if ridge else kb.MinNormInterpolator(kernel)
    errors = np.empty(len(y))
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        fit = estimator.fit(X[others], y[others]) if others.any() else estimator.without_data(X.shape[1])
        errors[i] = y[i] - fit.mean(X[i : i + 1])[0]
    return errors


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("kernel", [kb.Gaussian(2.0), kb.Exponential(), kb.Matern(1.5), kb.Linear()])
@pytest.mark.parametrize(("n", "d"), [(1, 3), (2, 3), (12, 4), (12, 30)])
def test_equals_refitting(kernel, ridge, n, d):
    rng = np.random.default_rng(n + d)
    X, y = rng.standard_normal((n, d)), rng.standard_normal(n)
    errors = y - leave_one_out(kernel, X, y, ridge)
    np.testing.assert_allclose(errors, refit(kernel, X, y, ridge), rtol=1e-6, atol=1e-8)


def test_repeated_rows_are_predicted_from_their_copies():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((8, 5))
    X[4], X[7] = X[1], X[1]
    y = rng.standard_normal(8)
    found = y - leave_one_out(kb.Gaussian(), X, y)
    np.testing.assert_allclose(found, refit(kb.Gaussian(), X, y, 0.0), rtol=1e-6, atol=1e-8)
    assert found[1] == pytest.approx(y[1] - (y[4] + y[7]) / 2)


def test_refuses_a_negative_ridge_and_a_hole_in_the_data():
    with pytest.raises(kb.errors.InvalidArgument, match="ridge must be"):
        leave_one_out(kb.Gaussian(), [[0.0]], [1.0], ridge=-1.0)
    with pytest.raises(kb.errors.InvalidArgument, match="row 0, column 1 is nan"):
        leave_one_out(kb.Gaussian(), [[0.0, np.nan]], [1.0])
