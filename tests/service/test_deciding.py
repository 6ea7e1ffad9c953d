"""Requests that come together: the same decisions as one by one."""

import asyncio

import pytest
from machine import Machine
from test_learning import play

from kernelbandits.errors import InvalidArgument
from kernelbandits.service import deciding
from kernelbandits.service.deciding import Decider, decide_many
from kernelbandits.service.decisions import Decided, decide
from kernelbandits.service.opening import salt_of
from kernelbandits.service.requests import RankRequest


def test_together_as_alone(tmp_path):
    machine = play(Machine(str(tmp_path / "shop.db"), tmp_path, control=0.1), 0, 120)
    with machine.database.read() as tx:
        snapshot = machine.state.snapshot(salt_of(tx))
    wanted = [RankRequest({"age": float(20 + n), "city": "Rome"}, deferred=n % 2 == 0) for n in range(20)]
    wanted[3] = RankRequest({"age": "old", "city": "Rome"})
    wanted[5] = RankRequest({"age": 1e200, "city": "Rome"})
    wanted[7] = RankRequest({"age": 40.0, "city": "Oslo"}, arms=("none", "free shipping"))
    wanted[9] = RankRequest({"age": 40.0, "city": "Oslo"}, excluded=("none",))
    found = decide_many([(snapshot, request, f"id {n}") for n, request in enumerate(wanted)])
    for number, (request, answer) in enumerate(zip(wanted, found, strict=True)):
        if isinstance(answer, Decided):
            alone = decide(snapshot, request, f"id {number}")
            assert (answer.kept, answer.arm, answer.control) == (alone.kept, alone.arm, alone.control)
            assert dict(answer.ranking) == pytest.approx(dict(alone.ranking), abs=1e-12)
        else:
            with pytest.raises((InvalidArgument, type(answer)), match="age"):
                decide(snapshot, request, f"id {number}")
    assert [type(answer) is Decided for answer in found].count(True) >= 18
    machine.stop()


class Writer:
    """Writes nothing."""

    def add(self, operation, future):
        future.set_result(operation)

    def flush(self):
        pass


def test_requests_are_gathered_while_more_of_them_come(monkeypatch):
    sizes = []

    def decided(asked):
        sizes.append(len(asked))
        return [Decided(None, "a", 1.0, "a", [], False, ())] * len(asked)

    monkeypatch.setattr(deciding, "decide_many", decided)

    async def ask():
        decider = Decider(asyncio.get_running_loop(), Writer())

        async def asked(turns=0):
            for _ in range(turns):
                await asyncio.sleep(0)
            await decider.submit((None, None, ""), lambda answer: answer)

        for _ in range(3):
            await asked()
        await asyncio.gather(asked(), asked())
        await asyncio.gather(*(asked(turns) for turns in range(6)))
        await asyncio.gather(asked(), asked(20))
        await asyncio.gather(*(asked() for _ in range(40)))
        await asked()
        await asked()

    asyncio.run(ask())
    assert sizes == [1, 1, 1, 2, 6, 1, 1, 32, 8, 1, 1]
