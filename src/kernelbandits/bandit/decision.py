"""What a bandit answers."""

from __future__ import annotations

from typing import Any, NamedTuple


class BanditDecision(NamedTuple):
    """The decision of a `Bandit` for one row.

    Attributes:
        id: a text that no other decision has; the reward is observed by it.
        arm: the name of the arm to play.
        propensity: exact probability with which this arm is chosen, given the past and the row.
        scores: what the eligible arms were compared by, per name.
        explored: whether the arm was played to learn rather than because it looked best.

    """

    id: str
    arm: str
    propensity: float
    scores: dict[str, float]
    explored: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, which any JSON writer takes."""
        return self._asdict()
