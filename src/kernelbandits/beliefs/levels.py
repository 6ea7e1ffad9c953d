"""Levels of arms: what each arm pays on average, estimated from all arms together."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from kernelbandits.linalg import EPS
from kernelbandits.types import Array, IntArray

_EXPECTED = 3.0  # standard deviations
_PRIOR_REWARDS = 3.0
_LEFT, _MOST = 2.0 / 3.0, 2.0  # the part of a level's distance from the median, and the most deviations, left to fits


class ArmLevels(NamedTuple):
    """Levels μᵢ of the rewards of K arms, shape (K,), and what surrounds them.

    Attributes:
        levels: estimate of every arm's mean reward; of an arm without rewards, the mean `center` of the levels.
        center: mean of the levels.
        between: standard deviation τ of the levels between arms.
        within: standard deviation of rewards around the mean of their arm. If no arm has two rewards, of all rewards.
        single: standard deviation of the level of an arm with one reward. For it, `within` has the prior that the
            rewards of an arm vary like those of all arms together, which counts as much as three rewards.

    """

    levels: Array
    center: float
    between: float
    within: float
    single: float = 0.0

    def beyond(self, offset: float) -> ArmLevels:
        """What is left of the levels by a prior in which they vary around their mean with variance offset · within².

        If they vary by more than three of its standard deviations, they are drawn toward `center` so far that what is
        left for the prior varies by three. Otherwise all of them are `center`.
        """
        accounted = _EXPECTED * sqrt(offset) * self.within
        share = 1.0 - accounted / self.between if self.between > accounted else 0.0
        levels = self.center + share * (self.levels - self.center)
        return ArmLevels(levels, self.center, share * self.between, self.within, share * self.single)


def rounding(largest: float) -> float:
    """The size of differences between rewards that rounding may have made; `largest` is the largest of them."""
    return 8.0 * EPS * largest


def arm_levels(rewards: Sequence[Array]) -> ArmLevels:
    """The best linear predictions of arm means in yᵢⱼ = μᵢ + εᵢⱼ, μᵢ ~ (μ, τ²), εᵢⱼ ~ (0, σ²), by moments.

    An arm's mean is drawn toward that of all arms by σ²/(σ² + nᵢτ²): arms that pay alike share their level, and one
    that pays very differently changes no other. Shift and scale of the rewards shift and scale the answer. Rewards
    that are equal up to rounding have `within` 0.

    `rewards` has one array of shape (nᵢ,) per arm, with nᵢ = 0 for an arm that was not played. Reference: the
    method-of-moments estimate of variance components, DerSimonian & Laird 1986.

    >>> arm_levels([np.array([1.0, 3.0]), np.array([101.0, 103.0]), np.array([])]).levels.round(1)
    array([  2., 102.,  52.])
    """
    played = [arm for arm, each in enumerate(rewards) if len(each)]
    if not played:
        return ArmLevels(np.zeros(len(rewards)), 0.0, 0.0, 0.0)
    together = np.concatenate([rewards[arm] for arm in played])
    origin = float(together.min())  # so that equal rewards have differences of exactly 0
    negligible = rounding(float(np.abs(together).max())) ** 2  # squared differences that rounding makes
    counts = np.array([len(rewards[arm]) for arm in played], dtype=np.float64)
    means = np.array([(rewards[arm] - origin).mean() for arm in played])
    n, n_played, mean = counts.sum(), len(played), (together - origin).mean()
    if n == n_played:  # one reward per arm: nothing tells levels from noise, so all of it is taken as noise
        variance = float(np.var(together - origin)) * n / max(n - 1.0, 1.0)
        variance = variance if variance > negligible else 0.0
        center, between, shares = mean, 0.0, np.zeros(n_played)
    else:
        deviations = [rewards[arm] - origin - level for arm, level in zip(played, means, strict=True)]
        variance = float(sum(each @ each for each in deviations)) / (n - n_played)
        excess = float(counts @ (means - mean) ** 2) - (n_played - 1) * variance
        between = max(excess, 0.0) / (n - float(counts @ counts) / n) if n_played > 1 else 0.0
        between, variance = (part if part > negligible else 0.0 for part in (between, variance))
        shares = between / (between + variance / counts) if between else np.zeros(n_played)
        weights = 1.0 / (between + variance / counts) if between + variance else counts
        center = weights @ means / weights.sum()
    levels = np.full(len(rewards), origin + center)
    levels[played] += shares * (means - center)
    free, total = n - n_played, float(np.var(together - origin))
    apart = (_PRIOR_REWARDS * total + free * variance) / (_PRIOR_REWARDS + free)
    single = between * (apart / (between + apart)) if between else 0.0
    return ArmLevels(levels, float(origin + center), sqrt(between), sqrt(variance), sqrt(single))


def function_levels(rewards: Sequence[Array], functions: IntArray) -> ArmLevels:
    """`arm_levels` where arms with one reward function count as one arm: they differ by their contexts alone.

    `functions` has the number of each arm's reward function, shape (K,): arms with one function have one number.
    """
    numbers, members = np.unique(functions, return_inverse=True)
    if len(numbers) == len(functions):
        return arm_levels(rewards)
    together = [
        np.concatenate([each for each, function in zip(rewards, functions, strict=True) if function == number])
        for number in numbers
    ]
    found = arm_levels([np.sort(each) for each in together])
    return found._replace(levels=found.levels[members])


def fit_levels(rewards: Sequence[Array]) -> Array:
    """Levels to take away from the rewards of K arms before a model is fitted to each arm, shape (K,).

    With mᵢ the levels of `arm_levels`, m their median and s the deviation of rewards within arms, the level of an arm
    is mᵢ − rᵢ: what is left to the model is rᵢ = ±min(⅔ |mᵢ − m|, 2s), so that the level lies between mᵢ and m. For a
    model draws uncertain predictions toward the level, so these are drawn toward those of the other arms: where arms
    are alike that is right, and on the paper's designs the regret of Explore-then-Commit is up to 15 % less than with
    all of mᵢ taken away. An arm far from the others keeps its own level and does not move the median.

    `rewards` has one array of shape (nᵢ,) per arm; the level is the median for nᵢ = 0.
    """
    played = [arm for arm, each in enumerate(rewards) if len(each)]
    found = arm_levels([rewards[arm] for arm in played])
    median = float(np.median(found.levels)) if played else 0.0
    levels = np.full(len(rewards), median)
    levels[played] = _toward(median, found.levels, found.within)
    return levels


def left_out_levels(rewards: Sequence[Array]) -> list[Array]:
    """`fit_levels` without each of the rewards of its arm, shapes (nᵢ,); every nᵢ is at least 2.

    Variances, and the levels of the other arms, are those of all rewards, so that it costs O(n) for n rewards in all.
    """
    found = arm_levels(rewards)
    return [
        _toward(_median_with(levels, np.delete(found.levels, arm)), levels, found.within)
        for arm, levels in enumerate(_left_out(rewards, found))
    ]


def _toward(median: Array | float, levels: Array, within: float) -> Array:
    """Levels drawn toward the median, by two thirds of the way, but at most two standard deviations."""
    apart = levels - median
    drawn: Array = levels - np.sign(apart) * np.minimum(_LEFT * np.abs(apart), _MOST * within)
    return drawn


def _median_with(values: Array, others: Array) -> Array:
    """The median of the others and one value, for each of the values."""
    middle, odd = divmod(len(others), 2)
    ordered = np.concatenate([[-np.inf], np.sort(others), [np.inf]])
    if not odd:
        return values.clip(ordered[middle], ordered[middle + 1])
    median: Array = 0.5 * (ordered[middle + 1] + values.clip(ordered[middle], ordered[middle + 2]))
    return median


def _left_out(rewards: Sequence[Array], found: ArmLevels) -> list[Array]:
    """`ArmLevels.levels` without each reward; the variances are those of all rewards."""
    counts = np.array([len(each) for each in rewards], dtype=np.float64)
    means = np.array([(each - found.center).mean() for each in rewards])  # from the centre, which may be far from 0
    weights, fewer = _weights(counts, found), _weights(counts - 1.0, found)
    left = []
    for arm, each in enumerate(rewards):
        n, weight = counts[arm], fewer[arm]
        without = (n * means[arm] - (each - found.center)) / (n - 1.0)
        others = weights @ means - weights[arm] * means[arm]
        center = (others + weight * without) / (weights.sum() - weights[arm] + weight)
        own = found.between**2 * weight if found.between else 0.0
        left.append(found.center + center + own * (without - center))
    return left


def _weights(counts: Array, found: ArmLevels) -> Array:
    """Weights of the means of arms with these counts in the mean of the levels: 1/(τ² + σ²/n), or n if both are 0."""
    if not (found.between or found.within):
        return counts
    return 1.0 / (found.between**2 + found.within**2 / counts)
