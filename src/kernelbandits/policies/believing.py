"""A learner that acts on a belief: some turns for every arm first, then a rule that looks at means and deviations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, final

import numpy as np

from kernelbandits.beliefs import Belief
from kernelbandits.policies.base import Choice, Learner
from kernelbandits.policies.turns import Turns
from kernelbandits.problem import Problem
from kernelbandits.types import Array, BoolArray

Rule: TypeAlias = Callable[[Array, Array, BoolArray | None, np.random.Generator], Choice]
"""(means, standard deviations, eligible, rng) → choice."""


@final
class BelievingLearner(Learner):
    """Gives every arm `n_initial` turns; then the rule decides on what the tracker believes."""

    __slots__ = ("_in_turn", "_n_initial", "_rng", "_rule", "_tracker", "_turns")

    def __init__(self, belief: Belief, rule: Rule, n_initial: int, problem: Problem, rng: np.random.Generator) -> None:
        self._tracker = belief.start(problem)
        self._rule = rule
        self._n_initial = n_initial
        self._turns = Turns(problem.n_arms)
        self._in_turn = False
        self._rng = rng

    def decide(self, contexts: Array, eligible: BoolArray | None, row: int | None) -> Choice:
        self._in_turn = self._turns.fewest(eligible) < self._n_initial
        if self._in_turn:
            return self._turns.next(eligible)
        mean, std = self._tracker.mean_and_std(contexts, row)
        return self._rule(mean, std, eligible, self._rng)

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        self._tracker.learn(context, arm, reward, row)

    def withdraw(self) -> None:
        if self._in_turn:
            self._turns.give_back()

    def add_arm(self, problem: Problem) -> None:
        self._tracker.add_arm()
        self._turns.add_arm()

    def look_ahead(self, contexts: Array | None) -> None:
        self._tracker.look_ahead(contexts)
