"""Follows the rewards of independent arms with estimated components, and notices when these no longer explain them."""

from __future__ import annotations

from math import inf, sqrt
from typing import final

import numpy as np

from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.base import LearningTracker, Prefetched
from kernelbandits.beliefs.estimation import clipped, clipped_first, next_estimate
from kernelbandits.beliefs.evidence import OFFSETS, PRIOR_REWARDS, Components, best_components
from kernelbandits.beliefs.followed_levels import ENOUGH, FollowedLevels
from kernelbandits.beliefs.independent_arms import ArmsTracker
from kernelbandits.beliefs.levels import rounding
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess
from kernelbandits.types import Array, IntArray

_MOST = 200
_SURPRISE = 9.0  # a squared standardised innovation counts as at most this much in the amplitude
_UNEXPLAINED = 10.0  # nats by which rewards were less likely than expected, before components are estimated again
_SOONEST = 1.02  # and the least growth of the number of rewards


@final
class CalibratedTracker(LearningTracker):
    """The tracker of `EmpiricalBayes`.

    Between estimates the squared amplitude is the mean of squared standardised innovations and the prior; none counts
    as more than nine. What is beyond is added up, less what is expected: if rewards were less likely than expected by
    a factor of e¹⁰, the components are estimated again. Estimates at milestones fall due as if that had not been, so
    what is known there depends on the rewards alone.
    """

    _components: Components
    _arms: ArmsTracker | None

    def __init__(self, problem: Problem, window: int | None, clip: float | None) -> None:
        self._window, self._clip = window, clip
        self._data = ArmData(problem.n_arms, problem.dim)
        self._seen = self._last_estimate = 0
        self._next_estimate = max(2, problem.n_arms)
        self._levels = FollowedLevels(problem.n_arms, float(OFFSETS[-1]))
        self._block: Prefetched | None = None
        self._arms = None
        self._square = self._sum = self._unexplained = 0.0
        self._ones: list[Array] = []
        self._told = np.zeros(0)

    @property
    def counts(self) -> IntArray:
        return self._data.counts

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        if self._arms is None:  # too few rewards to estimate anything: all arms are alike
            return np.zeros(len(contexts)), np.ones(len(contexts))
        mean, std = self._arms.mean_and_std(contexts)
        mean += self._levels.levels
        std *= sqrt(self._square)
        if self._levels.doubt is not None:
            std = np.sqrt(std * std + self._levels.doubt)
        return mean, std

    def learnable(self) -> tuple[Array, float]:
        if self._arms is None:
            return np.ones(len(self._data.counts)), 1.0
        _, ridge, shared, reach, _ = self._components
        least = ridge / (self._data.counts + ridge / shared)  # of contexts that tell all of the level
        variances: Array = self._square * np.maximum(shared - shared**2 * self._told, least)
        return variances if self._levels.doubt is None else variances + self._levels.doubt, reach

    def observe(self, context: Array, arm: int, reward: float) -> None:
        arms = self._arms
        if arms is not None and self._clip is not None:
            reward = clipped(reward, *self._prediction(arms, context, arm, self._clip))
        self._data.add(context, arm, reward)
        self._seen += 1
        if self._seen >= self._next_estimate:
            self._estimate()
            self._next_estimate = next_estimate(self._seen, self._window)
        elif arms is not None:
            self._follow(arms, context, arm, reward)
            if self._unexplained > _UNEXPLAINED and self._seen > _SOONEST * self._last_estimate:
                self._estimate()

    def _follow(self, arms: ArmsTracker, context: Array, arm: int, reward: float) -> None:
        if self._data.counts[arm] <= ENOUGH:
            self._levels.observe(arm, self._data, arms.functions)
        arms.observe(context, arm, reward - self._levels.levels.item(arm))
        posterior = arms.posteriors[arm]
        n, last = posterior.n, posterior.last
        assert last is not None
        one = (1.0 - float(last.row[: n - 1] @ self._ones[arm])) / last.pivot
        self._ones[arm] = np.append(self._ones[arm], one)
        self._told[arm] += one * one
        innovation = posterior.whitened_targets.item(n - 1) ** 2
        surprise = innovation / self._square if self._square else inf if innovation else 1.0
        self._unexplained = max(0.0, self._unexplained + 0.5 * (surprise - 1.0))
        self._sum += min(innovation, _SURPRISE * self._square)
        self._square = self._amplitude()

    def _amplitude(self) -> float:
        """s²: its mean given the prior and the squared innovations so far."""
        n = PRIOR_REWARDS + len(self._data)
        return (PRIOR_REWARDS * self._components.prior + self._sum) / n

    def _prediction(self, arms: ArmsTracker, context: Array, arm: int, clip: float) -> tuple[float, float]:
        """Mean of a reward of this arm, and `clip` standard deviations of it, noise included."""
        outlook = arms.outlook(context, arm)
        variance = self._square * (max(outlook.variance, 0.0) + self._components.ridge)
        if self._levels.doubt is not None:
            variance += self._levels.doubt.item(arm)
        return outlook.mean + self._levels.levels.item(arm), clip * sqrt(variance)

    def _estimate(self) -> None:
        """Estimate anew and fit the posteriors to all rewards in the window."""
        clip, data = self._clip, self._data
        if self._arms is None and clip is not None:
            data.change(lambda rewards: clipped_first(rewards, clip))
        if self._window is not None:
            data.keep(self._window)
        n_arms = len(data.counts)
        levels = self._levels.estimate(data, np.arange(n_arms)).levels
        some = [(arm, *data.thinned(arm, _MOST)) for arm in data.played]
        self._components = best_components([(X, y - levels[arm]) for arm, X, y in some], self._variance(levels))
        model = GaussianProcess(self._components.kernel, self._components.ridge)
        prior = model.without_data(data.dim)
        posteriors = [prior] * n_arms
        for arm in data.played:
            X, y = data.of(arm)
            posteriors[arm] = model._fit(X, y - levels[arm])
        self._arms = ArmsTracker(posteriors, prior)
        self._arms.prefetch(self._block)
        self._sum = float(sum(np.sum(p.whitened_targets[: p.n] ** 2) for p in posteriors))
        self._ones = [p.factor.whiten(np.ones(p.n)) if p.n else np.zeros(0) for p in posteriors]
        self._told = np.array([ones @ ones for ones in self._ones])
        self._square, self._unexplained, self._last_estimate = self._amplitude(), 0.0, self._seen

    def _variance(self, levels: Array) -> float:
        """The variance of rewards less levels. Where it is nothing but rounding, the variance of the levels."""
        rewards = self._data.rewards
        variance = float(np.var(np.concatenate([y - level for y, level in zip(rewards, levels, strict=True)])))
        largest = max(float(np.abs(y).max(initial=0.0)) for y in rewards)
        return variance if variance > rounding(largest) ** 2 else self._levels.between**2

    def prefetch(self, block: Prefetched | None) -> None:
        self._block = block
        if self._arms is not None:
            self._arms.prefetch(block)

    def add_arm(self, problem: Problem) -> None:
        self._block = None
        self._data.add_arm()
        if self._arms is None:
            self._next_estimate = max(2, problem.n_arms)
            self._levels = FollowedLevels(problem.n_arms, float(OFFSETS[-1]))
        else:
            self._arms.add_arm(problem)
            self._levels.add_arm(self._data, self._arms.functions)
            self._ones.append(np.zeros(0))
            self._told = np.append(self._told, 0.0)
