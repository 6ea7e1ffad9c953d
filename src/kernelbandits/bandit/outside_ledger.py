"""Deciding and learning for a caller that keeps decisions itself, in a database, say: nothing here touches a ledger."""

from collections.abc import Collection, Mapping
from typing import Any

from kernelbandits import arm_checks, checks
from kernelbandits.bandit.bandit import Bandit
from kernelbandits.bandit.decision import contexts_of
from kernelbandits.errors import InvalidArgument
from kernelbandits.types import Array


def weigh(bandit: Bandit, row: Any, eligible: Collection[str] | None = None) -> dict[str, float]:
    """Return the exact probability of every arm for a row, or for one row per arm, as if it came next; nothing changes.

    The answer depends on what was learned, the row and the eligible arms alone, so it can be computed again later.
    """
    with bandit._lock:
        agent, encoder = bandit._ready()
        names = agent.problem.arms
        contexts, mask = contexts_of(row, eligible, names, encoder)
        block = contexts if contexts.ndim == 2 else contexts[None].repeat(len(names), axis=0)
        return dict(zip(names, agent.score(block[None], mask).probabilities[0].tolist(), strict=True))


def weigh_many(bandit: Bandit, points: Array) -> Array:
    """Return the probabilities of `weigh` for encoded rows (B, d), all arms eligible: shape (B, K).

    Faster from B = 8 on; they may differ from those of `weigh` by rounding.
    """
    with bandit._lock:
        agent, _ = bandit._ready()
        return agent.score(points).probabilities


def learn(bandit: Bandit, row: Mapping[str, Any], arm: str, propensity: float, reward: float) -> None:
    """Learn the reward of an arm that was shown with `row` and chosen with probability `propensity`."""
    value = checks.reward(reward)
    if not 0.0 < propensity <= 1.0:
        raise InvalidArgument(f"propensity must be above 0 and at most 1; got {propensity}")
    with bandit._lock:
        agent, encoder = bandit._ready()
        number = arm_checks.arm(arm, agent.problem.n_arms, agent.problem.arms)
        bandit._learn(encoder.transform(row), number, propensity, value)


def reward_counts(bandit: Bandit) -> dict[str, int]:
    """Return the number of rewards that were learned, for each arm that may still be chosen."""
    with bandit._lock:
        counted = zip(bandit._problem.arms, bandit._tally.counts.tolist(), bandit._left(), strict=True)
        return {name: count for name, count, left in counted if left}
