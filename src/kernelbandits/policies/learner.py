"""What a learner is, and what it answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import inf
from typing import NamedTuple, final

import numpy as np

from kernelbandits.beliefs import Prefetched
from kernelbandits.errors import InvalidArgument
from kernelbandits.problem import Problem
from kernelbandits.reporting import Drawn, plot, rows_picture, short_html, short_repr
from kernelbandits.types import Array, BoolArray, IntArray


class Choice(NamedTuple):
    """A learner's answer for one round; see `Decision` for its fields.

    `probabilities` are those of all arms, shape (K,). None means that they follow from the rest: the arm was certain,
    or the arms with the best score are equally likely (`selection.distribution`).

    Attributes:
        arm: the arm to play, 0 … K − 1.
        propensity: its exact probability, given the past and the contexts.
        scores: what arms were compared by, shape (K,); −∞ for arms that are not eligible.
        explored: whether it is played to learn rather than because it looks best.
        probabilities: of all arms, shape (K,); None if they follow from the rest.

    >>> learner = LinearUCB().learner(Problem(n_arms=2, dim=3), np.random.default_rng(0))
    >>> learner.decide(np.ones((2, 3)), eligible=np.array([False, True]))
    Choice(arm=1, propensity=1.0, scores=array([-inf,   2.]), explored=False, probabilities=None)

    See also `Policy`, `Learner`, `Decision`, `Decisions`.
    """

    arm: int
    propensity: float
    scores: Array
    explored: bool
    probabilities: Array | None = None


class Decision(NamedTuple):
    """An agent's decision for one round.

    Attributes:
        id: number of this decision, counted from 0 for the agent's first.
        arm: the arm to play, 0 … K − 1.
        propensity: exact probability with which this arm is chosen, given the past and the contexts.
        scores: what the arms were compared by, shape (K,); −∞ for arms that are not eligible.
        explored: whether the arm was played to learn rather than because it looked best.
        name: the arm's name; None if the problem states no names.

    >>> agent = Uniform().start(Problem(arms=("no offer", "5 % off"), dim=3), rng=0)
    >>> decision = agent.choose(np.ones(3), eligible=["5 % off"])
    >>> decision.name, decision.propensity
    ('5 % off', 1.0)

    See also `Policy`, `Choice`, `Decisions`, `Scores`.
    """

    id: int
    arm: int
    propensity: float
    scores: Array
    explored: bool
    name: str | None = None

    def __repr__(self) -> str:
        return short_repr(self)

    def _repr_html_(self) -> str:
        return short_html(self)

    def plot(self) -> Drawn:
        """Draw the score of every eligible arm with pyplot, the decision with a star; returns the axes."""
        arms = [arm for arm, score in enumerate(self.scores.tolist()) if score > -inf]
        names = [f"arm {arm}" + (f": {self.name}" if arm == self.arm and self.name else "") for arm in arms]
        scores = self.scores[arms].tolist()
        return plot(rows_picture("Scores", "score", names, scores, best=arms.index(self.arm)))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """The decisions of B rounds without feedback between them: arrays of shape (B,), scores of shape (B, K).

    Attributes:
        first_id: number of the first decision; the others follow.
        arms: the arm to play in every round, shape (B,).
        propensities: exact probability of that arm, shape (B,).
        scores: what the arms were compared by, shape (B, K); −∞ for arms that are not eligible.
        explored: whether the arm is played to learn, shape (B,).
        arm_names: names of all K arms; empty if they have none. `names` has those of the arms to play.

    >>> agent = Uniform().start(Problem(arms=("no offer", "5 % off"), dim=3), rng=0)
    >>> decisions = agent.choose_batch(np.ones((2, 3)), eligible=[[True, False], [False, True]])
    >>> decisions.names, decisions.propensities
    (['no offer', '5 % off'], array([1., 1.]))

    See also `Policy`, `Decision`, `Scores`, `Problem`.
    """

    first_id: int
    arms: IntArray
    propensities: Array
    scores: Array
    explored: BoolArray
    arm_names: tuple[str, ...] = ()

    __repr__ = short_repr
    _repr_html_ = short_html

    def plot(self) -> Drawn:
        """Draw the share of rounds in which each arm was chosen with pyplot; returns the axes."""
        n_arms = self.scores.shape[1]
        shares = np.bincount(self.arms, minlength=n_arms) / max(len(self), 1)
        names = self.arm_names or [f"arm {arm}" for arm in range(n_arms)]
        return plot(rows_picture("Arms", f"share of {len(self):,} decisions", names, shares.tolist(), low=0.0))

    @property
    def names(self) -> list[str]:
        """The name of every round's arm; empty if arms have no names."""
        return [self.arm_names[arm] for arm in self.arms] if self.arm_names else []

    def __len__(self) -> int:
        return len(self.arms)


class Scores(NamedTuple):
    """What an agent would make of B rounds, each as if it came next: arrays of shape (B, K).

    Attributes:
        means: the expected reward of every arm; NaN where the policy states none.
        deviations: the standard deviation of what is believed of that expectation; NaN where the policy states none.
        probabilities: the exact probability with which each arm would be chosen.

    >>> Uniform().start(Problem(n_arms=2, dim=3), rng=0).score(np.ones((4, 2, 3))).probabilities[0]
    array([0.5, 0.5])

    See also `Policy`, `Decisions`, `Problem`, `largest_probabilities`.
    """

    means: Array
    deviations: Array
    probabilities: Array

    def __repr__(self) -> str:
        return short_repr(self)

    def _repr_html_(self) -> str:
        return short_html(self)


class Learner(ABC):
    """Decides and observes; its input was checked. Methods that are not abstract are hooks, which may be left out.

    One that always plays the last eligible arm:

    >>> class Last(Learner):
    ...     def decide(self, contexts, eligible):
    ...         arms = np.arange(len(contexts)) if eligible is None else np.flatnonzero(eligible)
    ...         return Choice(int(arms[-1]), 1.0, np.zeros(len(contexts)), explored=False)
    ...
    ...     def observe(self, context, arm, reward):
    ...         pass
    >>> Agent(Problem(n_arms=3, dim=2), Last()).choose([1.0, 2.0], eligible=[True, True, False]).arm
    1

    See also `Policy`, `Agent`, `Choice`, `Decision`.
    """

    __slots__ = ()

    @abstractmethod
    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        """The arm for contexts of shape (K, d) and a mask of shape (K,), None if every arm is eligible."""

    @abstractmethod
    def observe(self, context: Array, arm: int, reward: float) -> None:
        """Take one reward into account."""

    def decide_batch(self, contexts: Array, eligible: BoolArray | None) -> Decisions | None:
        """Decisions for contexts (B, K, d) and a mask (B, K), as if asked round by round; None: ask round by round."""
        return None

    def score(self, contexts: Array, eligible: BoolArray | None) -> Scores | None:
        """What it would make of contexts (B, K, d) with a mask (B, K), each as if it came next; None: it cannot say.

        Nothing may change but prefetched rounds, which may be forgotten.
        """
        return None

    def prefetch(self, block: Prefetched | None) -> None:  # noqa: B027
        """Prepare for the rounds of a block; None forgets them. Must not change a decision."""

    def withdraw(self) -> None:  # noqa: B027
        """Take the last decision back: it was not carried out. For learners that count their decisions."""

    def add_arm(self, problem: Problem) -> None:
        """Add an arm, the last of `problem`; or raise and change nothing."""
        raise InvalidArgument("agents of this policy cannot add an arm; start a new agent with all arms")
