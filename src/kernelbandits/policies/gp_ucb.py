"""GP-UCB with one posterior an arm: the paper's CGP-UCB (after Krause & Ong 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs import IndependentArms
from kernelbandits.errors import MissingKnowledge
from kernelbandits.policies.base import Choice, Learner, Policy
from kernelbandits.policies.choosing import pick_optimistic
from kernelbandits.policies.widths import TheoreticalWidth, Width
from kernelbandits.problem import Problem
from kernelbandits.regression.gaussian_process import GaussianProcess
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class GPUCB(Policy):
    """Plays the arm with the largest mean + β · std of its Gaussian-process posterior.

    Cost per round with n observations an arm: O(n² + n d) for the posterior of the played arm, O(K (n² + n d)) for the
    scores; with prefetched contexts the scores cost O(B (n + d)) for the block's B rounds.

    >>> policy = GPUCB(GaussianProcess(Gaussian(gamma=4.0), ridge=1.0), ConstantWidth(2.0))
    """

    model: GaussianProcess
    width: Width = TheoreticalWidth()

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        return _GPUCBLearner(self.model, self.width, problem, rng)


@final
class _GPUCBLearner(Learner):
    def __init__(self, model: GaussianProcess, width: Width, problem: Problem, rng: np.random.Generator) -> None:
        self._width = width
        self._problem = problem
        self._rng = rng
        self._prior = model.without_data(problem.dim)
        self._arms = IndependentArms(model).start(problem)
        self._beta = np.array([width.of(arm, p, problem) for arm, p in enumerate(self._arms.posteriors)])

    def decide(self, contexts: Array, eligible: BoolArray | None, row: int | None) -> Choice:
        mean, std = self._arms.mean_and_std(contexts, row)
        return pick_optimistic(mean, self._beta * std, eligible, self._rng)

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        self._arms.learn(context, arm, reward, row)
        self._beta[arm] = self._width.of(arm, self._arms.posteriors[arm], self._problem)

    def add_arm(self, problem: Problem) -> None:
        posteriors = self._arms.posteriors
        try:
            self._beta = np.array([self._width.of(arm, p, problem) for arm, p in enumerate([*posteriors, self._prior])])
        except MissingKnowledge as error:
            raise MissingKnowledge(
                f"GPUCB cannot take on another arm: {type(self._width).__name__} needs the RKHS norm of every arm; "
                "start a new agent with all norms, or use ConstantWidth(…)"
            ) from error
        self._problem = problem
        self._arms.add_arm()

    def look_ahead(self, contexts: Array | None) -> None:
        self._arms.look_ahead(contexts)
