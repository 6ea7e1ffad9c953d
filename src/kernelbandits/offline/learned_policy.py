"""A policy that is still to be learned, as a candidate: from other rows of the log than it is valued on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from kernelbandits.offline.candidate import Candidate, Chances, agent_chances, among
from kernelbandits.offline.log import BLOCK, Log
from kernelbandits.offline.reward_models import played
from kernelbandits.offline.split import Split, doubling, folds
from kernelbandits.policies import Policy
from kernelbandits.problem import Problem
from kernelbandits.specs import Count
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True)
class LearnedPolicy(Candidate):
    """What a policy decides after it has learned from the log, exploring no more than it would at that point.

    The log is cut into `n_parts`. For each part an agent learns from the others, and its probabilities are those of
    that part. So no row values a policy that has seen it. The value is the average over these agents, which have seen
    somewhat fewer rows than one that learns from all. If the log was written by a policy that learned, agents learn
    from earlier rows only: the first from none, for at most 50 rows, the last, for half of the log, from the first
    half. That is less than a policy learns from all rows, so say `learned=False` of a log by a policy that did not.

    Attributes:
        policy: what learns from the log.
        n_parts: parts of the log, at least 2; more parts let each agent learn from more rows, and take longer. The
            log of a policy that learned is cut into parts that double in length instead.

    >>> rng, arms = np.random.default_rng(0), np.arange(200) % 2
    >>> contexts, luck = rng.standard_normal((200, 1)), rng.random(200)
    >>> best = (contexts[:, 0] > 0).astype(int)
    >>> log = Log(contexts, arms, 1.0 * (luck < 0.2 + 0.6 * (arms == best)), np.full(200, 0.5), 2)
    >>> evaluate(log, {"UCB": LearnedPolicy(LinearUCB())})["UCB"].verdict.kind
    'better'

    See also `evaluate`, `SavedBandit`, `ByFunction`.
    """

    policy: Policy
    n_parts: Count = 5

    def chances_of(self, log: Log, split: Split, rng: np.random.Generator) -> Chances:
        in_order = not split.learns_from[0].any()
        own = doubling(len(log)) if in_order else folds(len(log), max(self.n_parts, 2))
        problem = Problem(log.n_arms, max(log.dim, 1), len(log), arms=log.names)
        asks = [self._trained(log, own, part, problem, each) for part, each in enumerate(rng.spawn(own.n_parts))]

        def chances(contexts: Array, start: int) -> Array:
            parts = own.part[start : start + len(contexts)]
            answer = np.empty((len(contexts), log.n_arms))
            for part in np.unique(parts).tolist():
                rows = np.flatnonzero(parts == part)
                answer[rows] = among(asks[part](padded(contexts[rows]), 0), log, start + rows)
            return answer

        return chances

    def _trained(self, log: Log, own: Split, part: int, problem: Problem, rng: np.random.Generator) -> Chances:
        agent: Any = self.policy.start(problem, rng)
        allowed = own.learns_from[part][own.part]
        for start in range(0, len(log), BLOCK):
            rows = start + np.flatnonzero(allowed[start : start + BLOCK])
            if len(rows):
                X = padded(played(log.contexts[start : start + BLOCK], log.arms[start : start + BLOCK]))
                agent.observe_batch(X[rows - start], log.arms[rows], log.rewards[rows])
        return agent_chances(agent, replace(log, eligible=None))


def padded(contexts: Array) -> Array:
    """Return the contexts; without features, with one that is 0, because agents need one."""
    return contexts if contexts.shape[-1] else np.zeros((*contexts.shape[:-1], 1))
