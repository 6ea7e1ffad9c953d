"""What is learned, when, and that it follows from the log to the last bit."""

import time

import numpy as np
import pytest
from machine import Machine
from replaying import repeat_decisions, replayed

from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.linalg import Segments
from kernelbandits.offline import ConfidenceSequence
from kernelbandits.service.clock import Clock
from kernelbandits.service.events import Conflict
from kernelbandits.service.journal import GRACE
from kernelbandits.service.learner import rebuilt
from kernelbandits.service.statistics import Statistics

HOUR = 3600.0
OVER = HOUR + GRACE / 1e6 + 1.0


@pytest.fixture
def machine(address, tmp_path):
    machine = Machine(address, tmp_path, control=0.0)
    yield machine
    machine.stop()


def parts(thing, seen):
    """Everything that a bandit is made of, as plain values: arrays by their bytes, wherever they lie in memory."""
    if isinstance(thing, np.ndarray):
        return ("array", str(thing.dtype), thing.shape, thing.tobytes())
    if isinstance(thing, np.random.Generator):
        return ("generator", str(thing.bit_generator.state))
    if isinstance(thing, dict):
        return ("dict", [(repr(key), parts(value, seen)) for key, value in thing.items()])
    if isinstance(thing, list | tuple):
        return (type(thing).__name__, [parts(each, seen) for each in thing])
    if isinstance(thing, float):
        return thing.hex()
    if type(thing).__module__.split(".")[0] != "kernelbandits":
        return repr(thing)
    if id(thing) in seen:
        return ("again", seen[id(thing)])
    seen[id(thing)] = len(seen)
    if hasattr(thing, "to_state"):
        return (type(thing).__name__, parts(thing.to_state(), seen))
    if isinstance(thing, Segments):  # its parts are views of its values, made when they are first asked for
        return ("Segments", parts([thing.sizes, thing.values], seen))
    names = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    fields = {name: getattr(thing, name) for name in (*names, *getattr(thing, "__dict__", {})) if hasattr(thing, name)}
    return (type(thing).__name__, parts(fields, seen))


def same(first, second):
    """Whether two states are the same to the last bit."""
    assert parts(first.bandit, {}) == parts(second.bandit, {})
    assert first.refused == second.refused
    assert (first.version, first.revision, first.learning) == (second.version, second.revision, second.learning)


def test_a_reward_is_learned_once_and_at_once(machine):
    machine.rank("a")
    machine.reward("a", 1.0)
    machine.reward("a", 0.25, "another")
    machine.step()
    assert machine.learned() == {"a": (1.0, "reward")}
    assert [reward["fate"] for reward in machine.event("a")["rewards"]] == ["learned", "extra"]
    machine.step()
    assert len(machine.journal("learn")) == 1


def test_a_default_is_given_when_its_time_is_over_and_not_before(machine):
    machine.rank("a")
    machine.advance(HOUR - 1.0).step()
    assert machine.learned() == {}
    machine.advance(1.0).step()
    assert machine.learned() == {}, "rewards may still be on their way to the disk"
    machine.advance(OVER - HOUR).step()
    assert machine.learned() == {"a": (0.0, "default")}


def test_late_rewards_are_logged_and_not_learned(machine):
    machine.rank("a")
    machine.advance(OVER)
    assert machine.reward("a", 1.0).late
    machine.step()
    assert machine.learned() == {"a": (0.0, "default")}
    assert machine.event("a")["rewards"][0]["fate"] == "late"


def test_late_rewards_are_learned_on_request(address, tmp_path):
    machine = Machine(address, tmp_path, control=0.0, late_rewards="learn")
    machine.rank("a")
    machine.advance(OVER).step()
    machine.reward("a", 1.0)
    machine.step()
    assert [(row[4], row[5]) for row in machine.journal("learn")] == [(0.0, "default"), (1.0, "late")]
    machine.stop()


def test_rewards_are_summed_on_request(address, tmp_path):
    machine = Machine(address, tmp_path, control=0.0, aggregation="sum", reward_range=[0.0, 10.0])
    machine.rank("a")
    for number in range(3):
        machine.reward("a", 1.5, f"r{number}")
        machine.reward("a", 1.5, f"r{number}")
    machine.step()
    assert machine.learned() == {}
    machine.advance(OVER)
    machine.reward("a", 5.0, "late")
    machine.step()
    assert machine.learned() == {"a": (4.5, "reward")}
    machine.stop()


