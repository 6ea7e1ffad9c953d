"""The service's own routes."""

import asyncio
from copy import deepcopy
from typing import Any

import msgspec

from kernelbandits.errors import InvalidArgument, KernelBanditsError, shown
from kernelbandits.service import events
from kernelbandits.service.deciding import MOST, decide_many
from kernelbandits.service.decisions import MOST_ARMS, Decided, Snapshot
from kernelbandits.service.group_commit import Operation
from kernelbandits.service.metrics import Counts, exposition, totals
from kernelbandits.service.requests import Answer, BatchRequest, RankRequest, RewardRequest
from kernelbandits.service.storage import Transaction
from kernelbandits.service.web.messages import Refusal, Request, Response, answered
from kernelbandits.service.worker import Worker

_rank = msgspec.json.Decoder(RankRequest)
_batch = msgspec.json.Decoder(BatchRequest)
_reward = msgspec.json.Decoder(RewardRequest)


def current(worker: Worker) -> Snapshot:
    """The newest snapshot; refuses while there is none."""
    if worker.snapshot is None:
        message = "the policy is being loaded; try again in a moment"
        raise Refusal(503, "not_ready", "", message, ((b"retry-after", b"1"),))
    return worker.snapshot


async def rank(worker: Worker, request: Request) -> Response:
    """Decide once."""
    return answered(await ranked(worker, request.decoded(_rank)))


async def ranked(worker: Worker, wanted: RankRequest) -> Answer:
    """A decision that is on disk."""
    snapshot, event_id = current(worker), wanted.event_id or worker.clock.new_id()

    def write(decided: Decided) -> Operation:
        return lambda tx, counts: _written(tx, counts, worker, snapshot, [(event_id, decided)])[0]

    try:
        answer: Answer = await worker.decider.submit((snapshot, wanted, event_id), write)
    except InvalidArgument:  # what was answered before stays so, even if an arm has been removed since
        if wanted.event_id is None:
            raise
        # By the writer, because what can be read is not on disk yet, perhaps.
        earlier = await worker.writer.submit(lambda tx, counts: events.earlier_answer(tx, event_id, wanted))
        if earlier is None:
            raise
        return earlier
    return answer


async def rank_batch(worker: Worker, request: Request) -> Response:
    """Decide several times."""
    wanted = request.decoded(_batch).requests
    given = [each.event_id for each in wanted if each.event_id is not None]
    if len(set(given)) < len(given):
        raise InvalidArgument("requests: an event_id comes twice; give each request an id of its own")
    snapshot, decided = current(worker), []
    asked = [(snapshot, each, each.event_id or worker.clock.new_id()) for each in wanted]
    for start in range(0, len(asked), MOST):
        part = asked[start : start + MOST]
        for number, answer in enumerate(decide_many(part), start=start):
            if isinstance(answer, Exception):
                raise InvalidArgument(f"requests[{number}]: {answer}") from answer
            decided.append((asked[number][2], answer))
        await asyncio.sleep(0)  # let others go on

    def write(tx: Transaction, counts: Counts) -> list[Answer]:
        tx.change("SAVEPOINT batch")
        try:
            return _written(tx, counts, worker, snapshot, decided)
        except KernelBanditsError:  # an id was used before: nothing of the batch is kept
            tx.change("ROLLBACK TO SAVEPOINT batch")
            raise

    return answered({"answers": await worker.writer.submit(write)})


def _written(
    tx: Transaction, counts: Counts, worker: Worker, snapshot: Snapshot, decided: list[tuple[str, Decided]]
) -> list[Answer]:
    written = [events.insert_event(tx, event_id, worker.clock.now(), snapshot, each) for event_id, each in decided]
    for _, new in written:
        counts["events" if new else "repeats"] += 1.0
    return [answer for answer, _ in written]


async def reward(worker: Worker, request: Request) -> Response:
    """Take a reward."""
    wanted = request.decoded(_reward)
    taken = await rewarded(worker, request.names[0], wanted.value, wanted.reward_id)
    return answered({"event_id": request.names[0], "late": taken.late, "repeated": taken.repeated})


