"""Decisions: what a learner answers, and what an agent tells and a log should keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

from kernelbandits.types import Array, BoolArray, IntArray


class Choice(NamedTuple):
    """A learner's answer for one round; see `Decision` for its fields.

    `probabilities` are those of all arms, shape (K,). None means that they follow from the rest: the arm was certain,
    or the arms with the best score are equally likely (`selection.distribution`).
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

    """

    id: int
    arm: int
    propensity: float
    scores: Array
    explored: bool


@final
@dataclass(frozen=True, slots=True, eq=False)
class Decisions:
    """The decisions of B rounds without feedback between them; one row or entry per round.

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
