"""Greedy play on interpolators that grow with each reward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs import IndependentArms
from kernelbandits.kernels import Gaussian
from kernelbandits.policies.base import Policy
from kernelbandits.policies.believing_learner import BelievingLearner
from kernelbandits.policies.decisions import Choice
from kernelbandits.policies.learner import Learner
from kernelbandits.policies.selection import pick_best
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess
from kernelbandits.specs import Count
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class GreedyInterpolation(Policy):
    """Gives every arm `n_initial` turns, then always plays the arm with the largest interpolated reward.

    `ExploreThenCommit` ignores the rewards after its commitment; here each of them still improves the arm that was
    played. Nothing is explored on purpose: where contexts vary, arms that looked poor are played again as soon as a
    context favours them. Where contexts do not vary, an arm may be given up for good.

    The interpolator is the mean of `model` with a ridge so small that it matters for repeated contexts only, whose
    rewards are then averaged. The constant in the default kernel lets an arm's level be learned from few rewards.

    The choice is certain given the past, so its propensity is 1 (ties apart).

    Cost with n rewards per arm: O(n² + n d) per reward, O(K (n² + n d)) per decision, less with prefetched contexts.

    Reference: Bastani, Bayati & Khosravi 2021, on greedy play under varying contexts; here with the paper's estimator.

    >>> agent = GreedyInterpolation(n_initial=1).start(Problem(n_arms=2, dim=50), rng=0)
    >>> for arm in (0, 1):
    ...     agent.observe(np.ones(50), agent.choose(np.ones(50)).arm, reward=float(arm))
    >>> agent.choose(np.ones(50)).arm
    1
    """

    model: GaussianProcess = GaussianProcess(Gaussian(gamma=4.0) + 1.0, ridge=1e-8)
    n_initial: Count = 2

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        return BelievingLearner(IndependentArms(self.model).start(problem), _greedily, self.n_initial, problem, rng)


def _greedily(mean: Array, std: Array, eligible: BoolArray | None, rng: np.random.Generator) -> Choice:
    return pick_best(mean, eligible, rng)
