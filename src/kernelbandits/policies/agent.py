"""Agents check what they are given, keep track of arms, decisions and prefetched rounds, and drive a learner."""

from __future__ import annotations

from dataclasses import replace
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs import Prefetched
from kernelbandits.errors import InvalidArgument
from kernelbandits.policies import learner as learners
from kernelbandits.policies.active_arms import ActiveArms
from kernelbandits.policies.decisions import Decision, Decisions
from kernelbandits.policies.learner import Learner
from kernelbandits.problem import Problem
from kernelbandits.types import Array, ArrayLike, BoolArray


@final
class Agent:
    """Plays one bandit, one round at a time: `choose`, then `observe`. Checks come before any change.

    `_choose`, `_observe` and `_prefetch` are the same without checks, for callers that made or checked the data.
    """

    __slots__ = ("_arms", "_block", "_last_id", "_learner", "_n_decisions", "problem")

    def __init__(self, problem: Problem, learner: Learner) -> None:
        self.problem = problem
        self._learner = learner
        self._arms = ActiveArms(problem.n_arms)
        self._n_decisions = 0
        self._last_id: int | None = None
        self._block: Prefetched | None = None

    def choose(self, contexts: ArrayLike, eligible: ArrayLike | None = None) -> Decision:
        """Decide for contexts of shape (K, d), or (d,) if all arms share one; `eligible` masks arms, shape (K,)."""
        problem, arms, block = self.problem, self._arms, self._block
        X, mask = checks.contexts(contexts, problem.n_arms, problem.dim), checks.eligible(eligible, problem.n_arms)
        if not arms.complete:
            X, mask = arms.shown(X), arms.eligible(mask)
        if block is not None and block.next_is(X):
            X = next(block)  # checked when it was announced
        else:
            checks.refuse_unusable("contexts", X)
        return self._choose(X, mask)

    def _choose(self, contexts: Array, eligible: BoolArray | None = None) -> Decision:
        """`choose` without checks. A prefetched round must be the array that was taken from its block."""
        if self._block is not None and self._block.shown is not contexts:
            self._forget()
        choice = self._learner.decide(contexts, eligible)
        number = self._last_id = self._n_decisions
        self._n_decisions = number + 1
        return Decision(number, choice.arm, choice.propensity, choice.scores, choice.explored)

    def choose_batch(self, contexts: ArrayLike, eligible: ArrayLike | None = None) -> Decisions:
        """Decide for B rounds at once, contexts of shape (B, K, d), before any of their rewards is known.

        The same as B calls of `choose`, faster. `eligible` masks arms in all rounds, shape (K,), or in each, (B, K).
        """
        block = self._checked_block(contexts)
        mask = self._arms.eligible(checks.eligible_batch(eligible, len(block), self.problem.n_arms))
        if mask is not None:
            mask = np.broadcast_to(mask, block.shape[:2])
        self._forget()
        decisions = replace(learners.decide_batch(self._learner, block, mask), first_id=self._n_decisions)
        self._last_id = None
        self._n_decisions += len(block)
        return decisions

    def observe(self, context: ArrayLike, arm: int, reward: float) -> None:
        """Learn that `arm`, shown with `context` of shape (d,), gave `reward`. Any order, any delay."""
        x = checks.shaped_array("context", context, (self.problem.dim,), "the played arm's context")
        arm = checks.arm(arm, self.problem.n_arms)
        reward = checks.reward(reward)
        if self._block is None or self._block.row_with(x, arm) is None:  # what was announced has been checked then
            checks.refuse_unusable("context", x)
        self._observe(x, arm, reward)

    def _observe(self, context: Array, arm: int, reward: float) -> None:
        """`observe` without checks."""
        self._learner.observe(context, arm, reward)

    def withdraw(self, decision: Decision) -> None:
        """Take the last decision back: it was not carried out, and does not count as a turn of its arm."""
        if decision.id != self._last_id:
            raise InvalidArgument(
                f"decision: only the last one can be withdrawn, once and before the next; got number {decision.id}"
            )
        self._last_id = None
        learners.withdraw(self._learner)

    def add_arm(self) -> int:
        """Add an arm, of which nothing is known yet, and return its number; contexts then have one more row.

        Refused, with nothing changed, by policies that cannot learn about it or were told something about every arm.
        """
        problem = self.problem.with_another_arm()
        self._forget()  # prefetched for the old number of arms
        learners.add_arm(self._learner, problem)
        self._arms.add()
        self.problem = problem
        return problem.n_arms - 1

    def remove_arm(self, arm: int) -> None:
        """Never choose this arm again. The other arms keep their numbers, and contexts keep a row for this one.

        The values in that row do not matter. Rewards of the arm that are still on their way may be observed.
        """
        self._arms.remove(checks.arm(arm, self.problem.n_arms))
        self._forget()

    def prefetch(self, contexts: ArrayLike) -> None:
        """Announce the contexts of the next rounds, shape (B, K, d). A hint: it saves time and changes no decision."""
        self._prefetch(self._checked_block(contexts).copy())  # a copy, because the caller may reuse the array

    def _prefetch(self, contexts: Array) -> Prefetched:
        """`prefetch` without checks and copy. The caller takes the rounds for `_choose` from the answer."""
        self._block, block = None, Prefetched(contexts)
        try:
            learners.prefetch(self._learner, block)
        except BaseException:
            learners.prefetch(self._learner, None)  # a block that was prepared in part is no use
            raise
        self._block = block
        return block

    def _checked_block(self, contexts: ArrayLike) -> Array:
        shape = (None, self.problem.n_arms, self.problem.dim)
        block = self._arms.shown(checks.shaped_array("contexts", contexts, shape, "(rounds, arms, features)"))
        checks.refuse_unusable("contexts", block)
        return block

    def _forget(self) -> None:
        """Forget prefetched rounds."""
        if self._block is not None:
            self._block = None
            learners.prefetch(self._learner, None)
