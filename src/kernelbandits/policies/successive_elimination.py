"""Explore-then-Commit that stops exploring one arm after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.kernels import Gaussian
from kernelbandits.policies.base import Policy
from kernelbandits.policies.commitment_value import chances
from kernelbandits.policies.exploring_learner import ExploringLearner, usable_cap
from kernelbandits.policies.learner import Learner
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess
from kernelbandits.specs import Count, Probability
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class SuccessiveElimination(Policy):
    """`AdaptiveExploreThenCommit` that explores only arms that may be the best.

    After three turns, and after every further turn, each arm's chance to have the largest reward of a round is
    estimated over all rounds that past draws can form. An arm whose chance is below `share` of the leader's has no
    turns while that is so. It is not given up: its interpolator stays, and after the commitment it is played wherever a
    context favours it. Turns end when another one would cost more than it saves: a leader without contenders has turns
    until predictions do better than always playing it. In total they take at most `cap` rounds; None is half of the
    horizon.

    Most arms are far from the best, and the paper's exploration pays for knowing them better. After the commitment no
    rewards are needed; where they keep coming, `ThompsonSampling` does better.

    Turns and commitment are certain given the past: propensities are 1, ties apart. Cost: that of
    `AdaptiveExploreThenCommit`. Reference: Even-Dar, Mannor & Mansour 2006, for arms without contexts.

    >>> agent = SuccessiveElimination().start(Problem(n_arms=20, dim=100, horizon=2000), rng=0)
    >>> agent.choose(np.zeros((20, 100))).explored
    True
    """

    model: GaussianProcess = GaussianProcess(Gaussian(gamma=4.0), ridge=1e-8)
    share: Probability = 0.05
    cap: Count | None = None

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        cap = usable_cap("SuccessiveElimination", self.cap, problem.n_arms)
        return ExploringLearner(self.model, self._contenders, cap, problem, rng)

    def _contenders(self, rewards: Sequence[Array]) -> BoolArray:
        chance = chances(rewards)
        return np.asarray(chance >= self.share * chance.max())
