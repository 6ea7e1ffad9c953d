"""The learner of policies that act on a belief."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits.beliefs import Prefetched, Tracker
from kernelbandits.policies.learner import Choice, Learner, Scores
from kernelbandits.policies.returning_widths import ReturningWidths
from kernelbandits.policies.rules import DecisionRule
from kernelbandits.policies.selection import RoundRobin
from kernelbandits.problem import Problem
from kernelbandits.types import Array, BoolArray


@final
class BelievingLearner(Learner):
    """Gives every arm `n_initial` turns; then the rule decides on the tracker's means and standard deviations.

    Turns go by contexts, not by numbers of arms (`central_first`). Rewards that are observed before an arm's turn are
    turns of it, as in a start from a log.
    """

    __slots__ = ("_in_turn", "_n_initial", "_rng", "_rule", "_tracker", "_turns", "_widths")
    _widths: ReturningWidths | None
    _tracker: Tracker
    _rule: DecisionRule
    _n_initial: int
    _turns: RoundRobin
    _in_turn: bool
    _rng: np.random.Generator

    def __init__(
        self,
        tracker: Tracker,
        rule: DecisionRule,
        n_initial: int,
        problem: Problem,
        rng: np.random.Generator,
        widths: ReturningWidths | None = None,
    ) -> None:
        """`widths` make the tracker's deviations those that the rule decides on."""
        self._widths = widths
        self._tracker = tracker
        self._rule = rule
        self._n_initial = n_initial
        self._turns = RoundRobin(problem.n_arms)
        self._in_turn = False
        self._rng = rng

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        turns, n_initial = self._turns, self._n_initial
        # `fewest` answers at once in nearly all rounds.
        self._in_turn = turns.fewest < n_initial and turns.due(n_initial, eligible)
        if self._in_turn:
            return turns.next(eligible, contexts)
        mean, std = self._tracker.mean_and_std(contexts)
        if self._widths is not None:
            std = self._widths.times(std)
        return self._rule(mean, std, eligible, self._rng)

    def score(self, contexts: Array, eligible: BoolArray | None) -> Scores:
        means, stds = self._believed(contexts)
        wide = stds if self._widths is None else self._widths.times(stds)
        probabilities = self._rule.probabilities(means, wide, eligible)
        if self._turns.fewest < self._n_initial:
            self._turns.take_over(probabilities, self._n_initial, eligible, contexts)
        return Scores(means, stds, probabilities)

    def _believed(self, contexts: Array) -> tuple[Array, Array]:
        """Means and standard deviations for contexts of shape (B, K, d), shape (B, K): prefetched, then forgotten.

        A single round is believed as in `decide`: with the same bits, and as fast.
        """
        if len(contexts) == 1:
            mean, std = self._tracker.mean_and_std(contexts[0])
            return mean[np.newaxis], std[np.newaxis]
        found = self._tracker.means_and_stds(contexts)
        if found is not None:
            return found
        block, means, stds = Prefetched(contexts), np.empty(contexts.shape[:2]), np.empty(contexts.shape[:2])
        try:
            self._tracker.prefetch(block)
            for row, shown in enumerate(block):
                means[row], stds[row] = self._tracker.mean_and_std(shown)
        finally:
            self._tracker.prefetch(None)
        return means, stds

    def observe(self, context: Array, arm: int, reward: float) -> None:
        self._tracker.observe(context, arm, reward)
        if self._turns.fewest < self._n_initial:
            self._turns.observe(arm)

    def withdraw(self) -> None:
        if self._in_turn:
            self._turns.withdraw()

    def add_arm(self, problem: Problem) -> None:
        self._tracker.add_arm(problem)
        self._turns.add_arm()

    def prefetch(self, block: Prefetched | None) -> None:
        self._tracker.prefetch(block)
