"""What a policy is: a frozen spec that starts an agent. The agent checks and keeps the books; a learner learns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.policies.roster import Roster
from kernelbandits.problem import Problem
from kernelbandits.specs import Spec
from kernelbandits.types import Array, ArrayLike, BoolArray, IntArray


class Choice(NamedTuple):
    """A learner's answer for one round; see `Decision` for the meaning of its parts.

    `probabilities` are those of all arms, shape (K,). None says that they follow from the rest: the arm was certain, or
    the arms with the best score share alike (`choosing.distribution`).
    """

    arm: int
    propensity: float
    scores: Array
    explored: bool
    probabilities: Array | None = None


class Decision(NamedTuple):
    """What an agent decided and what a log should keep.

    Attributes:
        id: number of this decision, counted from 0 for the agent's first.
        arm: the arm to play, 0 … K − 1.
        propensity: exact probability with which this arm is chosen, given the past and the contexts.
        scores: what the arms were compared by, shape (K,); −∞ for arms that are not eligible.
        explored: whether the arm was played to learn rather than because it looked best.

    """

    id: int
    arm: int
    propensity: float
    scores: Array
    explored: bool


@final
@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """The decisions of B rounds without feedback between them; a row or entry a round.

    Attributes:
        first_id: number of the first decision; the others follow.
        arms: shape (B,).
        propensities: shape (B,).
        scores: shape (B, K).
        explored: shape (B,).

    """

    first_id: int
    arms: IntArray
    propensities: Array
    scores: Array
    explored: BoolArray

    def __len__(self) -> int:
        return len(self.arms)

    @staticmethod
    def of(choices: Sequence[Choice], first_id: int = 0) -> Decisions:
        """Choices of consecutive rounds, side by side."""
        arms, propensities, scores, explored, _ = zip(*choices, strict=True)
        return Decisions(first_id, np.array(arms), np.array(propensities), np.array(scores), np.array(explored))


class Learner(ABC):
    """The part of an agent that differs between policies. Its input was checked."""

    __slots__ = ()

    @abstractmethod
    def decide(self, contexts: Array, eligible: BoolArray | None, row: int | None) -> Choice:
        """The arm for contexts of shape (K, d). `row` is their place in the block last given to `look_ahead`."""

    @abstractmethod
    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        """Take in one reward. `row` is the place of the context in the block, None if it is not of this block."""

    def decide_batch(self, contexts: Array, eligible: BoolArray | None) -> Decisions:
        """Decisions for contexts of shape (B, K, d) and a mask of shape (B, K), as if asked round by round."""
        masks = [None] * len(contexts) if eligible is None else eligible
        return Decisions.of([self.decide(shown, mask, None) for shown, mask in zip(contexts, masks, strict=True)])

    def withdraw(self) -> None:  # noqa: B027
        """The last decision was not carried out. For learners that count decisions; nothing by default."""

    def add_arm(self, problem: Problem) -> None:
        """Take on one more arm, the last of `problem`, of which nothing is known; or raise, and change nothing."""
        raise InvalidArgument("an agent of this policy cannot take on another arm; start a new agent with all arms")

    def look_ahead(self, contexts: Array | None) -> None:  # noqa: B027
        """Contexts that will come, shape (B, K, d), None to forget them: a hint that must not change a decision."""


class Policy(Spec, ABC):
    """How to decide. `start` gives an agent that does it; one policy can start any number of agents."""

    __slots__ = ()

    def start(self, problem: Problem, rng: np.random.Generator | int) -> Agent:
        """An agent for this problem. All of its randomness comes from `rng` (a generator or a seed)."""
        checks.instance("problem", problem, Problem, "Problem(n_arms=3, dim=50)")
        return Agent(problem, self.learner(problem, checks.generator(rng)))

    @abstractmethod
    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        """The learner behind a new agent; raises if the problem does not state what this policy needs."""


@final
class Agent:
    """Plays one bandit, one round at a time: `choose`, then `observe`. Checks come before any change."""

    __slots__ = ("_ahead", "_chosen_row", "_last_id", "_learner", "_n_decisions", "_next_row", "_roster", "problem")

    def __init__(self, problem: Problem, learner: Learner) -> None:
        self.problem = problem
        self._learner = learner
        self._roster = Roster(problem.n_arms)
        self._n_decisions = 0
        self._last_id: int | None = None
        self._ahead: Array | None = None
        self._next_row = 0
        self._chosen_row: int | None = None

    def choose(self, contexts: ArrayLike, eligible: ArrayLike | None = None) -> Decision:
        """Decide for contexts of shape (K, d), or (d,) if all arms share one; `eligible` masks arms, shape (K,)."""
        X = self._roster.shown(checks.contexts(contexts, self.problem.n_arms, self.problem.dim))
        mask = self._roster.eligible(checks.eligible(eligible, self.problem.n_arms))
        row = self._place(X)
        if row is None:  # what was announced has been checked then
            checks.refuse_unusable("contexts", X)
            if self._ahead is not None:
                self._forget_ahead()
        choice = self._learner.decide(X, mask, row)
        if row is not None:
            self._next_row = row + 1
        self._chosen_row = row
        decision = Decision(self._n_decisions, choice.arm, choice.propensity, choice.scores, choice.explored)
        self._last_id = decision.id
        self._n_decisions += 1
        return decision

    def choose_batch(self, contexts: ArrayLike, eligible: ArrayLike | None = None) -> Decisions:
        """Decide for B rounds at once, contexts of shape (B, K, d), before any of their rewards is known.

        The same as B calls of `choose`, faster. `eligible` masks arms in all rounds, shape (K,), or in each, (B, K).
        """
        block = self._block(contexts)
        mask = self._roster.eligible(checks.eligible_batch(eligible, len(block), self.problem.n_arms))
        if mask is not None:
            mask = np.broadcast_to(mask, block.shape[:2])
        self._forget_ahead()
        decisions = replace(self._learner.decide_batch(block, mask), first_id=self._n_decisions)
        self._last_id = None
        self._n_decisions += len(block)
        return decisions

    def observe(self, context: ArrayLike, arm: int, reward: float) -> None:
        """Learn that `arm`, shown with `context` of shape (d,), gave `reward`. Any order, any delay."""
        x = checks.shaped_array("context", context, (self.problem.dim,), "the played arm's context")
        arm = checks.arm(arm, self.problem.n_arms)
        reward = checks.reward(reward)
        row = self._chosen_row
        if row is None or self._ahead is None or np.count_nonzero(self._ahead[row, arm] != x):
            checks.refuse_unusable("context", x)
            row = None
        self._learner.learn(x, arm, reward, row)

    def withdraw(self, decision: Decision) -> None:
        """Say that the last decision was not carried out: it then does not count as a turn of its arm."""
        if decision.id != self._last_id:
            raise InvalidArgument(
                f"decision: only the last one can be withdrawn, once and before the next; got number {decision.id}"
            )
        self._last_id = None
        self._learner.withdraw()

    def add_arm(self) -> int:
        """Take on another arm and return its number; contexts then have one more row. Nothing is known of it yet.

        Refused, with nothing changed, by policies that cannot learn about it or were told something of every arm.
        """
        problem = self.problem.with_another_arm()
        self._forget_ahead()  # announced for the old number of arms
        self._learner.add_arm(problem)
        self._roster.add()
        self.problem = problem
        return problem.n_arms - 1

    def remove_arm(self, arm: int) -> None:
        """Never choose this arm again. The other arms keep their numbers, and contexts keep a row for this one.

        What that row holds does not matter. Rewards of the arm that are still on their way may be observed.
        """
        self._roster.remove(checks.arm(arm, self.problem.n_arms))
        self._forget_ahead()

    def prefetch(self, contexts: ArrayLike) -> None:
        """Hint that the next rounds will show these contexts, shape (B, K, d). Saves time, never changes a decision."""
        block = self._block(contexts).copy()  # so that a caller who reuses the array cannot change what was announced
        self._forget_ahead()
        try:
            self._learner.look_ahead(block)
        except BaseException:
            self._learner.look_ahead(None)  # a block that was worked on in part is no help
            raise
        self._ahead = block

    def _block(self, contexts: ArrayLike) -> Array:
        shape = (None, self.problem.n_arms, self.problem.dim)
        block = self._roster.shown(checks.shaped_array("contexts", contexts, shape, "(rounds, arms, features)"))
        checks.refuse_unusable("contexts", block)
        return block

    def _place(self, contexts: Array) -> int | None:
        """The row of the block that these contexts are, None if the hint does not hold."""
        row = self._next_row
        if self._ahead is None or row >= len(self._ahead) or np.count_nonzero(self._ahead[row] != contexts):
            return None
        return row

    def _forget_ahead(self) -> None:
        self._next_row = 0
        self._chosen_row = None
        if self._ahead is not None:
            self._ahead = None
            self._learner.look_ahead(None)
