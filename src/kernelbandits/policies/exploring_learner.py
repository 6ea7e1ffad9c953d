"""A learner that explores in turn while that pays, and then commits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import NamedTuple, TypeAlias, final

import numpy as np

from kernelbandits.beliefs import GrowingLeaveOneOut, Prefetched
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import StackedExpansions
from kernelbandits.policies.commitment import Commitment
from kernelbandits.policies.commitment_value import commitment_value
from kernelbandits.policies.decisions import Choice, Decisions
from kernelbandits.policies.learner import Learner, decide_one_by_one
from kernelbandits.policies.round_robin import RoundRobin
from kernelbandits.policies.selection import pick_best
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess
from kernelbandits.types import Array, BoolArray

FEWEST = 3
"""Draws per arm before the first estimate: leaving one out of two would leave a single point to predict from."""

Contenders: TypeAlias = Callable[[Sequence[Array]], BoolArray]
"""Rewards of each arm → whether it is explored further."""


class RegretEstimate(NamedTuple):
    """Regret per round after a commitment and during exploration, for predictions from `size` draws per arm."""

    commit_regret: float
    explore_regret: float
    size: float

    def another_turn_pays(self, n_turns: int, n_arms: int, remaining: int) -> bool:
        """Whether another turn of `n_arms` arms that have had `n_turns` each lowers the total regret.

        With r(N) ∝ N^(−½) a turn costs n (rₑ − r) and saves r/(2N) in each of the remaining rounds.
        """
        commit_regret = self.commit_regret * sqrt(self.size / n_turns)
        spent = 2.0 * n_arms * n_turns
        return commit_regret * (remaining + spent) > spent * self.explore_regret


@final
class ExploringLearner(Learner):
    """Plays contenders in turn while another turn pays (`RegretEstimate.another_turn_pays`), then the best prediction.

    Turns count decisions. Rewards are learned while exploring, and afterwards until as many are known as turns were
    taken. The commitment is not final: late rewards, or a horizon that was guessed too short, can lead to more turns.
    """

    def __init__(
        self, model: GaussianProcess, select: Contenders, cap: int | None, problem: Problem, rng: np.random.Generator
    ) -> None:
        self._select = select
        self._cap = cap
        self._problem = problem
        self._rng = rng
        self._turns = RoundRobin(problem.n_arms)
        self._in_turn = True  # so that rewards from before the first decision count
        self._n_decisions = 0
        self._guess = 2 * FEWEST * problem.n_arms
        self._arms = [GrowingLeaveOneOut(model.without_data(problem.dim)) for _ in range(problem.n_arms)]
        self._contenders = np.ones(problem.n_arms, dtype=bool)
        self._n_rewards = 0
        self._next_estimate = FEWEST * problem.n_arms
        self._estimate: RegretEstimate | None = None
        self._commitment: Commitment | None = None
        self._block: Prefetched | None = None

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        candidates = self._contenders if eligible is None else self._contenders & eligible
        self._in_turn = bool(candidates.any()) and self._explores()
        self._n_decisions += 1
        if self._in_turn:
            return self._turns.next(candidates)
        return pick_best(self._committed().scores(contexts), eligible, self._rng)

    def decide_batch(self, contexts: Array, eligible: BoolArray | None) -> Decisions:
        doubles = self._problem.horizon is None and self._n_decisions + len(contexts) > self._guess
        if self._explores() or doubles:
            return decide_one_by_one(self, contexts, eligible)
        self._in_turn = False
        self._n_decisions += len(contexts)
        return self._committed().decide_batch(contexts, eligible, self._rng)

    def _horizon(self) -> int:
        """T, or a guess at it that is doubled until it exceeds the number of decisions."""
        if self._problem.horizon is not None:
            return self._problem.horizon
        while self._guess <= self._n_decisions:
            self._guess *= 2
        return self._guess

    def _explores(self) -> bool:
        """Whether another turn pays: asked by whole turns, so that arms have equal shares."""
        horizon, n_arms = self._horizon(), int(self._contenders.sum())
        if self._turns.total >= (max(self._problem.n_arms, horizon // 2) if self._cap is None else self._cap):
            return False
        n_turns, begun = divmod(self._turns.of(self._contenders), n_arms)
        if n_turns < FEWEST or self._estimate is None:
            return n_turns < FEWEST
        remaining = max(horizon - self._n_decisions + begun, 0)
        return self._estimate.another_turn_pays(n_turns, n_arms, remaining)

    def observe(self, context: Array, arm: int, reward: float) -> None:
        if self._n_rewards >= self._turns.total and not self._in_turn:
            return
        self._arms[arm].observe(context, reward)
        self._n_rewards += 1
        self._commitment = None
        if self._n_rewards >= self._next_estimate:
            self._measure()

    def _measure(self) -> None:
        """Update the contenders, and the regret per round of exploring them and of a commitment."""
        known = [i for i, arm in enumerate(self._arms) if arm.n > 1]
        if not known:
            return
        pairs = [self._arms[i].pairs for i in known]
        value, mask = commitment_value(pairs), self._select([rewards for _, rewards in pairs])
        self._contenders[known] = mask
        turns = [rewards for (_, rewards), contends in zip(pairs, mask, strict=True) if contends]
        explored, size = np.mean([rewards.mean() for rewards in turns]), np.mean([len(rewards) for rewards in turns])
        self._estimate = RegretEstimate(value.best - value.committed, value.best - float(explored), float(size) - 1.0)
        self._next_estimate = self._n_rewards + int(self._contenders.sum())

    def _committed(self) -> Commitment:
        if self._commitment is None:
            expansions = [arm.posterior.expansion for arm in self._arms]
            self._commitment = Commitment(expansions, StackedExpansions(expansions))
            self._commitment.prefetch(self._block)
        return self._commitment

    def withdraw(self) -> None:
        self._n_decisions -= 1
        if self._in_turn:
            self._turns.withdraw()

    def prefetch(self, block: Prefetched | None) -> None:
        self._block = block
        if self._commitment is not None:
            self._commitment.prefetch(block)


def usable_cap(policy: str, cap: int | None, n_arms: int) -> int | None:
    """The cap; refused if some arm would not get a turn."""
    if cap is not None and cap < n_arms:
        raise InvalidArgument(
            f"{policy}: cap must be at least the number of arms, {n_arms}, so that each is tried; got {cap}"
        )
    return cap
