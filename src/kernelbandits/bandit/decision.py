"""What a bandit is asked, a row for all arms or one row per arm, and what it answers."""

import uuid
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from math import inf
from typing import Any, NamedTuple

import numpy as np

from kernelbandits import arm_checks
from kernelbandits.bandit.ledger import Awaiting
from kernelbandits.errors import InvalidArgument, shown
from kernelbandits.policies import Decision
from kernelbandits.reporting import Drawn, plot, rows_picture, short_html, short_repr
from kernelbandits.tables import TableEncoder
from kernelbandits.types import Array, ArrayLike, BoolArray


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


def contexts_of(
    row: Any, eligible: Collection[str] | ArrayLike | None, names: tuple[str, ...], encoder: TableEncoder
) -> tuple[Array, BoolArray | None]:
    """Return the context of all arms (d,), or contexts (K, d), and the mask of the arms that may be chosen."""
    mask = None if eligible is None else arm_checks.eligible(eligible, len(names), names)
    if _has_rows(row):
        return _contexts_per_arm(row, mask, names, encoder)
    context = encoder.transform(row)
    if context.shape == (1, encoder.dim):
        return context[0], mask
    if context.ndim != 1:
        raise InvalidArgument(f"row must be a single row; got {len(context)} rows. Use choose_many")
    return context, mask


def _has_rows(row: Any) -> bool:
    """Whether this is one row per arm rather than a row."""
    if not isinstance(row, Mapping) or not row:
        return False
    first = next(iter(row.values()))
    return isinstance(first, Mapping) or hasattr(first, "_asdict")


def _contexts_per_arm(
    rows: Mapping[str, Any], mask: BoolArray | None, names: tuple[str, ...], encoder: TableEncoder
) -> tuple[Array, BoolArray | None]:
    offered = arm_checks.mask_of([*rows], names, "row")
    if mask is not None and (lacking := np.flatnonzero(mask & ~offered)).size:
        raise InvalidArgument(f"eligible: there is no row for the arm {shown(names[int(lacking[0])])}")
    points = {name: encoder.transform(row) for name, row in rows.items()}
    some = next(iter(points.values()))
    return np.array([points.get(name, some) for name in names]), offered if mask is None else mask
