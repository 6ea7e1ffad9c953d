"""Levels of arms: shrinkage toward the mean, equivariance, and rewards that are equal."""

import numpy as np
import pytest

from kernelbandits.beliefs import arm_levels
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.followed_levels import FollowedLevels
from kernelbandits.beliefs.levels import function_levels


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


def test_levels_are_the_best_linear_predictions_of_the_mixed_model() -> None:
    """By one generalised least-squares solve over all rewards, with variances by moments."""
    rng = np.random.default_rng(5)
    rewards = [level + rng.standard_normal(n) for level, n in zip((0.0, 3.0, -2.0, 1.0), (2, 9, 1, 5), strict=True)]
    y, arms = np.concatenate(rewards), np.repeat(np.arange(4), [2, 9, 1, 5])
    Z = np.eye(4)[arms]
    counts, means = Z.sum(axis=0), (Z.T @ y) / Z.sum(axis=0)
    variance = np.sum((y - Z @ means) ** 2) / (17 - 4)
    between = (counts @ (means - y.mean()) ** 2 - 3 * variance) / (17 - counts @ counts / 17)
    V = np.linalg.inv(between * Z @ Z.T + variance * np.eye(17))
    center = V.sum(axis=0) @ y / V.sum()
    found = arm_levels([*rewards, np.zeros(0)])
    assert found.within**2 == pytest.approx(variance)
    assert found.between**2 == pytest.approx(between)
    assert found.center == pytest.approx(center)
    assert found.levels == pytest.approx([*(center + between * Z.T @ V @ (y - center)), center])


def test_arms_with_one_function_count_as_one() -> None:
    rng = np.random.default_rng(6)
    first, second, third = rng.standard_normal(4), rng.standard_normal(3) + 5.0, rng.standard_normal(6) - 5.0
    found = function_levels([first, third, second, np.zeros(0)], np.array([0, 1, 0, 1]))
    pooled = arm_levels([np.sort(np.concatenate([first, second])), np.sort(third)])
    assert np.array_equal(found.levels, pooled.levels[[0, 1, 0, 1]])
    assert found[1:] == pooled[1:]


def test_one_reward_tells_a_level_as_well_as_rewards_vary_within_arms() -> None:
    """Many rewards that hardly vary within arms: one of an arm is nearly its level. Few: they may yet vary."""
    rng = np.random.default_rng(5)
    few, many = (
        arm_levels([np.array([5.0]), 1.0 + 0.01 * rng.standard_normal(n), 0.01 * rng.standard_normal(n)])
        for n in (2, 1000)
    )
    assert many.single < 0.15 < 0.5 < few.single < few.between
    beyond = many.beyond(1.0)
    assert beyond.single / many.single == pytest.approx(beyond.between / many.between)


def test_doubt_ends_with_the_second_reward() -> None:
    data, functions = ArmData(3, 1), np.arange(3)
    for arm, reward in ((0, 0.0), (0, 0.1), (0, -0.1), (0, 0.05), (1, 9.0)):
        data.add(np.zeros(1), arm, reward)
    levels = FollowedLevels(3, 1.0)
    levels.estimate(data, functions)
    none, one, unknown = levels.doubt
    assert none == 0.0 < one < unknown == levels.between**2
    data.add(np.zeros(1), 2, 4.0)
    levels.observe(2, data, functions)
    assert levels.doubt[1] == one and 0.0 < levels.doubt[2] < unknown  # noqa: PT018
    for arm in (1, 2):
        data.add(np.zeros(1), arm, 4.0)
        levels.observe(arm, data, functions)
    assert levels.doubt is None


def test_without_an_offset_one_reward_tells_nothing() -> None:
    data, functions = ArmData(2, 1), np.arange(2)
    for arm, reward in ((0, 0.0), (0, 0.1), (0, -0.1), (1, 9.0)):
        data.add(np.zeros(1), arm, reward)
    levels = FollowedLevels(2)
    levels.estimate(data, functions)
    assert levels.doubt[1] == levels.between**2


def test_the_level_of_one_reward_is_as_uncertain_as_by_the_variance_within_arms() -> None:
    """τ²v/(τ² + v), where v is the variance within arms, drawn toward that of all rewards as by three rewards."""
    rewards = [np.array([5.0]), np.array([0.0, 2.0, 1.0]), np.array([-3.0, -1.0])]
    found, total = arm_levels(rewards), np.var(np.concatenate(rewards))
    v = (3.0 * total + 3.0 * found.within**2) / 6.0  # six rewards of three arms leave three degrees of freedom
    assert found.single**2 == pytest.approx(found.between**2 * v / (found.between**2 + v))