def test_a_deferred_event_waits_for_its_activation(machine):
    machine.rank("never", deferred=True)
    machine.rank("later", deferred=True)
    machine.reward("later", 0.75)
    machine.advance(2 * HOUR).step()
    assert machine.learned() == {}
    assert machine.activate("later")
    assert not machine.activate("later")
    machine.step()
    assert machine.learned() == {"later": (0.75, "reward")}


def test_the_control_share_is_random_and_not_learned(address, tmp_path):
    machine = Machine(address, tmp_path, control=0.3)
    n = 400
    for number in range(n):
        machine.rank(str(number))
        machine.reward(str(number), float(number % 2))
    machine.step()
    with machine.database.read() as tx:
        arms = [row[0] for row in tx.rows("SELECT arm FROM events WHERE control = 1")]
    counts = np.array([arms.count(arm) for arm in ("none", "five percent", "free shipping")])
    expected = len(arms) / 3.0
    assert ((counts - expected) ** 2 / expected).sum() < 18.4  # the 0.01 % quantile of chi-square with two degrees
    assert abs(len(arms) - 0.3 * n) < 4.0 * np.sqrt(n * 0.3 * 0.7)
    assert len(machine.journal("learn")) == n - len(arms)
    assert len(machine.journal("note")) == len(arms)
    assert sum(arm.n_rewards for arm in machine.state.bandit.summary().arms) == n - len(arms)
    machine.stop()


@pytest.mark.parametrize(("mode", "learns"), [("apprentice", True), ("logging only", False)])
def test_modes_that_answer_the_baseline(address, tmp_path, mode, learns):
    machine = Machine(address, tmp_path, control=0.0, mode=mode)
    for number in range(30):
        answer = machine.rank(str(number))
        assert (answer.arm, answer.probability) == ("none", 1.0)
        machine.reward(str(number), 1.0)
    machine.step()
    assert len(machine.journal("learn")) == (30 if learns else 0)
    machine.advance(2 * HOUR).step()
    statistics = machine.learner.statistics
    assert (statistics.n, statistics.learned) == (30, 30 if learns else 0)
    assert 0 < statistics.agreed < 30
    answer = machine.rank("other", arms=["free shipping", "none"])
    assert answer.arm == "free shipping"
    machine.stop()


def test_every_arm_keeps_its_share_of_exploration(machine):
    for number in range(120):
        answer = machine.rank(str(number), age=float(number))
        machine.reward(str(number), float(answer.arm == "none"))
    machine.step()
    chances = [arm.probability for arm in machine.rank("last").ranking]
    assert min(chances) >= 0.1 / 3.0 - 1e-12
    assert max(chances) > 0.9


def test_a_new_arm_is_tried_without_taking_over(machine):
    for number in range(60):
        machine.rank(str(number))
        machine.reward(str(number), 0.5)
    machine.step()
    with machine.database.write() as tx:
        from kernelbandits.service.events import add_arms, remove_arm

        assert add_arms(tx, ["gift"], machine.clock.now()) == ["gift"]
    machine.step()
    ranking = {arm.id: arm.probability for arm in machine.rank("a").ranking}
    assert ranking["gift"] == pytest.approx(0.9 * 0.25 + 0.1 * 0.25)
    with machine.database.write() as tx:
        for name in ("gift", "none", "five percent"):
            assert remove_arm(tx, name, machine.clock.now())
        with pytest.raises(Conflict, match="only one left"):
            remove_arm(tx, "free shipping", machine.clock.now())
    machine.step()
    assert [arm.id for arm in machine.rank("b").ranking] == ["free shipping"]
    with pytest.raises(InvalidArgument, match="was removed"):
        machine.rank("c", arms=["none", "free shipping"])


def test_arms_from_requests(address, tmp_path):
    machine = Machine(address, tmp_path, arms=None, new_arms=True, features=None, hashed_features=16, control=0.0)
    for number in range(20):
        arms = [{"id": f"article {number % 5}", "features": {"words": ["a", number]}}, f"article {(number + 1) % 5}"]
        answer = machine.rank(str(number), arms=arms)
        machine.reward(str(number), float(answer.arm == "article 3"))
        machine.step()
    assert len(machine.state.bandit.arms) == 5
    same(machine.state, replayed(machine.database, machine.state.version))
    machine.stop()


def play(machine, start, n):
    for number in range(start, start + n):
        machine.rank(str(number), age=float(number % 60), city=("Rome", "Oslo", "Bonn")[number % 3])
        if number % 3:
            machine.reward(str(number), float(number % 4) / 4.0)
        if number % 7 == 0:
            machine.advance(600.0).step()
    return machine.step()


