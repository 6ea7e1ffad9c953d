"""Requests that come together: the same decisions as one by one."""

import pytest
from machine import Machine
from test_learning import play

from kernelbandits.errors import InvalidArgument
from kernelbandits.service.deciding import decide_many
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