async def rewarded(worker: Worker, event_id: str, value: float, reward_id: str | None) -> events.Taken:
    """A reward that is on disk."""
    low, high = current(worker).learning.reward_range
    if not low <= value <= high:
        raise InvalidArgument(f"value: expected a number from {low:g} to {high:g} (reward_range); got {value:g}")
    name = reward_id or worker.clock.new_id()

    def write(tx: Transaction, counts: Counts) -> events.Taken:
        taken = events.insert_reward(tx, event_id, name, value, worker.clock.now())
        counts["repeats" if taken.repeated else "rewards"] += 1.0
        if taken.late and not taken.repeated:
            counts["rewards_late"] += 1.0
        return taken

    return await worker.writer.submit(write)


async def activate(worker: Worker, request: Request) -> Response:
    """Let a deferred event be learned."""
    return answered({"event_id": request.names[0], "activated": await activated(worker, request.names[0])})


async def activated(worker: Worker, event_id: str) -> bool:
    """Whether the event was not active before; on disk."""

    def write(tx: Transaction, counts: Counts) -> bool:
        new = events.activate(tx, event_id)
        if new:
            counts["activations"] += 1.0
        return new

    return await worker.writer.submit(write)


async def event(worker: Worker, request: Request) -> Response:
    """Tell everything about an event."""
    event_id = request.names[0]
    return answered(await worker.read(lambda tx: events.find_event(tx, event_id)))


_FILTERS = {name: f"{name} = ?" for name in ("arm", "fate", "control", "settled")} | {"before": "time < ?"}


async def event_list(worker: Worker, request: Request) -> Response:
    """List events, the newest first."""
    given = request.parameters()
    limit = _whole(given.pop("limit", "50"), "limit", 1000)
    unknown = next((name for name in given if name not in _FILTERS), None)
    if unknown is not None:
        raise InvalidArgument(f"query: unknown parameter {shown(unknown)}; known: limit, {', '.join(_FILTERS)}")
    values: list[Any] = [given[name] if name in ("arm", "fate") else _whole(given[name], name, 2**62) for name in given]
    if any("\x00" in value for value in values if isinstance(value, str)):
        raise InvalidArgument("query: expected text without NUL")
    where = " AND ".join(_FILTERS[name] for name in given) or "1 = 1"
    return answered({"events": await worker.read(lambda tx: events.newest_events(tx, limit, where, values))})


def _whole(text: str, name: str, most: int) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 19 or int(text) > most:
        raise InvalidArgument(f"{name}: expected a whole number from 0 to {most}; got {shown(text)}")
    return int(text)


async def put_arm(worker: Worker, request: Request) -> Response:
    """Make an arm known."""
    name, snapshot = request.names[0], current(worker)
    if name in snapshot.removed:
        raise events.Conflict(f"arm: {shown(name)} was removed for good; give the new arm a new name")
    if len(snapshot.counts) >= MOST_ARMS:
        raise InvalidArgument(f"arm: at most {MOST_ARMS} can be known at a time; remove some first")
    if snapshot.bandit is not None and name not in snapshot.counts:
        deepcopy(snapshot.bandit).add_arm(name)  # raises if the policy cannot
    new = await worker.writer.submit(lambda tx, counts: events.add_arms(tx, [name], worker.clock.now()))
    return answered({"arm": name, "added": bool(new)})


async def delete_arm(worker: Worker, request: Request) -> Response:
    """Take an arm out."""
    name = request.names[0]
    gone = await worker.writer.submit(lambda tx, counts: events.remove_arm(tx, name, worker.clock.now()))
    return answered({"arm": name, "removed": gone})


async def policy(worker: Worker, request: Request) -> Response:
    """Tell what the policy is and how it is doing."""
    snapshot = current(worker)
    settings = msgspec.to_builtins(snapshot.learning)
    return answered({"settings": settings, **worker.published})


async def healthz(worker: Worker, request: Request) -> Response:
    """Say that the process answers."""
    return answered({"status": "ok"})


async def readyz(worker: Worker, request: Request) -> Response:
    """Say whether decisions can be made and written."""
    snapshot = current(worker)
    await worker.read(lambda tx: tx.one("SELECT 1"))
    return answered({"status": "ready", "version": snapshot.version})


async def metrics(worker: Worker, request: Request) -> Response:
    """Counters of this machine, summed over its workers."""
    host = worker.name.rpartition(":")[0] + ":"
    found, awaiting = await worker.read(lambda tx: (totals(tx, host), events.n_awaiting(tx)))
    gauges = {"awaiting_rewards": awaiting, "policy_version": current(worker).version}
    return Response(
        "\n".join([*exposition(found, gauges), ""]).encode(), kind=b"text/plain; version=0.0.4; charset=utf-8"
    )
