"""Baselines: playing at random, and knowing the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.errors import MissingKnowledge
from kernelbandits.policies.agent import Policy
from kernelbandits.policies.learner import Choice, Learner, Scores
from kernelbandits.policies.selection import best_shares, mask_scores, pick_best
from kernelbandits.problem import Problem
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class Uniform(Policy):
    """Plays each of m eligible arms with probability p = 1/m. A policy that does worse has a fault.

    >>> agent = Uniform().start(Problem(n_arms=4, dim=2), rng=0)
    >>> agent.choose([1.0, 2.0]).propensity
    0.25

    See also `default_policy`, `ExplorationFloor`, `Oracle`, `SupKernelUCB`.
    """

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        return _UniformLearner(rng)


@final
@dataclass(slots=True, eq=False)
class _UniformLearner(Learner):
    rng: np.random.Generator

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        scores = mask_scores(np.zeros(len(contexts)), eligible)
        candidates = np.flatnonzero(np.isfinite(scores))
        arm = int(candidates[self.rng.integers(len(candidates))])
        return Choice(arm, 1.0 / len(candidates), scores, explored=True)

    def score(self, contexts: Array, eligible: BoolArray | None) -> Scores:
        unknown = np.full(contexts.shape[:2], np.nan)
        return Scores(unknown, unknown.copy(), best_shares(mask_scores(np.zeros_like(unknown), eligible)))

    def observe(self, context: Array, arm: int, reward: float) -> None:
        """Nothing: rewards do not matter."""

    def add_arm(self, problem: Problem) -> None:
        """Nothing: the contexts tell how many arms there are."""


@final
@dataclass(frozen=True, slots=True)
class Oracle(Policy):
    """Plays argmaxᵢ f⁽ⁱ⁾(x⁽ⁱ⁾), the largest true mean: regret 0. The only policy that reads `Problem.true_means`.

    >>> instance = Synthetic(LowRank(), n_arms=3, dim=10).draw(np.random.default_rng(0))
    >>> float(play(Oracle(), instance, 20, rng=1).regrets.sum())
    0.0

    See also `default_policy`, `Uniform`, `ExplorationFloor`.
    """

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        if problem.true_means is None:
            raise MissingKnowledge(
                "Oracle needs problem.true_means, the function from contexts to mean rewards; "
                "an instance of an environment states it: instance.problem()"
            )
        return _OracleLearner(problem.true_means, rng)


@final
@dataclass(slots=True, eq=False)
class _OracleLearner(Learner):
    true_means: Callable[[Array], Array]
    rng: np.random.Generator

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        return pick_best(self.true_means(contexts), eligible, self.rng)

    def score(self, contexts: Array, eligible: BoolArray | None) -> Scores:
        means = np.array([self.true_means(shown) for shown in contexts])
        return Scores(means, np.zeros_like(means), best_shares(mask_scores(means, eligible)))

    def observe(self, context: Array, arm: int, reward: float) -> None:
        """Nothing: the means are known."""

    def add_arm(self, problem: Problem) -> None:
        raise MissingKnowledge(
            f"Oracle cannot add an arm: problem.true_means is for {problem.n_arms - 1} arms; "
            "start a new agent with the true means of all arms"
        )