def test_the_state_follows_from_the_log_to_the_last_bit(address, tmp_path):
    machine = Machine(address, tmp_path, control=0.1)
    play(machine, 0, 70)
    same(machine.state, replayed(machine.database, machine.state.version))
    live = machine.state
    machine.stop()
    machine.start(control=0.1)  # from the newest snapshot
    same(live, machine.state)
    play(machine, 70, 40)
    same(machine.state, replayed(machine.database, machine.state.version))
    repeated = repeat_decisions(machine.database)
    assert len(repeated) == 110
    assert [each.event_id for each in repeated if not each.agrees] == []
    machine.stop()


def test_a_lost_or_damaged_snapshot_is_made_again(tmp_path):
    machine = play(Machine(str(tmp_path / "shop.db"), tmp_path, control=0.0), 0, 40)
    live = machine.state
    bundles = sorted((tmp_path / "shop.db-bundles").glob("*.kb"))
    bundles[-1].write_bytes(b"not a bundle")
    same(live, rebuilt(machine.database))
    for bundle in bundles:
        bundle.unlink()
    same(live, rebuilt(machine.database))
    machine.stop()


def test_settings_change_without_losing_what_was_learned(machine, tmp_path):
    play(machine, 0, 80)
    n = machine.state.bandit.summary().n_rewards
    machine.stop()
    machine.start(control=0.0, policy={"type": "LinearUCB"}, exploration=0.2)
    assert type(machine.state.bandit.policy).__name__ == "LinearUCB"
    assert machine.state.bandit.summary().n_rewards == n
    same(machine.state, replayed(machine.database, machine.state.version))
    machine.stop()
    version = machine.state.version
    machine.start(control=0.0, policy={"type": "LinearUCB"}, exploration=0.2)
    assert machine.state.version == version, "the same settings are no change"
    machine.stop()
    machine.start(control=0.0, arms=["none", "free shipping", "gift"], policy={"type": "LinearUCB"})
    assert machine.state.bandit.arms == ("none", "free shipping", "gift")
    assert machine.state.bandit.summary().n_rewards == n
    machine.stop()
    machine.start(control=0.0, arms=["none", "free shipping", "gift"])  # the default policy again
    assert machine.state.bandit.summary().n_rewards == n
    assert machine.state.bandit.arms == ("none", "free shipping", "gift")
    same(machine.state, replayed(machine.database, machine.state.version))
    machine.stop()
    with pytest.raises(InvalidFile, match="'five percent' was removed"):
        machine.start(control=0.0)


def test_a_clock_that_was_set_back_gives_no_default_too_early(address, tmp_path, monkeypatch):
    machine = Machine(address, tmp_path, control=0.0)
    machine.rank("before")
    stored = machine.event("before")["time"]
    machine.stop()
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() - 3600 * 10**9)
    machine.start(control=0.0)
    machine.rank("after")
    event = machine.event("after")
    assert event["time"] >= stored, "time never runs backwards"
    machine.advance(HOUR - 60.0).step()
    assert machine.learned() == {}
    monkeypatch.undo()  # the clock is set right again while the service runs
    machine.step()
    assert machine.learned() == {}
    machine.advance(60.0 + OVER - HOUR).step()
    assert set(machine.learned()) == {"before", "after"}
    machine.stop()


def test_the_clock_does_not_follow_the_wall_clock(monkeypatch):
    clock = Clock.anchored(0)
    before = clock.now()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    assert before <= clock.now() < before + 60_000_000
    assert Clock.anchored(before + 10**12).now() >= before + 10**12


def test_intervals_of_the_summary_hold_together():
    """Three intervals at a level of 95 % together are each at 1 − 0.05/3."""
    statistics = Statistics(largest_weight=2.0)
    names = ["a", "b"]
    statistics.pending = [("policy", float(i % 3 == 0), names[i % 2], 0.5, names) for i in range(100)]
    found = statistics.summary()["intervals"]
    assert sorted(found) == ["arm a", "arm b", "policy"]
    alone = ConfidenceSequence(1.0 - 0.05 / 3.0, largest_weight=2.0).start()
    alone.observe([float(i % 3 == 0) for i in range(100)], [2.0 * (i % 2 == 0) for i in range(100)])
    assert (found["arm a"]["low"], found["arm a"]["high"]) == pytest.approx(tuple(alone.interval))
