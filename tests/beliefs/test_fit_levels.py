"""Levels before a fit: drawn toward the median, equivariant, and those of a sample without each reward."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.beliefs import arm_levels
from kernelbandits.beliefs.levels import _left_out, _median_with, fit_levels, left_out_levels

rng = np.random.default_rng(0)
SAMPLES = [rng.normal(mean, 0.3, n) for mean, n in ((0.0, 3), (1.0, 4), (5.0, 6))]
UNITS = [(3.0, 100.0), (1e-6, 0.0), (1e4, -1e7)]


@pytest.mark.parametrize(("scale", "shift"), UNITS)
def test_shift_and_scale_of_the_rewards_are_those_of_the_levels(scale, shift):
    other = [scale * y + shift for y in SAMPLES]
    np.testing.assert_allclose(fit_levels(other), scale * fit_levels(SAMPLES) + shift, rtol=1e-9)
    for ours, theirs in zip(left_out_levels(SAMPLES), left_out_levels(other), strict=True):
        np.testing.assert_allclose(theirs, scale * ours + shift, rtol=1e-9)


def test_two_thirds_toward_the_median_but_two_deviations_at_most():
    found = arm_levels(SAMPLES)
    levels, median = fit_levels(SAMPLES), found.levels[1]
    assert levels[1] == median
    assert levels[0] == pytest.approx(found.levels[0] + min(2.0 / 3.0 * (median - found.levels[0]), 2.0 * found.within))
    assert levels[2] == pytest.approx(found.levels[2] - 2.0 * found.within)
    near = [y - y.mean() + mean for y, mean in zip(SAMPLES, (0.0, 0.3, 0.6), strict=True)]
    close = arm_levels(near).levels
    np.testing.assert_allclose(fit_levels(near), close - 2.0 / 3.0 * (close - np.median(close)))


@pytest.mark.parametrize("far", [-300.0, 1e6])
def test_an_arm_far_from_the_others_does_not_move_them(far):
    near = [rng.normal(0.0, 1.0, 8) for _ in range(3)]
    levels = fit_levels([*near, near[0] + far])
    assert np.abs(levels[:3] - fit_levels(near)).max() < 1.0
    assert abs(levels[3] - far) < 4.0


def test_without_each_reward_it_is_nearly_the_level_of_the_others():
    """Up to the median and the variances, which are those of all."""
    for arm, levels in enumerate(left_out_levels(SAMPLES)):
        for j, level in enumerate(levels):
            others = [np.delete(y, j) if i == arm else y for i, y in enumerate(SAMPLES)]
            assert level == pytest.approx(fit_levels(others)[arm], abs=0.15)
            changed = [y.copy() for y in SAMPLES]
            changed[arm][j] += 0.01
            assert left_out_levels(changed)[arm][j] == pytest.approx(level, abs=0.005), "its own reward hardly matters"


@pytest.mark.parametrize("apart", [0.0, 0.2, 5.0])
def test_levels_without_each_reward_are_the_best_linear_predictions_from_the_others(apart):
    """With the variances of all rewards: weights 1/(τ² + σ²/n), and an arm's mean drawn toward that of all arms."""
    samples = [np.random.default_rng(i).normal(apart * i, 0.3, n) for i, n in enumerate((2, 4, 7))]
    found = arm_levels(samples)
    for arm, levels in enumerate(_left_out(samples, found)):
        for j, level in enumerate(levels):
            others = [np.delete(y, j) if i == arm else y for i, y in enumerate(samples)]
            means = np.array([y.mean() for y in others])
            weights = 1.0 / (found.between**2 + found.within**2 / np.array([len(y) for y in others]))
            center = weights @ means / weights.sum()
            assert level == pytest.approx(center + found.between**2 * weights[arm] * (means[arm] - center), rel=1e-9)


@pytest.mark.parametrize("n", range(6))
def test_the_median_of_the_others_and_one_value(n):
    others, values = rng.standard_normal(n), rng.standard_normal(20)
    expected = [np.median([*others, value]) for value in values]
    np.testing.assert_allclose(_median_with(values, others), expected, rtol=1e-12)


def test_the_mean_of_an_arm_without_each_reward_if_arms_differ_much():
    samples = [1000.0 * i + y for i, y in enumerate(SAMPLES)]
    limit = 2.0 * arm_levels(samples).within
    means = np.array([np.delete(samples[2], j).mean() for j in range(6)])
    np.testing.assert_allclose(left_out_levels(samples)[2], means - limit, rtol=1e-6)


def test_nothing_known_and_nothing_varying():
    assert fit_levels([np.zeros(0)] * 2).tolist() == [0.0, 0.0]
    assert fit_levels([np.full(2, 0.1), np.zeros(0)]).tolist() == [0.1, 0.1]
    np.testing.assert_allclose(fit_levels([np.full(3, 0.1), np.full(2, 0.7)]), [0.1, 0.7])
    np.testing.assert_allclose(np.concatenate(left_out_levels([np.full(3, 0.1), np.full(2, 0.1)])), 0.1)


def test_as_given_there_is_no_level():
    assert kb.AsGiven().levels(SAMPLES).tolist() == [0.0] * 3
    assert [levels.tolist() for levels in kb.AsGiven().left_out_levels(SAMPLES)] == [[0.0] * len(y) for y in SAMPLES]
    np.testing.assert_array_equal(kb.Standardized().levels(SAMPLES), fit_levels(SAMPLES))
