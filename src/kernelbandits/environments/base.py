"""Environments, the instances they draw, the rounds that an instance serves, how they are played, and the regret."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.environments.trace import Trace
from kernelbandits.linalg import require_memory
from kernelbandits.policies import Policy
from kernelbandits.problem import Problem
from kernelbandits.reporting import short_html, short_repr
from kernelbandits.specs import Count, NonNegative, Spec, conform
from kernelbandits.types import Array

BLOCK = 96
"""Rounds prefetched at a time: enough for matrix–matrix work, few enough that the block stays in the cache."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """All contexts, mean rewards and noise of a run, drawn beforehand so that all methods meet the same.

    Attributes:
        contexts: shape (T, K, d); may be a view that repeats one context for all arms.
        means: mean reward of every arm, shape (T, K).
        noise: ξ(t), shape (T,), whichever arm is played; or that of each arm, shape (T, K).

    >>> rounds = Synthetic(LowRank(), n_arms=2, dim=3).draw(rng=0).rounds(5, np.random.default_rng(1))
    >>> rounds.contexts.shape, rounds.means.shape, rounds.noise.shape
    ((5, 2, 3), (5, 2), (5,))

    See also `Environment`, `Instance`, `Synthetic`, `SyntheticInstance`.
    """

    contexts: Array
    means: Array
    noise: Array

    __repr__ = short_repr
    _repr_html_ = short_html

    def __post_init__(self) -> None:
        shape = (None,) if np.ndim(self.noise) < 2 else (None, np.shape(self.means)[-1])
        horizon = len(checks.finite_array("noise", self.noise, shape, "one number per round, or per round and arm"))
        contexts = self.contexts
        if np.ndim(contexts) == 3 and contexts.strides[1] == 0:  # all arms share a context: check it once
            contexts = contexts[:, :1]
        contexts = checks.shaped_array("contexts", contexts, (horizon, None, None), "(rounds, arms, features)")
        checks.refuse_unusable("contexts", contexts)
        checks.finite_array("means", self.means, np.shape(self.contexts)[:2], "(rounds, arms)")

    def __len__(self) -> int:
        return len(self.noise)


class Instance(ABC):
    """One bandit problem: fixed reward functions, and contexts to serve.

    >>> instance = Synthetic(LowRank(), n_arms=2, dim=3).draw(np.random.default_rng(0))
    >>> instance.rounds(5, np.random.default_rng(1)).contexts.shape
    (5, 2, 3)

    See also `Environment`, `Rounds`, `Synthetic`.
    """

    __slots__ = ()

    @abstractmethod
    def problem(self, horizon: int | None = None) -> Problem:
        """Return what a learner may know."""

    @abstractmethod
    def rounds(self, horizon: int, rng: np.random.Generator) -> Rounds:
        """Draw T rounds."""


class Environment(Spec, ABC):
    """A family of bandit problems.

    >>> environment = Synthetic(LowRank(), n_arms=2, dim=3)
    >>> norms = [environment.draw(rng=seed).problem().reward_norms for seed in (0, 0, 1)]  # one problem per seed
    >>> bool((norms[0] == norms[1]).all()), bool((norms[0] == norms[2]).any())
    (True, False)

    See also `Instance`, `Rounds`.
    """

    __slots__ = ()

    @abstractmethod
    def draw(self, rng: np.random.Generator | int) -> Instance:
        """Draw a problem; all randomness comes from `rng`, a generator or a seed."""

    def notes(self, horizon: int) -> tuple[str, ...]:
        """Return what a reader of the results should know, one line each; raise if T rounds cannot be played.

        Nothing by default. An environment made from a file reads it here, before anything is computed or written.
        """
        return ()

    def arm_names(self) -> tuple[str, ...]:
        """Return the names of the arms, for reports; empty, as by default, if they only have numbers."""
        return ()


def require_rounds(horizon: int, n_arms: int, dim: int) -> None:
    """Raise `TooLarge` if the contexts, means and noise of T rounds do not fit into memory."""
    what = f"horizon = {horizon:,} with {n_arms:,} arms and {dim:,} features"
    require_memory(8 * horizon * n_arms * (dim + 2), what, "lower the horizon or the number of arms or features")


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
    conform(horizon, Count, "horizon")
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
