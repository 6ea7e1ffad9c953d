"""The rewards a policy would have earned, from the log of another policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.environments.metrics import mean_and_standard_error
from kernelbandits.errors import InvalidArgument
from kernelbandits.offline.log import Log
from kernelbandits.policies import Policy
from kernelbandits.problem import Problem
from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class ReplayedLog:
    """The rounds of a log on which a policy was played, in order.

    Attributes:
        rows: rows of the log that were kept, shape (m,).
        arms: the arm played there, shape (m,).
        rewards: its reward, shape (m,).
        n_rows: number of rows of the log.

    """

    rows: IntArray
    arms: IntArray
    rewards: Array
    n_rows: int

    @property
    def mean(self) -> float:
        """Mean reward per round."""
        return float(self.rewards.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of `mean`, from the rewards' own spread; NaN for a single round."""
        return float(mean_and_standard_error(self.rewards)[1])


def replay_log(policy: Policy, log: Log, rng: np.random.Generator | int, problem: Problem | None = None) -> ReplayedLog:
    """Play a policy on a log by rejection: a row counts where the policy picks the arm that the log has.

    A row is first kept with probability p/π, where π is its propensity and p the smallest of the log. In the kept rows
    every arm has the same probability, so those in which the policy agrees are distributed as its live rounds (Li et
    al. 2011). It learns from these alone; its other decisions are withdrawn. So the rewards of its first m rounds here
    are distributed as in its first m live rounds, whichever policy wrote the log. About p n of n rows are left; with
    equal propensities all rows are kept in the first step.

    `problem` is what the policy may know; by default the numbers of arms, features and expected rounds.

    >>> log = Log(np.eye(6), np.array([0, 1] * 3), np.array([1.0, 0.0] * 3), np.full(6, 0.5), n_arms=2)
    >>> replayed = replay_log(ExploreThenCommit(KernelRidge(Linear(), 0.1), n_explore=2), log, rng=0)
    >>> replayed.rows[:2]
    array([0, 1])
    """
    thinning, chance = checks.generator(rng).spawn(2)
    smallest = float(log.propensities.min())
    if problem is None:
        problem = Problem(log.n_arms, log.contexts.shape[1], max(1, round(smallest * len(log))))
    kept = np.flatnonzero(thinning.random(len(log)) * log.propensities < smallest)
    agent = policy.start(problem, chance)
    rows = []
    for row in kept:
        decision = agent.choose(log.contexts[row])
        if decision.arm == log.arms[row]:
            agent.observe(log.contexts[row], decision.arm, float(log.rewards[row]))
            rows.append(row)
        else:
            agent.withdraw(decision)
    if not rows:
        raise InvalidArgument(
            f"log: the policy agrees with none of its {len(log)} rows; a longer log, or one in which every arm "
            f"has a fair chance (the smallest propensity is {smallest:g}), can be replayed"
        )
    found = np.array(rows)
    return ReplayedLog(found, log.arms[found], log.rewards[found], len(log))
