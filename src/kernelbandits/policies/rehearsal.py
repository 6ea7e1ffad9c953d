"""A rehearsal: what is done with a copy of a loaded agent, so that a damaged one fails at once."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from kernelbandits.errors import KernelBanditsError

if TYPE_CHECKING:
    from kernelbandits.policies.agent import Agent

_LARGEST = 2**22  # entries of contexts, 32 MB
_NEW_ARM = "· rehearsal ·"


def rehearse(agent: Agent) -> None:
    """Do a little of all that an agent can do. What it explains itself is no fault, and the next verb may work."""
    K, d = agent.problem.n_arms, agent.problem.dim
    if K * d > _LARGEST:
        return
    block, explained = np.random.default_rng(0).standard_normal((2, K + 1, d)), suppress(KernelBanditsError)
    for step in range(min(2 * K + 4, 32)):
        contexts, arm = block[step % 2, :K], step % K
        with explained:
            agent.withdraw(agent.choose(contexts))
        with explained:
            agent.choose(contexts)
        with explained:
            agent.observe(contexts[arm], arm, 0.5 * step)
    for verb in (agent.score, agent.choose_batch, agent.prefetch):
        with explained:
            verb(block[:, :K])
    with explained:
        agent.observe(block[0, 0], agent.choose(block[0, :K]).arm, 0.5)
    with explained:
        arm = agent.add_arm(_NEW_ARM if agent.problem.arms else None)
        agent.choose(block[1])
        agent.observe(block[1, arm], arm, 0.5)
