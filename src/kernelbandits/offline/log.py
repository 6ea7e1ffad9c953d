"""Logged bandit data, and playing a policy on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.environments import mean_and_standard_error, reward_points
from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.policies import Policy
from kernelbandits.problem import Problem
from kernelbandits.specs import Count, FilePath, Spec
from kernelbandits.tables import Encoding
from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Log:
    """Logged decisions: what was shown, played and earned.

    Attributes:
        contexts: shape (n, d), the same for all arms.
        arms: the arm that was played, 0 … K − 1, shape (n,).
        rewards: its reward, shape (n,).
        propensities: the probability with which it was played, given the context; in (0, 1], shape (n,).
        n_arms: K; the rows alone do not tell it, because an arm may never have been played.
        names: the arms' names.
        notes: how the contexts were made, one line each.

    """

    contexts: Array
    arms: IntArray
    rewards: Array
    propensities: Array
    n_arms: int
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = len(checks.points("contexts", self.contexts))
        checks.whole("n_arms", self.n_arms, at_least=1)
        arms = np.asarray(self.arms)
        if arms.shape != (n,) or arms.dtype.kind not in "iu" or arms.min() < 0 or arms.max() >= self.n_arms:
            raise InvalidArgument(
                f"arms must be {n} whole numbers from 0 to {self.n_arms - 1}, one per row of contexts"
            )
        checks.rewards("rewards", self.rewards, n, "one number per row of contexts")
        chances = checks.finite_array("propensities", self.propensities, (n,), "one number per row of contexts")
        wrong = np.flatnonzero((chances <= 0.0) | (chances > 1.0))
        if len(wrong):
            raise InvalidArgument(
                f"propensities must be above 0 and at most 1; entry {wrong[0]} is {chances[wrong[0]]:g} "
                f"({len(wrong)} such). Log the probability with which the arm was played"
            )

    def __len__(self) -> int:
        return len(self.arms)


@final
@dataclass(frozen=True, slots=True)
class LogFile(Spec):
    """A log in a file: `LogFile("log.csv", propensity="chance").read()`.

    Attributes:
        path: a .csv, .csv.gz or .parquet file.
        arm: column of the arm that was played.
        reward: column of the reward that it gave, a number.
        propensity: column of the probability with which it was played. A log needs one; if arms were drawn uniformly,
            it is 1/K in every row.
        encoding: how the other columns become the context.
        min_rows: refuse an arm with fewer rows.

    """

    path: FilePath
    arm: str = "arm"
    reward: str = "reward"
    propensity: str = "propensity"
    encoding: Encoding = Encoding()
    min_rows: Count = 1

    def _validate(self) -> None:
        if len({self.arm, self.reward, self.propensity}) < 3:
            raise InvalidArgument(
                f"LogFile: arm, reward and propensity must be three columns; "
                f"got {self.arm!r}, {self.reward!r}, {self.propensity!r}"
            )

    def read(self) -> Log:
        """Read the log and encode its contexts. The arms are those that were played, in sorted order."""
        from kernelbandits.tables import numbers_in, place, read_frame

        path = Path(self.path)
        frame = read_frame(path, self.encoding.missing)
        data, rewards = reward_points(
            frame, self.arm, self.reward, self.encoding, path.name, others=(self.propensity,), min_rows=self.min_rows
        )
        chances = numbers_in(frame[self.propensity], path.name)
        wrong = np.flatnonzero((chances <= 0.0) | (chances > 1.0))
        if len(wrong):
            row = int(wrong[0])
            raise InvalidFile(
                f"{path.name}: {place(row, self.propensity)} is {chances[row]:g} ({len(wrong)} such); "
                "expected a probability above 0 and at most 1"
            )
        return Log(data.points, data.codes, rewards, chances, len(data.names), data.names, data.notes)


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
            rows.append(int(row))
        else:
            agent.withdraw(decision)
    if not rows:
        raise InvalidArgument(
            f"log: the policy agrees with none of its {len(log)} rows; a longer log, or one in which every arm "
            f"has a fair chance (the smallest propensity is {smallest:g}), can be replayed"
        )
    return ReplayedLog(np.array(rows), log.arms[rows], log.rewards[rows], len(log))
