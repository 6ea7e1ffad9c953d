"""Calibration of past predictions."""

import json

import numpy as np
import pytest

import kernelbandits as kb


def compared(n, stated=1.0, shift=0.0, noise=0.5, seed=0):
    """Predictions with a deviation of 1, stated as another, and rewards with noise."""
    rng = np.random.default_rng(seed)
    means = rng.standard_normal(n)
    truth = means + rng.standard_normal(n)
    calibration = kb.Calibration()
    calibration.compare(means, np.full(n, stated), truth + shift + noise * rng.standard_normal(n))
    return calibration


def test_what_is_calibrated_is_found_to_be():
    found = compared(20_000)
    assert found.n == 20_000
    assert found.coverage == pytest.approx(0.9, abs=0.04)
    assert found.innovation_std == pytest.approx(1.0, abs=0.1)
    assert found.noise_std == pytest.approx(0.5, abs=0.25)
    assert abs(found.bias) < 4.0 * found.bias_error


def test_bias_is_found_and_old_errors_are_forgotten():
    calibration = compared(3000, shift=3.0)
    assert calibration.bias == pytest.approx(3.0, abs=0.3)
    rng = np.random.default_rng(1)
    calibration.compare(np.zeros(5000), np.zeros(5000), rng.standard_normal(5000))
    assert abs(calibration.bias) < 0.3


def test_uncertainty_that_is_overstated_covers_too_much():
    assert compared(5000, stated=3.0, noise=0.0).coverage > 0.97


def test_r_squared_is_that_of_its_definition():
    rng = np.random.default_rng(2)
    rewards = 1e6 + rng.standard_normal(200)
    means = rewards + 0.5 * rng.standard_normal(200)
    calibration = kb.Calibration()
    calibration.compare(means, np.full(200, np.nan), rewards)
    weights = (1.0 - 1.0 / 500.0) ** np.arange(199, -1, -1)
    level = np.average(rewards, weights=weights)
    expected = 1.0 - np.average((rewards - means) ** 2, weights=weights) / np.average(
        (rewards - level) ** 2, weights=weights
    )
    assert calibration.explained == pytest.approx(expected, rel=1e-6)


def test_without_predictions_there_are_no_figures():
    calibration = kb.Calibration()
    calibration.compare(np.full(9, np.nan), np.full(9, np.nan), np.ones(9))
    assert calibration.n == 0
    assert {*json.loads(json.dumps(calibration.to_dict())).values()} == {0, None}


def test_the_error_of_the_bias_is_the_deviation_of_errors_over_the_root_of_their_weight():
    errors = 3.0 + np.random.default_rng(3).standard_normal(200)
    calibration = kb.Calibration()
    calibration.compare(np.zeros(200), np.zeros(200), errors)
    weights = (1.0 - 1.0 / 500.0) ** np.arange(199, -1, -1)
    spread = np.average((errors - np.average(errors, weights=weights)) ** 2, weights=weights)
    assert calibration.bias_error == pytest.approx(np.sqrt(spread / weights.sum()))
