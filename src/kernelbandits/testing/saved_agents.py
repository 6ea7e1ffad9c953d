"""Contract of saving: an agent that was saved and loaded goes on as if nothing had happened."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from kernelbandits.policies import Agent, Decision, Policy
from kernelbandits.problem import Problem
from kernelbandits.saving import load
from kernelbandits.types import Array


def check_saving(
    policy: Policy, classes: Iterable[type] = (), n_arms: int = 3, dim: int = 4, horizon: int = 40, seed: int = 0
) -> None:
    """Agents of this policy can be saved at any time, and the loaded ones decide the same to the last bit.

    Saved are a new agent, one whose rewards are on their way, and one that prefetched the next rounds. `classes` are
    those that `load` may use: your policy and its learner.
    """
    problem = Problem(n_arms, dim, horizon, noise_std=0.1, reward_norms=np.ones(n_arms))
    contexts = np.random.default_rng(seed).standard_normal((horizon, n_arms, dim))
    agent = policy.start(problem, np.random.default_rng(seed + 1))
    allowed = [*classes]
    with TemporaryDirectory() as folder:
        for start, stop, n_prefetched in ((0, horizon // 2, 0), (horizon // 2, 3 * horizon // 4, 0), (-10, horizon, 6)):
            if n_prefetched:
                agent.prefetch(contexts[start:][:n_prefetched])
            agents = agent, load(agent.save(Path(folder) / "agent.kb"), allowed)
            kept, loaded = (play_on(each, contexts[start:stop]) for each in agents)
            for number, (here, there) in enumerate(zip(kept, loaded, strict=True)):
                assert _bits(here) == _bits(there), (
                    f"{policy}: decision {number} after loading is {there}; without saving it is {here}"
                )


def play_on(agent: Agent, contexts: Array, delay: int = 3) -> list[Decision]:
    """Decide for contexts of shape (T, K, d); rewards come `delay` rounds late, and the last ones not at all."""
    decisions: list[Decision] = []
    for now, shown in enumerate(contexts):
        decisions.append(agent.choose(shown))
        if now >= delay:
            arm, then = decisions[now - delay].arm, contexts[now - delay]
            agent.observe(then[arm], arm, float(np.tanh(then[arm].sum()) + 0.1 * arm))
    return decisions


def _bits(decision: Decision) -> tuple[object, ...]:
    return decision._replace(scores=None), decision.scores.tobytes()  # type: ignore[arg-type]
