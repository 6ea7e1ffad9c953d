"""Explore-then-Commit: Algorithm 1 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs import Prefetched
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import StackedExpansions
from kernelbandits.policies.base import Policy
from kernelbandits.policies.commitment import Commitment
from kernelbandits.policies.decisions import Choice, Decisions
from kernelbandits.policies.learner import Learner, decide_one_by_one
from kernelbandits.policies.round_robin import RoundRobin
from kernelbandits.policies.selection import pick_best
from kernelbandits.problem import Problem
from kernelbandits.regression import Estimator, Predictor
from kernelbandits.specs import Count
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class ExploreThenCommit(Policy):
    """Plays the arms in turn for `n_explore` rounds in total (T₀ = NK), fits each arm once, then plays the best mean.

    Exploration is the paper's round-robin: the turn is known beforehand, so its propensity is 1. With a mask, the
    eligible arm played least so far is next. Rewards observed after the commitment are not used. An arm can be added
    during exploration, which does not become longer.

    Cost: one fit of n_explore/K points per arm; then O(n_explore · d) per round, a matrix product for prefetched
    rounds.

    >>> policy = ExploreThenCommit(MinNormInterpolator(Gaussian(gamma=4.0)), n_explore=100)
    """

    estimator: Estimator[Predictor]
    n_explore: Count

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        if self.n_explore < problem.n_arms:
            raise InvalidArgument(
                f"ExploreThenCommit: n_explore must be at least the number of arms, {problem.n_arms}, "
                f"so that each is tried; got {self.n_explore}"
            )
        if problem.horizon is not None and self.n_explore > problem.horizon:
            raise InvalidArgument(
                f"ExploreThenCommit: n_explore must be at most the horizon, {problem.horizon}; got {self.n_explore}"
            )
        return _ExploreThenCommitLearner(self.estimator, self.n_explore, problem, rng)


@final
class _ExploreThenCommitLearner(Learner):
    def __init__(
        self, estimator: Estimator[Predictor], n_explore: int, problem: Problem, rng: np.random.Generator
    ) -> None:
        self._estimator = estimator
        self._n_explore = n_explore
        self._problem = problem
        self._rng = rng
        self._turns = RoundRobin(problem.n_arms)
        self._data: list[list[tuple[Array, float]]] = [[] for _ in range(problem.n_arms)]
        self._commitment: Commitment | None = None
        self._block: Prefetched | None = None

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        if self._explores:
            return self._turns.next(eligible)
        return pick_best(self._committed().scores(contexts), eligible, self._rng)

    def decide_batch(self, contexts: Array, eligible: BoolArray | None) -> Decisions:
        if self._explores:
            return decide_one_by_one(self, contexts, eligible)
        return self._committed().decide_batch(contexts, eligible, self._rng)

    @property
    def _explores(self) -> bool:
        return self._commitment is None and self._turns.total < self._n_explore

    def _committed(self) -> Commitment:
        """The predictions of all arms, fitted the first time they are asked for."""
        if self._commitment is None:
            predictors = [self._fit(data) for data in self._data]
            self._commitment = Commitment([predictor._mean for predictor in predictors], _stacked(predictors))
            self._commitment.prefetch(self._block)
            self._data.clear()
        return self._commitment

    def _fit(self, data: list[tuple[Array, float]]) -> Predictor:
        if not data:
            return self._estimator.without_data(self._problem.dim)
        return self._estimator._fit(np.array([x for x, _ in data]), np.array([y for _, y in data]))

    def observe(self, context: Array, arm: int, reward: float) -> None:
        if self._commitment is None:
            self._data[arm].append((context.copy(), reward))

    def withdraw(self) -> None:
        if self._commitment is None:  # the decision was a turn
            self._turns.withdraw()

    def add_arm(self, problem: Problem) -> None:
        if not self._explores:
            raise InvalidArgument(
                f"ExploreThenCommit cannot add an arm: its {self._n_explore} rounds of exploration are over; "
                "start a new agent, or use a policy that goes on learning"
            )
        self._problem = problem
        self._turns.add_arm()
        self._data.append([])

    def prefetch(self, block: Prefetched | None) -> None:
        self._block = block
        if self._commitment is not None:
            self._commitment.prefetch(block)


def _stacked(predictors: Sequence[Predictor]) -> StackedExpansions | None:
    """The predictors' means as one function of contexts (K, d), if all are expansions over one kernel."""
    expansions = [predictor.expansion for predictor in predictors if predictor.expansion is not None]
    if len(expansions) < len(predictors) or len({expansion.kernel for expansion in expansions}) > 1:
        return None
    return StackedExpansions(expansions)
