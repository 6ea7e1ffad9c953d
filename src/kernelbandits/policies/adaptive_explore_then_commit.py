"""Explore-then-Commit that finds out by itself how long to explore."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.estimators.gaussian_process import GaussianProcess
from kernelbandits.estimators.growing_leave_one_out import GrowingLeaveOneOut
from kernelbandits.fields import Count
from kernelbandits.kernels import Gaussian, StackedExpansions
from kernelbandits.policies.base import Choice, Decisions, Learner, Policy
from kernelbandits.policies.choosing import pick_best
from kernelbandits.policies.commitment import Commitment
from kernelbandits.policies.turns import Turns
from kernelbandits.policies.worth import Worth, worth
from kernelbandits.problem import Problem
from kernelbandits.types import Array, BoolArray

_FEWEST = 3
"""Draws an arm before the first estimate: leaving one out of two leaves a single point to predict from."""


@final
@dataclass(frozen=True, slots=True)
class AdaptiveExploreThenCommit(Policy):
    """Plays the arms in turn for as long as another turn is worth more than it costs, then the best interpolated mean.

    Each time all arms have had another draw, leave-one-out predictions tell what a commitment would cost: r, the mean
    regret of following them, and rₑ, that of an arm in turn, over all rounds that can be put together from past draws
    (`policies.worth`). Errors of averages fall as N^(−½) with the draws N = T₀/K of an arm, and r with them, so

        T₀ rₑ + (T − T₀) r(N),  r(N) ∝ N^(−½),  is least where  r (T + T₀) = 2 T₀ rₑ,

    and exploration goes on while r (T + T₀) > 2 T₀ rₑ. It takes at most `cap` rounds; None is half of the horizon.
    Where the horizon is not known it is guessed, and doubled each time the guess was too short: exploration then goes
    on from the data at hand if the longer horizon is worth it.

    The interpolator is the mean of `model` with a ridge so small that it matters for repeated contexts only. Rewards
    after the commitment are not used; when rewards are delayed, the first T₀ of them are, whenever they come.

    Turns are known beforehand and so is the commitment given the past: propensities are 1, ties apart.

    Cost: O(n² + n d) a reward of an arm with n draws while exploring, O(T₀ log T₀) a round for the estimate; then
    O(T₀ d) a round, a matrix product for prefetched rounds.

    Reference: Algorithm 1 of the paper, with T₀ from the data; leave-one-out in closed form, Rasmussen & Williams 2006,
    section 5.4.2.

    >>> agent = AdaptiveExploreThenCommit(cap=400).start(Problem(n_arms=20, dim=100, horizon=2000), rng=0)
    >>> agent.choose(np.zeros((20, 100))).explored
    True
    """

    model: GaussianProcess = GaussianProcess(Gaussian(gamma=4.0), ridge=1e-8)
    cap: Count | None = None

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        if self.cap is not None and self.cap < problem.n_arms:
            raise InvalidArgument(
                f"AdaptiveExploreThenCommit: cap must be at least the number of arms, {problem.n_arms}, "
                f"so that each is tried; got {self.cap}"
            )
        return _AdaptiveLearner(self, problem, rng)


@final
class _AdaptiveLearner(Learner):
    def __init__(self, policy: AdaptiveExploreThenCommit, problem: Problem, rng: np.random.Generator) -> None:
        self._cap = policy.cap
        self._problem = problem
        self._rng = rng
        self._turns = Turns(problem.n_arms)
        self._in_turn = True  # so that rewards from before the first decision count
        self._n_decisions = 0
        self._guess = 2 * _FEWEST * problem.n_arms
        self._arms = [GrowingLeaveOneOut(policy.model.without_data(problem.dim)) for _ in range(problem.n_arms)]
        self._n_rewards = 0
        self._estimate: tuple[Worth, float] | None = None
        self._commitment: Commitment | None = None
        self._ahead: Array | None = None

    def decide(self, contexts: Array, eligible: BoolArray | None, row: int | None) -> Choice:
        self._in_turn = self._explores()
        self._n_decisions += 1
        if self._in_turn:
            return self._turns.next(eligible)
        return pick_best(self._committed().scores(contexts, row), eligible, self._rng)

    def decide_batch(self, contexts: Array, eligible: BoolArray | None) -> Decisions:
        if self._explores() or self._n_decisions + len(contexts) > self._horizon():
            return super().decide_batch(contexts, eligible)
        self._in_turn = False
        self._n_decisions += len(contexts)
        return self._committed().decide_batch(contexts, eligible, self._rng)

    def _horizon(self) -> int:
        """T, or the guess at it: the first of its doublings that is still ahead."""
        if self._problem.horizon is not None:
            return self._problem.horizon
        while self._guess <= self._n_decisions:
            self._guess *= 2
        return self._guess

    def _explores(self) -> bool:
        """Whether another turn is worth it: asked at the end of a turn, so that arms have equal shares."""
        horizon, n_arms, total = self._horizon(), self._problem.n_arms, self._turns.total
        if total >= (max(n_arms, horizon // 2) if self._cap is None else self._cap):
            return False
        n_turns = total // n_arms
        if n_turns < _FEWEST or self._estimate is None:
            return n_turns < _FEWEST
        found, size = self._estimate
        commit_regret = found.commit_regret * sqrt(size / n_turns)
        return commit_regret * (horizon + n_arms * n_turns) > 2.0 * n_arms * n_turns * found.explore_regret

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        if self._n_rewards >= self._turns.total and not self._in_turn:
            return
        self._arms[arm].add(context, reward)
        self._n_rewards += 1
        self._commitment = None
        if self._n_rewards % self._problem.n_arms == 0:
            self._measure()

    def _measure(self) -> None:
        """Estimate the worth of a commitment, and the number of draws an arm that it would rest on."""
        known = [arm for arm in self._arms if arm.n >= 2]
        if known:
            size = float(np.mean([arm.n for arm in known])) - 1.0
            self._estimate = worth([arm.pairs for arm in known]), size

    def _committed(self) -> Commitment:
        if self._commitment is None:
            expansions = [arm.posterior.expansion for arm in self._arms]
            self._commitment = Commitment(expansions, StackedExpansions(expansions))
            self._commitment.look_ahead(self._ahead)
        return self._commitment

    def withdraw(self) -> None:
        self._n_decisions -= 1
        if self._in_turn:
            self._turns.give_back()

    def look_ahead(self, contexts: Array | None) -> None:
        self._ahead = contexts
        if self._commitment is not None:
            self._commitment.look_ahead(contexts)
