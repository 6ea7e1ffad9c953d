"""Playing a policy on a log by rejection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import special

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.offline.interval import Interval
from kernelbandits.offline.log import Log
from kernelbandits.offline.overlap import kept_shares, refuse_without_overlap, warn_of_loss
from kernelbandits.policies import Policy
from kernelbandits.problem import Problem
from kernelbandits.reporting import short_html, short_repr
from kernelbandits.specs import Share, conform
from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class ReplayedLog:
    """The rounds of a log on which a policy was played, in order.

    Attributes:
        rows, arms, rewards: rows of the log that were kept, the arm played there and its reward, each of shape (m,).
        n_rows: number of rows of the log.
        resampled_means: mean reward per round of new agents on resampled logs, shape (B,); NaN where none was kept.
        arm_names: names of all K arms, as the log has them; empty if it has none.

    >>> log = Log(np.ones((40, 1)), np.arange(40) % 2, np.ones(40), np.full(40, 0.5), 2)
    >>> replayed = replay_log(Uniform(), log, rng=0, n_resamples=2)
    >>> replayed.mean, replayed.n_rows, len(replayed.rows) < 40
    (1.0, 40, True)

    See also `read_log`, `replay_log`, `LogFile`.
    """

    rows: IntArray
    arms: IntArray
    rewards: Array
    n_rows: int
    resampled_means: Array
    arm_names: tuple[str, ...] = ()

    __repr__ = short_repr
    _repr_html_ = short_html

    @property
    def names(self) -> list[str]:
        """The name of every round's arm; empty if arms have no names."""
        return [self.arm_names[arm] for arm in self.arms] if self.arm_names else []

    @property
    def mean(self) -> float:
        """Mean reward per round. Its expectation is that of the policy's first m live rounds."""
        return float(self.rewards.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of `mean`: the standard deviation of `resampled_means`; NaN if these are fewer than two.

        Another log would have other contexts and rewards, and the policy would have learned something else from them.
        Both vary from one resampled log to the next. The spread of the rewards of a single run shows only the first.
        """
        return float(np.std(self.resampled_means, ddof=1)) if len(self.resampled_means) > 1 else float("nan")

    def interval(self, level: float = 0.95) -> Interval:
        """Where the expected mean reward of the policy's first m live rounds is, with this probability.

        Student's t with one degree of freedom less than there are resampled logs, of which the error is an estimate.
        """
        runs = len(self.resampled_means)
        if runs < 2:
            raise InvalidArgument(f"an interval needs at least two resampled logs; n_resamples was {runs}")
        quantile = float(special.stdtrit(runs - 1, 0.5 + 0.5 * level))
        half = quantile * self.standard_error * float(np.sqrt(1.0 + 1.0 / runs))
        return Interval(self.mean - half, self.mean + half)


def replay_log(
    policy: Policy,
    log: Log,
    rng: np.random.Generator | int,
    problem: Problem | None = None,
    floor: float | None = None,
    n_resamples: int = 30,
) -> ReplayedLog:
    """Play a policy on a log by rejection: a row counts where the policy picks the arm that the log has.

    A row is first kept with probability p/π, where π is its propensity and p the smallest of the log. In the kept rows
    every arm that could be played has the same probability, so those in which the policy agrees are distributed as its
    live rounds (Li et al. 2011). It learns from these alone; its other decisions are withdrawn. So the rewards of its
    first m rounds here are distributed as in its first m live rounds, whichever policy wrote the log. About p n of n
    rows are left; with equal propensities all rows are kept in the first step.

    A log that gave an arm no chance, or none in some contexts, is refused: nothing in it says what the arm would have
    given there.

    Args:
        policy: what is played.
        log: rows that do not depend on one another, except through the policy that wrote them.
        rng: a generator or a seed.
        problem: what the policy may know; by default the numbers of arms, features and expected rounds.
        floor: the probability p; by default the smallest propensity. Where it is larger, rows with a smaller propensity
            are kept for certain. More rounds are left, but those in which the policy plays an arm that had a smaller
            chance are too few among them, which `standard_error` does not show.
        n_resamples: how many times the policy is played again, on as many rows drawn from the log with replacement,
            for `standard_error`. With 0 there is none.

    >>> log = Log(np.eye(6), np.array([0, 1] * 3), np.array([1.0, 0.0] * 3), np.full(6, 0.5), n_arms=2)
    >>> replayed = replay_log(ExploreThenCommit(KernelRidge(Linear(), 0.1), n_explore=2), log, rng=0)
    >>> replayed.rows[:2]
    array([0, 1])

    See also `read_log`, `LogFile`, `ReplayedLog`, `LogColumns`.
    """
    n = len(log)
    checks.whole("n_resamples", n_resamples, at_least=0)
    smallest = float(log.propensities.min())
    p = smallest if floor is None else conform(floor, Share, "floor")
    refuse_without_overlap(log, p)
    if floor is None:
        warn_of_loss(log, p)
    if problem is None:
        problem = Problem(log.n_arms, log.dim, max(1, round(p * n)), arms=log.names)
    thinning, chance, *others = checks.generator(rng).spawn(2 + n_resamples)
    rows = _agreed(policy, log, np.flatnonzero(thinning.random(n) < kept_shares(log, p)), problem, chance)
    if not len(rows):
        raise InvalidArgument(
            f"log: the policy agrees with none of its {n} rows; a longer log, or one in which every arm "
            f"has a fair chance (the smallest propensity is {smallest:g}), can be replayed"
        )
    means = np.array([_resampled_mean(policy, log, p, problem, other) for other in others])
    return ReplayedLog(rows, log.arms[rows], log.rewards[rows], n, means, log.names)


def _agreed(policy: Policy, log: Log, rows: IntArray, problem: Problem, rng: np.random.Generator) -> IntArray:
    """Play a new agent on these rows, and return those in which it picks the arm of the log."""
    agent = policy.start(problem, rng)
    agreed = []
    for row in rows.tolist():
        shown = log.contexts[row]
        decision = agent.choose(shown, None if log.eligible is None else log.eligible[row])
        if decision.arm == log.arms[row]:
            own = shown if shown.ndim == 1 else shown[decision.arm]
            agent.observe(own, decision.arm, float(log.rewards[row]))
            agreed.append(row)
        else:
            agent.withdraw(decision)
    return np.array(agreed, dtype=np.int64)


def _resampled_mean(policy: Policy, log: Log, p: float, problem: Problem, rng: np.random.Generator) -> float:
    """Return the mean reward of a new agent on n rows that are drawn with replacement; NaN if it agrees with none."""
    drawing, thinning, chance = rng.spawn(3)
    drawn = drawing.integers(len(log), size=len(log))
    kept = drawn[thinning.random(len(log)) < kept_shares(log, p)[drawn]]
    rows = _agreed(policy, log, kept, problem, chance)
    return float(log.rewards[rows].mean()) if len(rows) else float("nan")
