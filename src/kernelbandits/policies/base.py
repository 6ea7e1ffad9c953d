"""What a policy is: a frozen spec that starts an agent. The agent checks and keeps the books; a learner learns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.problem import Problem
from kernelbandits.specs import Spec
from kernelbandits.types import Array, ArrayLike, BoolArray


class Choice(NamedTuple):
    """A learner's answer for one round; see `Decision` for the meaning of its parts."""

    arm: int
    propensity: float
    scores: Array
    explored: bool


@final
@dataclass(frozen=True, slots=True, eq=False)
class Decision:
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


class Learner(ABC):
    """The part of an agent that differs between policies. Its input was checked."""

    __slots__ = ()

    @abstractmethod
    def decide(self, contexts: Array, eligible: BoolArray | None, row: int | None) -> Choice:
        """The arm for contexts of shape (K, d). `row` is their place in the block last given to `look_ahead`."""

    @abstractmethod
    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        """Take in one reward. `row` is the place of the context in the block, None if it is not of this block."""

    def look_ahead(self, contexts: Array | None) -> None:  # noqa: B027
        """Contexts that will come, shape (B, K, d), None to forget them: a hint that must not change a decision."""


class Policy(Spec, ABC):
    """How to decide. `start` gives an agent that does it; one policy can start any number of agents."""

    __slots__ = ()

    def start(self, problem: Problem, rng: np.random.Generator | int) -> Agent:
        """An agent for this problem. All of its randomness comes from `rng` (a generator or a seed)."""
        if not isinstance(problem, Problem):
            raise InvalidArgument(f"problem must be a Problem, such as Problem(n_arms=3, dim=50); got {problem!r}")
        return Agent(problem, self.learner(problem, np.random.default_rng(rng)))

    @abstractmethod
    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        """The learner behind a new agent; raises if the problem does not state what this policy needs."""


@final
class Agent:
    """Plays one bandit, one round at a time: `choose`, then `observe`. Checks come before any change."""

    __slots__ = ("_ahead", "_chosen_row", "_learner", "_n_decisions", "_next_row", "problem")

    def __init__(self, problem: Problem, learner: Learner) -> None:
        self.problem = problem
        self._learner = learner
        self._n_decisions = 0
        self._ahead: Array | None = None
        self._next_row = 0
        self._chosen_row: int | None = None

    def choose(self, contexts: ArrayLike, eligible: ArrayLike | None = None) -> Decision:
        """Decide for contexts of shape (K, d), or (d,) if all arms share one; `eligible` masks arms, shape (K,)."""
        X = checks.contexts(contexts, self.problem.n_arms, self.problem.dim)
        mask = checks.eligible(eligible, self.problem.n_arms)
        row = self._place(X)
        if row is None:  # what was announced has been checked then
            checks.refuse_non_finite("contexts", X)
            self._forget_ahead()
        choice = self._learner.decide(X, mask, row)
        if row is not None:
            self._next_row = row + 1
        self._chosen_row = row
        decision = Decision(self._n_decisions, *choice)
        self._n_decisions += 1
        return decision

    def observe(self, context: ArrayLike, arm: int, reward: float) -> None:
        """Learn that `arm`, shown with `context` of shape (d,), gave `reward`. Any order, any delay."""
        x = checks.shaped_array("context", context, (self.problem.dim,), "the played arm's context")
        arm = checks.arm(arm, self.problem.n_arms)
        reward = checks.reward(reward)
        row = self._chosen_row
        if row is None or self._ahead is None or not (self._ahead[row, arm] == x).all():
            checks.refuse_non_finite("context", x)
            row = None
        self._learner.learn(x, arm, reward, row)

    def prefetch(self, contexts: ArrayLike) -> None:
        """Hint that the next rounds will show these contexts, shape (B, K, d). Saves time, never changes a decision."""
        shape = (None, self.problem.n_arms, self.problem.dim)
        # A copy, so that a caller who reuses the array cannot change what was announced.
        block = checks.finite_array("contexts", contexts, shape, "(rounds, arms, features)").copy()
        self._forget_ahead()
        try:
            self._learner.look_ahead(block)
        except BaseException:
            self._learner.look_ahead(None)  # a block that was worked on in part is no help
            raise
        self._ahead = block

    def _place(self, contexts: Array) -> int | None:
        """The row of the block that these contexts are, None if the hint does not hold."""
        row = self._next_row
        if self._ahead is None or row >= len(self._ahead) or not (self._ahead[row] == contexts).all():
            return None
        return row

    def _forget_ahead(self) -> None:
        self._next_row = 0
        self._chosen_row = None
        if self._ahead is not None:
            self._ahead = None
            self._learner.look_ahead(None)
