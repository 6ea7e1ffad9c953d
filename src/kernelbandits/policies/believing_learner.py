"""A learner that acts on a belief by a rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, final

import numpy as np

from kernelbandits.beliefs import Prefetched, Tracker
from kernelbandits.policies.decisions import Choice
from kernelbandits.policies.learner import Learner
from kernelbandits.policies.round_robin import RoundRobin
from kernelbandits.problem import Problem
from kernelbandits.types import Array, BoolArray

Rule: TypeAlias = Callable[[Array, Array, BoolArray | None, np.random.Generator], Choice]
"""(means, standard deviations, eligible, rng) → choice."""


@final
class BelievingLearner(Learner):
    """Gives every arm `n_initial` turns; then the rule decides on the tracker's means and standard deviations."""

    __slots__ = ("_in_turn", "_n_initial", "_rng", "_rule", "_tracker", "_turns")

    def __init__(
        self, tracker: Tracker, rule: Rule, n_initial: int, problem: Problem, rng: np.random.Generator
    ) -> None:
        self._tracker = tracker
        self._rule = rule
        self._n_initial = n_initial
        self._turns = RoundRobin(problem.n_arms)
        self._in_turn = False
        self._rng = rng

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        self._in_turn = self._turns.due(self._n_initial, eligible)
        if self._in_turn:
            return self._turns.next(eligible)
        mean, std = self._tracker.mean_and_std(contexts)
        return self._rule(mean, std, eligible, self._rng)

    def observe(self, context: Array, arm: int, reward: float) -> None:
        self._tracker.observe(context, arm, reward)

    def withdraw(self) -> None:
        if self._in_turn:
            self._turns.withdraw()

    def add_arm(self, problem: Problem) -> None:
        self._tracker.add_arm(problem)
        self._turns.add_arm()

    def prefetch(self, block: Prefetched | None) -> None:
        self._tracker.prefetch(block)
