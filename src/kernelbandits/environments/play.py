"""Playing a policy against an instance, and the regret of what was played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from kernelbandits import checks
from kernelbandits.environments.base import Instance, Rounds
from kernelbandits.policies import Policy
from kernelbandits.problem import Problem
from kernelbandits.reporting import (
    Axis,
    Chart,
    Charts,
    Drawn,
    Line,
    Look,
    Picture,
    facts_html,
    plot,
    sparkline,
)
from kernelbandits.specs import NonNegative, conform
from kernelbandits.types import Array, IntArray

if TYPE_CHECKING:
    import polars as pl

BLOCK = 96
"""Rounds prefetched at a time: enough for matrix–matrix work, few enough that the block stays in the cache."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """Arms, rewards and regrets of T rounds; every array has shape (T,).

    Attributes:
        arms: arm played.
        rewards: reward received, noise included.
        regrets: mean of the best arm minus mean of the played arm (pseudo-regret, without noise).
        propensities: probability with which the policy chose that arm.

    >>> trace = play(Uniform(), Synthetic(LowRank(), n_arms=3, dim=4).draw(np.random.default_rng(0)), 20, rng=1)
    >>> trace.cumulative_regret.shape, float(trace.propensities[0].round(3))
    ((20,), 0.333)
    >>> trace.to_polars().columns
    ['round', 'arm', 'reward', 'regret', 'cumulative_regret', 'propensity']

    See also `play`, `replay`, `lenient_regret`.
    """

    arms: IntArray
    rewards: Array
    regrets: Array
    propensities: Array

    @property
    def cumulative_regret(self) -> Array:
        """R(t) = Σ_{s ≤ t} r(s), shape (T,)."""
        return np.cumsum(self.regrets)

    def to_polars(self) -> pl.DataFrame:
        """One row per round, counted from 1, with the arrays as columns and the cumulative regret."""
        import polars as pl

        columns = {"round": np.arange(1, len(self.arms) + 1), "arm": self.arms, "reward": self.rewards}
        regrets = {"regret": self.regrets, "cumulative_regret": self.cumulative_regret}
        return pl.DataFrame(columns | regrets | {"propensity": self.propensities})

    def plot(self) -> Drawn:
        """Draw the cumulative regret against the round with pyplot; returns the axes, which a notebook shows."""
        line = Line(np.arange(1, len(self.arms) + 1), self.cumulative_regret, Look(2))
        chart = Chart("", (line,), Axis("round", low=0), Axis("cumulative regret", low=0))
        return plot(Picture("Cumulative regret", (Charts((chart,), 1, 3.2),), "cumulative regret", width=5.2))

    def __repr__(self) -> str:
        return f"Trace({', '.join(f'{name} {value}' for name, value in self._facts().items())})"

    def _repr_html_(self) -> str:
        return facts_html("Trace", self._facts(), sparkline(self.cumulative_regret, "cumulative regret"))

    def _facts(self) -> dict[str, str]:
        n = len(self.arms)
        if not n:
            return {"rounds": "0"}
        return {
            "rounds": f"{n:,}",
            "regret": f"{self.regrets.sum():.4g}",
            "mean reward": f"{self.rewards.mean():.4g}",
            "arms played": f"{len(np.unique(self.arms))}",
        }


def play(policy: Policy, instance: Instance, horizon: int, rng: np.random.Generator | int) -> Trace:
    """Play `horizon` rounds. With one `rng` seed every policy meets the same contexts and noise.

    Args:
        policy: what decides; it starts with nothing known.
        instance: the world: reward functions and contexts.
        horizon: T, the number of rounds; the policy is told.
        rng: a generator of numpy, or a seed, of contexts, noise and the policy's own choices.

    >>> instance = Synthetic(LowRank(), n_arms=3, dim=10).draw(np.random.default_rng(0))
    >>> float(play(Oracle(), instance, 50, rng=1).cumulative_regret[-1])
    0.0

    See also `Trace`, `replay`.
    """
    checks.instance("policy", policy, Policy, "Uniform()")  # type: ignore[type-abstract]
    checks.instance("instance", instance, Instance, "Synthetic(LowRank()).draw(rng)")  # type: ignore[type-abstract]
    checks.whole("horizon", horizon, at_least=1)
    world, chance = checks.generator(rng).spawn(2)
    return replay(policy, instance.problem(horizon), instance.rounds(horizon, world), chance)


def replay(policy: Policy, problem: Problem, rounds: Rounds, rng: np.random.Generator) -> Trace:
    """Play rounds that were drawn beforehand, so that several policies can share them.

    Args:
        policy: what decides; it starts with nothing known.
        problem: what it may know, such as `instance.problem(T)`.
        rounds: contexts of shape (T, K, d), means and noise.
        rng: the policy's own randomness.

    >>> instance = Synthetic(LowRank(), n_arms=2, dim=3).draw(np.random.default_rng(0))
    >>> rounds = instance.rounds(10, np.random.default_rng(1))
    >>> for policy in (Uniform(), Oracle()):
    ...     trace = replay(policy, instance.problem(10), rounds, np.random.default_rng(2))
    ...     print(bool(trace.regrets.sum() > 0))
    True
    False

    See also `play`, `Trace`, `lenient_regret`, `mean_and_standard_error`.
    """
    agent = policy.start(problem, rng)
    contexts, means, horizon = rounds.contexts, rounds.means, len(rounds.means)
    noise = np.broadcast_to(rounds.noise.reshape(horizon, -1), means.shape)
    chosen: list[int] = []
    propensities: list[float] = []
    choose, observe = agent._choose, agent._observe  # without checks: rounds are checked when they are made
    for start in range(0, horizon, BLOCK):
        for t, shown in enumerate(agent._prefetch(contexts[start : start + BLOCK]), start):
            choice = choose(shown)
            arm = choice.arm
            observe(shown[arm], arm, means.item(t, arm) + noise.item(t, arm))
            chosen.append(arm)
            propensities.append(choice.propensity)
    arms = np.array(chosen, dtype=np.int64)
    played = np.arange(horizon), arms
    regrets = means.max(axis=1) - means[played]
    return Trace(arms, means[played] + noise[played], regrets, np.array(propensities))


def mean_and_standard_error(values: Array, axis: int = 0) -> tuple[Array, Array]:
    """Return the mean over the seeds and its standard error s/√n; the error is NaN for a single seed.

    Args:
        values: one entry per seed along the axis, such as shape (seeds, T).
        axis: the axis of the seeds.

    >>> mean, error = mean_and_standard_error(np.array([1.0, 2.0, 3.0]))
    >>> float(mean), round(float(error), 4)
    (2.0, 0.5774)

    See also `play`, `lenient_regret`, `ratio_and_standard_error`, `replay`.
    """
    n = values.shape[axis]
    mean = values.mean(axis=axis)
    if n < 2:
        return mean, np.full_like(mean, np.nan)
    return mean, values.std(axis=axis, ddof=1) / np.sqrt(n)


def ratio_and_standard_error(first: Array, second: Array) -> tuple[float, float]:
    """Return the ratio r of the means of `first` and `second`, paired by seed, and its standard error (or NaN).

    To first order the error of r is that of the mean of aᵢ − r bᵢ, divided by the mean of b.

    Args:
        first: aᵢ, shape (seeds,).
        second: bᵢ, shape (seeds,).

    >>> ratio, error = ratio_and_standard_error(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    >>> ratio, round(error, 6)
    (0.5, 0.0)

    See also `play`, `mean_and_standard_error`, `lenient_regret`.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.divide(first.mean(), second.mean())
        _, error = mean_and_standard_error(first - ratio * second)
        return float(ratio), float(np.divide(error, second.mean()))


def lenient_regret(regrets: Array, delta: float) -> Array:
    """Return R_Δ(t) = Σ_{s ≤ t} Φ_Δ(r(s)), Φ_Δ(a) = max(a − Δ, 0), for regrets of shape (seeds, T); shape (T,).

    r(s) is an expectation, so regrets are averaged over seeds before the threshold is applied.

    Args:
        regrets: shape (seeds, T).
        delta: Δ, the regret per round that is forgiven.

    >>> lenient_regret(np.array([[0.5, 0.1, 0.4]]), delta=0.2).round(2)
    array([0.3, 0.3, 0.5])

    See also `play`, `replay`, `mean_and_standard_error`, `ratio_and_standard_error`.
    """
    delta = conform(delta, NonNegative, "delta")
    expected = np.atleast_2d(regrets).mean(axis=0)
    return np.cumsum(np.maximum(expected - delta, 0.0))
