"""GP-UCB with one posterior per arm: the paper's CGP-UCB (after Krause & Ong 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs import IndependentArms, Prefetched, Tracker
from kernelbandits.errors import MissingKnowledge
from kernelbandits.policies.base import Policy
from kernelbandits.policies.believing_learner import BelievingLearner
from kernelbandits.policies.learner import Learner
from kernelbandits.policies.selection import pick_optimistic
from kernelbandits.policies.widths import TheoreticalWidth, Width
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True)
class GPUCB(Policy):
    """Plays the arm with the largest mean + β · std of its Gaussian-process posterior.

    Cost per round with n observations per arm: O(n² + n d) for the posterior of the played arm, O(K (n² + n d)) for the
    scores; with prefetched contexts the scores cost O(B (n + d)) for the block's B rounds.

    >>> policy = GPUCB(GaussianProcess(Gaussian(gamma=4.0), ridge=1.0), ConstantWidth(2.0))
    """

    model: GaussianProcess
    width: Width = TheoreticalWidth()

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        return BelievingLearner(_BonusTracker(self, problem), pick_optimistic, 0, problem, rng)


@final
class _BonusTracker(Tracker):
    """Means and bonuses β · std of independent arms. β of an arm changes only with its own rewards."""

    __slots__ = ("_arms", "_beta", "_policy", "_problem")

    def __init__(self, policy: GPUCB, problem: Problem) -> None:
        self._policy = policy
        self._problem = problem
        self._arms = IndependentArms(policy.model).start(problem)
        self._beta = np.array([policy.width.of(arm, p, problem) for arm, p in enumerate(self._arms.posteriors)])

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        mean, std = self._arms.mean_and_std(contexts)
        std *= self._beta
        return mean, std

    def observe(self, context: Array, arm: int, reward: float) -> None:
        self._arms.observe(context, arm, reward)
        self._beta[arm] = self._policy.width.of(arm, self._arms.posteriors[arm], self._problem)

    def add_arm(self, problem: Problem) -> None:
        width, prior = self._policy.width, self._policy.model.without_data(problem.dim)
        try:
            beta = [width.of(arm, p, problem) for arm, p in enumerate([*self._arms.posteriors, prior])]
        except MissingKnowledge as error:
            raise MissingKnowledge(
                f"GPUCB cannot add an arm: {type(width).__name__} needs the RKHS norm of every arm; "
                "start a new agent with all norms, or use ConstantWidth(…)"
            ) from error
        self._beta, self._problem = np.array(beta), problem
        self._arms.add_arm(problem)

    def prefetch(self, block: Prefetched | None) -> None:
        self._arms.prefetch(block)
