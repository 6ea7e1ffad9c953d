"""The ledger of decisions that await their reward."""

import json
import zipfile
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, KernelBanditsError

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


def entry(number, eligible=None):
    when = NOON + timedelta(minutes=number)
    return kb.Awaiting(f"d{number}", when, np.array([number, 0.5]), number % 3, 0.25, eligible, number)


def test_entries_wait_until_their_reward_comes():
    ledger = kb.Ledger()
    assert ledger.since is None
    for number in range(3):
        ledger.add(entry(number))
    assert ledger.find("d1", 2.0).arm == 1
    ledger.settle("d1", 2.0)
    assert ledger.find("d1", 2.0) is None
    assert [each.id for each in ledger] == ["d0", "d2"]
    assert ledger.since == NOON
    with pytest.raises(InvalidArgument, match="has had the reward 2"):
        ledger.find("d1", 1.0)


def test_a_full_ledger_forgets_the_oldest():
    ledger = kb.Ledger(capacity=2)
    for number in range(3):
        ledger.add(entry(number))
    assert ([each.id for each in ledger], ledger.n_forgotten) == (["d1", "d2"], 1)
    with pytest.raises(InvalidArgument, match="'d0' awaits a reward; 1 older ones were forgotten"):
        ledger.find("d0", 1.0)
    for number in range(1, 5):
        ledger.add(entry(number))
        ledger.settle(f"d{number}", 0.0)
    with pytest.raises(InvalidArgument, match="no decision 'd2'"):
        ledger.find("d2", 0.0)
    assert ledger.find("d4", 0.0) is None
    with pytest.raises(InvalidArgument, match="capacity"):
        kb.Ledger(capacity=0)


def test_a_ledger_comes_back_from_a_file(tmp_path):
    ledger = kb.Ledger(capacity=5)
    for number in range(4):
        ledger.add(entry(number, eligible=("a", "b") if number % 2 else None))
    ledger.settle("d0", 7.5)
    loaded = kb.load(kb.save(ledger, tmp_path / "ledger.kb"))
    assert [each._replace(context=None) for each in loaded] == [each._replace(context=None) for each in ledger]
    assert all(np.array_equal(x.context, y.context) for x, y in zip(loaded, ledger, strict=True))
    assert loaded.find("d0", 7.5) is None
    assert loaded.capacity == 5
    assert len(kb.load(kb.save(kb.Ledger(), tmp_path / "empty.kb"))) == 0


def test_a_long_ledger_is_a_few_arrays_in_its_file(tmp_path):
    sizes = []
    for n in (2, 2000):
        ledger = kb.Ledger()
        for number in range(n):
            ledger.add(entry(number, eligible=("a", "b") if number % 2 else None))
        with zipfile.ZipFile(kb.save(ledger, tmp_path / "ledger.kb")) as archive:
            sizes.append(len(json.loads(archive.read("manifest.json"))["nodes"]))
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("ids", ["d0", "d0"]),
        ("ids", ["d0", 5]),
        ("ids", ["d0"]),
        ("arms", np.array([0, -1])),
        ("arms", np.array([0.0, 1.0])),
        ("propensities", np.array([0.5, np.nan])),
        ("propensities", np.array([0.5, 1.5])),
        ("times", np.array([0, 2**62])),
        ("eligible", np.array([0, 1])),
        ("eligible_sets", [("a", 1)]),
        ("contexts", np.zeros((3, 2))),
        ("contexts", np.full((2, 2), np.nan)),
        ("settled_rewards", np.zeros(3)),
        ("n_forgotten", -1),
    ],
)
def test_a_forged_ledger_is_refused(key, value):
    ledger = kb.Ledger()
    for number in range(2):
        ledger.add(entry(number))
    state = ledger.to_state()
    assert len(kb.Ledger.from_state(state)) == 2
    with pytest.raises(KernelBanditsError):
        kb.Ledger.from_state(state | {key: value})
