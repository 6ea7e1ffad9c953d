"""What clients send, as typed values."""

from typing import Annotated, Any

import msgspec

_NAME = r"^[^\x00-\x1f\x7f]+$"
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=256, pattern=_NAME)]
Row = dict[str, Any]


class ShownArm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An arm with features of its own, which join those of the context."""

    id: Name
    features: Row = {}


class RankRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for a decision.

    Attributes:
        context: features of the situation, by name.
        arms: those that can be chosen, the baseline first; all arms if left out.
        excluded: arms that cannot be chosen this time.
        event_id: makes the call idempotent; made by the service if left out.
        deferred: learn nothing from it until it is activated.

    """

    context: Row = {}
    arms: Annotated[tuple[Name | ShownArm, ...], msgspec.Meta(min_length=1, max_length=1000)] | None = None
    excluded: Annotated[tuple[Name, ...], msgspec.Meta(max_length=1000)] = ()
    event_id: Name | None = None
    deferred: bool = False

    @property
    def named(self) -> bool:
        """Whether it says which arms can be chosen."""
        return self.arms is not None


class BatchRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for several decisions, none of which knows of the others."""

    requests: Annotated[tuple[RankRequest, ...], msgspec.Meta(min_length=1, max_length=1000)]


class RewardRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Report a reward. With an id, the same reward sent again counts once."""

    value: float
    reward_id: Name | None = None


class RankedArm(msgspec.Struct, frozen=True):
    """An arm and the probability with which the policy would choose it."""

    id: str
    probability: float


class Answer(msgspec.Struct, frozen=True):
    """A decision.

    Attributes:
        event_id: the reward is reported by it.
        arm: the arm to play.
        probability: with which it was chosen.
        ranking: all arms that could be chosen with the probability of each, largest first.
        version: number of entries of the journal that the policy had taken in.

    """

    event_id: str
    arm: str
    probability: float
    ranking: list[RankedArm]
    version: int


class Kept(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is kept of a request: enough to make the decision again; `named` tells whether it named its arms."""

    context: Row
    arms: tuple[str | ShownArm, ...]
    excluded: tuple[str, ...] = ()
    deferred: bool = False
    named: bool = False

    def row_of(self, arm: str) -> Row:
        """The features with which an arm was shown."""
        for each in self.arms:
            if isinstance(each, ShownArm) and each.id == arm:
                return {**self.context, **each.features}
        return self.context
