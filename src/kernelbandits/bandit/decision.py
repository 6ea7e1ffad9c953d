"""What a bandit answers."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from math import inf
from typing import Any, NamedTuple

from kernelbandits.bandit.ledger import Awaiting
from kernelbandits.policies import Decision
from kernelbandits.reporting import Drawn, plot, rows_picture, short_html, short_repr
from kernelbandits.types import Array, BoolArray


class BanditDecision(NamedTuple):
    """The decision of a `Bandit` for one row.

    Attributes:
        id: a text that no other decision has; the reward is observed by it.
        arm: the name of the arm to play.
        propensity: exact probability with which this arm is chosen, given the past and the row.
        scores: what the eligible arms were compared by, per name; for a UCB policy the upper bounds of mean rewards.
        explored: whether the arm was played to learn rather than because it looked best.

    >>> bandit = Bandit(["none", "5pct", "10pct"], policy=Uniform()).encode({"age": [20.0, 30.0, 60.0]})
    >>> decision = bandit.choose({"age": 25.0}, eligible=["none", "5pct"])
    >>> decision.propensity, sorted(decision.scores)
    (0.5, ['5pct', 'none'])

    See also `Bandit`, `BanditSummary`, `ArmSummary`.
    """

    id: str
    arm: str
    propensity: float
    scores: dict[str, float]
    explored: bool

    def __repr__(self) -> str:
        return short_repr(self)

    def _repr_html_(self) -> str:
        return short_html(self)

    def plot(self) -> Drawn:
        """Draw the score of every eligible arm with pyplot, the decision with a star; returns the axes."""
        names = list(self.scores)
        best = names.index(self.arm)
        return plot(rows_picture("Scores", "score", names, list(self.scores.values()), best=best))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which any JSON writer takes."""
        return self._asdict()


def entered(
    decision: Decision, context: Array, mask: BoolArray | None, names: tuple[str, ...], version: int
) -> tuple[Awaiting, BanditDecision]:
    """An agent's decision with a new id: what the ledger keeps, and what the caller gets."""
    number, arm, propensity = str(uuid.uuid4()), decision.arm, decision.propensity
    allowed = None if mask is None else tuple(name for name, may in zip(names, mask, strict=True) if may)
    scores = {name: score for name, score in zip(names, decision.scores.tolist(), strict=True) if score > -inf}
    entry = Awaiting(number, datetime.now(UTC), context, arm, propensity, allowed, version)
    return entry, BanditDecision(number, names[arm], propensity, scores, decision.explored)
