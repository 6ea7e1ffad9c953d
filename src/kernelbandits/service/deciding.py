"""Requests that come together are decided together: the policy's products are then made for all of them at once."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, final

import numpy as np

from kernelbandits.bandit import weigh_many
from kernelbandits.errors import KernelBanditsError
from kernelbandits.service.decisions import Decided, Snapshot, decide, decide_kept
from kernelbandits.service.group_commit import GroupCommit, Operation
from kernelbandits.service.requests import Kept, RankRequest

MOST = 32  # more are decided in several parts, between which others may go on
_TURNS = 2
"""Turns of the event loop without a further request after which those that came are decided: what is read in one turn
is handed over in the next."""

Asked = tuple[Snapshot, RankRequest, str]


@final
class Decider:
    """Gathers requests for as long as more of them come, and hands what is decided to the writer.

    A request that comes alone, as the one before did, is decided at once.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, writer: GroupCommit) -> None:
        self._loop = loop
        self._writer = writer
        self._waiting: list[tuple[Asked, Callable[[Decided], Operation], asyncio.Future[Any]]] = []
        self._last = 1  # requests in the last batch
        self._seen = self._turns = 0

    def submit(self, asked: Asked, write: Callable[[Decided], Operation]) -> asyncio.Future[Any]:
        """Hand over a request; its future has the answer of the operation `write(decision)`, when that is on disk."""
        future: asyncio.Future[Any] = self._loop.create_future()
        if not self._waiting:
            self._loop.call_soon(self._decide)
        self._waiting.append((asked, write, future))
        return future

    def _decide(self) -> None:
        if self._more_may_come():
            self._loop.call_soon(self._decide)
            return
        batch, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        self._last, self._seen, self._turns = len(batch), 0, 0
        if self._waiting:
            self._loop.call_soon(self._decide)
        for (_, write, future), answer in zip(batch, decide_many([asked for asked, *_ in batch]), strict=True):
            if isinstance(answer, Decided):
                self._writer.add(write(answer), future)
            elif not future.cancelled():
                future.set_exception(answer)
        self._writer.flush()

    def _more_may_come(self) -> bool:
        n = len(self._waiting)
        if n >= MOST or n == self._last == 1:
            return False
        self._turns = 0 if n > self._seen else self._turns + 1
        self._seen = n
        return self._turns < _TURNS


def decide_many(asked: list[Asked]) -> list[Decided | Exception]:
    """The decision, or the refusal, of each request; those that leave all arms open are weighed at once."""
    decided: list[Decided | Exception] = []
    together = _together(asked)
    for place, each in enumerate(asked):
        try:
            decided.append(together.get(place) or decide(*each))
        except KernelBanditsError as error:
            decided.append(error)
    return decided


def _together(asked: list[Asked]) -> dict[int, Decided]:
    """The decisions, by place, of requests for all arms; those that are left out are to be decided alone."""
    snapshot = asked[0][0]
    bandit, known, points = snapshot.bandit, tuple(snapshot.counts), {}
    plain = [
        (place, request)
        for place, (other, request, _) in enumerate(asked)
        if other is snapshot and request.arms is None and not request.excluded
    ]
    if len(plain) < 2 or bandit is None or bandit.encoder is None or not all(snapshot.counts.values()):
        return {}
    for place, request in plain:
        with suppress(KernelBanditsError):  # alone it says what is wrong
            points[place] = bandit.encoder.transform_row(snapshot.learning.flat(request.context))
    if len(points) < 2:
        return {}
    try:
        chances = weigh_many(bandit, np.array([*points.values()])).tolist()
    except KernelBanditsError:
        return {}
    numbers = [bandit._problem.arms.index(name) for name in known]
    decided = {}
    for place, row in zip(points, chances, strict=True):
        _, request, event_id = asked[place]
        kept = Kept(request.context, known, deferred=request.deferred)
        weighed = {name: row[number] for name, number in zip(known, numbers, strict=True)}
        decided[place] = decide_kept(snapshot, kept, event_id, weighed)
    return decided
