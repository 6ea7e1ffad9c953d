"""Levels of arms: shrinkage toward the mean, equivariance, and rewards that are equal."""

import numpy as np
import pytest

from kernelbandits.beliefs import arm_levels


def _rewards(seed: int, levels: list[float], n: int = 6) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [level + rng.standard_normal(n) for level in levels]


def test_one_distant_arm_changes_no_other() -> None:
    rewards = _rewards(0, [0.0, 0.5, -3e4])
    levels = arm_levels(rewards).levels
    assert levels == pytest.approx([each.mean() for each in rewards], abs=1e-4)


def test_arms_that_pay_alike_share_their_level() -> None:
    near = [arm_levels(_rewards(seed, [2.0] * 8, n=3)) for seed in range(20)]
    means = [[each.mean() for each in _rewards(seed, [2.0] * 8, n=3)] for seed in range(20)]
    assert np.mean([np.ptp(found.levels) for found in near]) < 0.4 * np.mean([np.ptp(each) for each in means])


def test_components_are_those_of_the_model() -> None:
    rng = np.random.default_rng(1)
    found = [arm_levels(_rewards(seed, list(10.0 + 3.0 * rng.standard_normal(30)), n=5)) for seed in range(30)]
    assert np.mean([each.between**2 for each in found]) == pytest.approx(9.0, rel=0.1)
    assert np.mean([each.within**2 for each in found]) == pytest.approx(1.0, rel=0.05)
    assert np.mean([each.center for each in found]) == pytest.approx(10.0, abs=0.3)


@pytest.mark.parametrize(("scale", "shift"), [(1e4, 100.0), (1e-6, 0.0), (1.0, 1e10)])
def test_shift_and_scale_of_rewards(scale: float, shift: float) -> None:
    rewards = [np.round(each, 3) for each in _rewards(2, [0.0, 1.0, 4.0])]
    plain, moved = arm_levels(rewards), arm_levels([scale * each + shift for each in rewards])
    rounding = 1e-15 * shift / scale
    assert (moved.levels - shift) / scale == pytest.approx(plain.levels, abs=1e-12 + 8 * rounding)
    assert moved.within / scale == pytest.approx(plain.within, rel=1e-9 + 8 * rounding)
    assert moved.between / scale == pytest.approx(plain.between, rel=1e-9 + 8 * rounding)


@pytest.mark.parametrize("value", [0.1, 0.7, -1e10 / 3, 0.0])
def test_equal_rewards_have_no_spread(value: float) -> None:
    found = arm_levels([np.full(3, value), np.full(7, value), np.zeros(0)])
    assert found.within == found.between == 0.0
    assert np.array_equal(found.levels, np.full(3, value))


def test_arms_without_rewards() -> None:
    assert np.array_equal(arm_levels([np.zeros(0)] * 3).levels, np.zeros(3))
    found = arm_levels([np.array([1.0]), np.array([5.0]), np.zeros(0)])
    assert np.array_equal(found.levels, np.full(3, 3.0))
    assert found.within == pytest.approx(np.sqrt(8.0))
