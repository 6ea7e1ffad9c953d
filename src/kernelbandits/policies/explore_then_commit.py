"""Explore-then-Commit: Algorithm 1 of the paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs.stack import stacked
from kernelbandits.errors import InvalidArgument
from kernelbandits.policies.base import Choice, Decisions, Learner, Policy
from kernelbandits.policies.choosing import pick_best
from kernelbandits.policies.commitment import Commitment
from kernelbandits.policies.turns import Turns
from kernelbandits.problem import Problem
from kernelbandits.regression.base import Estimator, Predictor
from kernelbandits.specs import Count
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class ExploreThenCommit(Policy):
    """Plays the arms in turn for `n_explore` rounds in total (T₀ = NK), fits each arm once, then plays the best mean.

    Exploration is the paper's round-robin: the turn is known beforehand, so its propensity is 1. With a mask, the
    eligible arm played least so far is next. Rewards observed after the commitment are not used. An arm can be added
    while exploration lasts; the number of its rounds stays.

    Cost: one fit of n_explore/K points an arm; then O(n_explore · d) a round, a matrix product for prefetched rounds.

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
        self._turns = Turns(problem.n_arms)
        self._data: list[list[tuple[Array, float]]] = [[] for _ in range(problem.n_arms)]
        self._commitment: Commitment | None = None
        self._ahead: Array | None = None

    def decide(self, contexts: Array, eligible: BoolArray | None, row: int | None) -> Choice:
        if self._explores:
            return self._turns.next(eligible)
        return pick_best(self._committed().scores(contexts, row), eligible, self._rng)

    def decide_batch(self, contexts: Array, eligible: BoolArray | None) -> Decisions:
        if self._explores:
            return super().decide_batch(contexts, eligible)
        return self._committed().decide_batch(contexts, eligible, self._rng)

    @property
    def _explores(self) -> bool:
        return self._commitment is None and self._turns.total < self._n_explore

    def _committed(self) -> Commitment:
        """The predictions of all arms, fitted the first time they are asked for."""
        if self._commitment is None:
            predictors = [self._fit(data) for data in self._data]
            self._commitment = Commitment([predictor._mean for predictor in predictors], stacked(predictors))
            self._commitment.look_ahead(self._ahead)
            self._data.clear()
        return self._commitment

    def _fit(self, data: list[tuple[Array, float]]) -> Predictor:
        if not data:
            return self._estimator.without_data(self._problem.dim)
        return self._estimator._fit(np.array([x for x, _ in data]), np.array([y for _, y in data]))

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        if self._commitment is None:
            self._data[arm].append((context.copy(), reward))

    def withdraw(self) -> None:
        if self._commitment is None:  # still exploring: the decision was a turn
            self._turns.give_back()

    def add_arm(self, problem: Problem) -> None:
        if not self._explores:
            raise InvalidArgument(
                f"ExploreThenCommit cannot take on another arm: its {self._n_explore} rounds of exploration are over; "
                "start a new agent, or use a policy that goes on learning"
            )
        self._problem = problem
        self._turns.add_arm()
        self._data.append([])

    def look_ahead(self, contexts: Array | None) -> None:
        self._ahead = contexts
        if self._commitment is not None:
            self._commitment.look_ahead(contexts)
