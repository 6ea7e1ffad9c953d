"""Routes shaped like those of Azure Personalizer, so that its clients need a new address only."""

from typing import Annotated, Any

import msgspec

from kernelbandits.errors import InvalidArgument
from kernelbandits.service.requests import Name, RankRequest, ShownArm
from kernelbandits.service.web.messages import Request, Response, answered
from kernelbandits.service.web.routes import activated, current, ranked, rewarded
from kernelbandits.service.worker import Worker

PREFIX = "/personalizer/v1.0"
Listed = list[dict[str, Any]]


class _Action(msgspec.Struct, frozen=True):
    id: Name
    features: Listed = []


class _Rank(msgspec.Struct, frozen=True, rename="camel"):
    actions: Annotated[tuple[_Action, ...], msgspec.Meta(min_length=1, max_length=50)]
    context_features: Listed | None = None
    excluded_actions: tuple[Name, ...] | None = None
    event_id: Name | None = None
    defer_activation: bool | None = None


class _Reward(msgspec.Struct, frozen=True):
    value: float


_rank = msgspec.json.Decoder(_Rank)
_reward = msgspec.json.Decoder(_Reward)


def _merged(features: Listed | None, field: str) -> dict[str, Any]:
    """The features of a list of objects as one object."""
    merged: dict[str, Any] = {}
    for each in features or []:
        for name, value in each.items():
            if name in merged:
                raise InvalidArgument(f"{field}: the feature {name!r} comes twice; expected different names")
            merged[name] = value
    return merged


async def rank(worker: Worker, request: Request) -> Response:
    """Rank as the retired service did: the first action is the baseline."""
    wanted = request.decoded(_rank)
    arms = tuple(ShownArm(action.id, _merged(action.features, "features")) for action in wanted.actions)
    own = RankRequest(
        _merged(wanted.context_features, "contextFeatures"),
        arms,
        tuple(wanted.excluded_actions or ()),
        wanted.event_id,
        deferred=bool(wanted.defer_activation),
    )
    found = await ranked(worker, own)
    excluded = [{"id": name, "probability": 0.0} for name in own.excluded]
    ranking = [{"id": each.id, "probability": each.probability} for each in found.ranking]
    return answered({"ranking": [*ranking, *excluded], "eventId": found.event_id, "rewardActionId": found.arm}, 201)


async def reward(worker: Worker, request: Request) -> Response:
    """Take a reward; nothing is answered, as there."""
    await rewarded(worker, request.names[0], request.decoded(_reward).value, None)
    return Response(b"", 204)


async def activate(worker: Worker, request: Request) -> Response:
    """Let a deferred event be learned."""
    await activated(worker, request.names[0])
    return Response(b"", 204)


async def configuration(worker: Worker, request: Request) -> Response:
    """The settings under the names that they had there."""
    learning = current(worker).learning
    return answered(
        {
            "rewardWaitTime": f"PT{learning.wait // 1_000_000}S",
            "defaultReward": learning.default_reward,
            "rewardAggregation": learning.aggregation,
            "explorationPercentage": learning.exploration,
            "modelExportFrequency": f"PT{max(round(worker.settings.server.publish_every), 1)}S",
            "logRetentionDays": -1,
            "learningMode": {"online": "Online", "apprentice": "Apprentice"}.get(learning.mode, "LoggingOnly"),
        }
    )
