from math import sqrt

import numpy as np
import pytest

import kernelbandits as kb


def test_lenient_regret_averages_first():
    """Two seeds with regret 2 in turn: expected regret 1 a round, within Δ = 1; seed by seed it would not be."""
    regrets = np.array([[2.0, 0.0], [0.0, 2.0]])
    assert np.array_equal(kb.lenient_regret(regrets, delta=1.0), [0.0, 0.0])
    assert np.array_equal(kb.lenient_regret(regrets, delta=0.25), [0.75, 1.5])


def test_lenient_regret_of_one_seed():
    assert np.allclose(kb.lenient_regret(np.array([0.5, 0.1, 0.3]), delta=0.2), [0.3, 0.3, 0.4])


def test_lenient_regret_without_leniency_is_regret():
    regrets = np.random.default_rng(0).random((5, 20))
    assert np.allclose(kb.lenient_regret(regrets, delta=0.0), np.cumsum(regrets.mean(axis=0)))


@pytest.mark.parametrize("delta", [-0.1, float("nan"), float("inf")])
def test_lenient_regret_refuses(delta):
    with pytest.raises(kb.errors.InvalidArgument, match="delta must be a number of at least 0"):
        kb.lenient_regret(np.zeros((2, 2)), delta)


def test_standard_error_is_that_of_the_mean():
    mean, error = kb.mean_and_standard_error(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]]))
    assert np.allclose(mean, [2.5, 5.0])
    assert np.allclose(error, [sqrt((2.25 + 0.25 + 0.25 + 2.25) / 3) / 2, 0.0])


def test_standard_error_along_another_axis():
    values = np.random.default_rng(0).random((3, 7))
    for row, transposed in zip(
        kb.mean_and_standard_error(values, axis=1), kb.mean_and_standard_error(values.T), strict=True
    ):
        assert np.allclose(row, transposed)


def test_the_error_of_one_seed_is_not_known():
    mean, error = kb.mean_and_standard_error(np.array([[1.0, 2.0]]))
    assert np.array_equal(mean, [1.0, 2.0])
    assert np.isnan(error).all()


def test_ratio_and_its_error_are_those_of_the_jackknife():
    rng = np.random.default_rng(0)
    b = rng.uniform(1.0, 2.0, size=200)
    a = 0.5 * b + 0.1 * rng.standard_normal(200)
    ratio, error = kb.ratio_and_standard_error(a, b)
    left_out = np.array([(a.sum() - a[i]) / (b.sum() - b[i]) for i in range(200)])
    jackknife = np.sqrt(199 / 200 * np.sum((left_out - left_out.mean()) ** 2))
    np.testing.assert_allclose(ratio, a.mean() / b.mean())
    np.testing.assert_allclose(error, jackknife, rtol=0.02)


def test_ratio_of_a_single_seed_has_no_error():
    ratio, error = kb.ratio_and_standard_error(np.array([1.0]), np.array([4.0]))
    assert ratio == 0.25
    assert np.isnan(error)
