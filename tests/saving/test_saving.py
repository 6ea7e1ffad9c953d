"""What `save` and `load` keep, and what they refuse."""

import json
import math
import threading
import zipfile
from collections import Counter
from datetime import date, datetime, timedelta, timezone
from importlib import import_module

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.errors import InvalidArgument, InvalidFile, NotWritten
from kernelbandits.saving import load, save
from kernelbandits.saving.classes import _modules, is_ours
from kernelbandits.saving.declared import declared


@pytest.fixture
def again(tmp_path):
    return lambda thing: load(save(thing, tmp_path / "thing.kb"))


@pytest.mark.parametrize(
    "thing",
    [
        None, True, 3, -(10**40), 0.1, -0.0, 5e-324, math.inf, -math.inf, "", "Ωmega \x00 \ud800", b"\x00\xff",
        (), [], {},
        [1, (2.5, None), {"a": {1, 2}, (3, b"k"): frozenset({4})}],
        date(2024, 2, 29), datetime(2024, 2, 29, 1, 2, 3, 4), timedelta(days=-3, microseconds=7),
        datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=5, minutes=30))),
        np.float64(0.1), np.float32(0.1), np.int8(-3), np.bool_(True), np.str_("text"),
        np.datetime64("2024-01-01", "D"),
        kb.ThompsonSampling(kb.JointArms(kb.GaussianProcess(kb.Gaussian() + kb.Linear()), kb.Exchangeable(0.5))),
        kb.Encoding(drop=("id",), dim=3),
    ],
    ids=repr,
)  # fmt: skip
def test_values_come_back_as_they_were(again, thing):
    back = again(thing)
    assert back == thing
    assert type(back) is type(thing)
    assert repr(back) == repr(thing)


def test_nan_comes_back(again):
    assert math.isnan(again([math.nan])[0])


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3).T,
        np.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2),
        np.arange(9)[::-2], np.zeros((0, 5)), np.array(3.5), np.array([True, False]), np.array(["a", "bcd"]),
        np.arange(4, dtype=">i2"), np.array([1 + 2j]), np.array(["2024-01-01"], dtype="M8[us]"),
        np.array([math.nan, -math.inf, -0.0]), np.arange(5, dtype=np.float16),
    ],
    ids=repr,
)  # fmt: skip
def test_arrays_come_back_with_their_bits_and_strides(again, array):
    back = again(array)
    assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
    if array.size:
        assert back.strides == array.strides
        assert back.ctypes.data % 64 == array.ctypes.data % 64
        assert back.flags.writeable


def test_views_of_one_array_stay_views_of_one_array(again):
    whole = np.arange(20.0).reshape(4, 5)
    back, row, column = again([whole, whole[2], whole[:, 3]])
    back[2, 3] = -1.0
    assert row[3] == column[2] == -1.0
    first, second = again([whole[0], whole[3]])  # their memory does not overlap: what lies between is not stored
    assert (first.tolist(), second.tolist()) == (whole[0].tolist(), whole[3].tolist())


def test_a_view_that_repeats_an_entry_becomes_an_array(again):
    back = again(np.broadcast_to(2.5, (100, 3)))
    assert back.shape == (100, 3)
    assert not back.flags.writeable
    assert (back == 2.5).all()


def test_shared_parts_stay_shared_and_things_may_contain_themselves(again):
    part = [1]
    loop = {"parts": (part, part)}
    loop["self"] = [loop]
    back = again(loop)
    assert back["parts"][0] is back["parts"][1]
    assert back["self"][0] is back


def test_depth_does_not_matter(again):
    deep = ()
    for _ in range(20_000):
        deep = (deep,)
    back, depth = again(deep), 0
    while back:
        [back] = back
        depth += 1
    assert depth == 20_000


@pytest.mark.parametrize("bits", ["PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64"])
def test_generators_go_on_and_spawn_the_same(again, bits):
    rng = np.random.Generator(getattr(np.random, bits)([5, 2**70]))
    rng.integers(0, 5, 3, dtype=np.int32), rng.spawn(2)
    twin, shared = again([rng, {"the same": rng}])
    assert shared["the same"] is twin
    [mine], [other] = rng.spawn(1), twin.spawn(1)
    for one, two in ((rng, twin), (mine, other)):
        assert one.integers(0, 9, 5, dtype=np.int32).tolist() == two.integers(0, 9, 5, dtype=np.int32).tolist()
        assert one.standard_normal(700).tobytes() == two.standard_normal(700).tobytes()


def test_an_encoder_comes_back(again):
    table = {"age": [1.0, None, 3.5], "zone": ["a", "b", "a"]}
    encoder = kb.Encoding().fit(table)
    assert again(encoder).transform(table).tobytes() == encoder.transform(table).tobytes()


def test_arms_that_were_added_and_removed_stay_so(again):
    agent = kb.ThompsonSampling().start(kb.Problem(2, 3), 0)
    agent.add_arm()
    agent.remove_arm(0)
    for each in (agent, again(agent)):
        assert {each.choose(np.zeros(3)).arm for _ in range(20)} <= {1, 2}
        with pytest.raises(InvalidArgument, match="arm 0 was removed before"):
            each.remove_arm(0)


def test_the_last_decision_can_be_withdrawn_after_loading(again):
    agent = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian()), n_explore=6).start(kb.Problem(3, 2), 0)
    decision = agent.choose(np.zeros(2))
    back = again(agent)
    back.withdraw(decision)
    assert back.choose(np.zeros(2)).arm == decision.arm
    assert back.policy == agent.policy


def test_what_only_the_oracle_may_know_is_left_out(again, tmp_path):
    instance = kb.Synthetic(kb.LowRank(), n_arms=2, dim=3, n_bumps=4).draw(np.random.default_rng(0))
    assert again(kb.LinearUCB().start(instance.problem(10), 0)).problem.true_means is None
    with pytest.raises(InvalidArgument, match=r"cannot be saved: .*found in: Agent > dict > _OracleLearner > "):
        kb.Oracle().start(instance.problem(10), 0).save(tmp_path / "oracle.kb")
    assert not (tmp_path / "oracle.kb").exists()


@pytest.mark.parametrize("policy", [p for p in examples.POLICIES if not isinstance(p, kb.Oracle)], ids=repr)
def test_room_to_grow_holds_nothing_of_this_process(policy, tmp_path):
    """Memory that is freed with a secret in it comes back as room to grow, unless that is cleared."""
    secret = np.frombuffer(b"a secret")
    agent = policy.start(kb.Problem(2, 3, horizon=40, noise_std=0.1, reward_norms=(1.0, 1.0)), 0)
    rng = np.random.default_rng(0)
    agent.prefetch(rng.standard_normal((5, 2, 3)))
    for _ in range(25):
        freed = [np.tile(secret, size) for size in range(1, 400, 3)]
        del freed
        context = rng.standard_normal(3)
        agent.observe(context, agent.choose(context).arm, float(context.sum()))
    assert b"a secret" not in agent.save(tmp_path / "agent.kb").read_bytes()


class Unknown:
    pass


class Own:
    def to_state(self):
        return {"self": self}

    @classmethod
    def from_state(cls, state):
        return cls()


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (print, r"<built-in function print> cannot be saved: builtins\.builtin_function_or_method is not a class of"),
        ([Unknown], "builtins.type is not a class of this library"),
        ({"a": (Unknown(),)}, r"nor has it the methods to_state and from_state.*found in: dict > tuple > Unknown\)"),
        (threading.Lock(), "_thread.lock is not a class of this library"),
        (Counter(), "collections.Counter is not a class of this library"),
        (Own(), "something contains itself that cannot"),
        (np.array([None]), "an array of type object cannot be saved"),
        (kb.errors.InvalidFile("x"), "errors.InvalidFile is not a class of this library"),
    ],
)
def test_what_cannot_be_saved_is_said(tmp_path, thing, words):
    with pytest.raises(InvalidArgument, match=words):
        save(thing, tmp_path / "thing.kb")
    assert [*tmp_path.iterdir()] == []


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    with pytest.raises(NotWritten, match="what was there is unchanged"):
        save([1], tmp_path / "nowhere" / "thing.kb")
    assert [*tmp_path.iterdir()] == []


def test_the_file_says_what_it_is_and_numpy_can_read_its_arrays(tmp_path):
    policy = kb.LinearUCB(alpha=0.5)
    path = policy.start(kb.Problem(2, 3), 0).save(tmp_path / "agent.kb")
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    assert (manifest["format"], manifest["kernelbandits"], manifest["what"]) == (1, kb.__version__, "Agent")
    assert manifest["spec"]["type"] == "LinearUCB"
    assert np.load(path, allow_pickle=False)["arrays/float64"].ndim == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"format": 2, "kernelbandits": "7.1"},
            r"it has format 2 and was written by kernelbandits '7\.1'; this is version",
        ),
        ({"classes": [["library", "os.system", []]]}, r"there is no class 'os\.system' in this version"),
        ({"classes": [["library", "policies.agent.os", []]]}, r"there is no class 'policies\.agent\.os'"),
        ({"nodes": [["list", None, [[7]]]]}, "it refers to a part that it does not have"),
        ({"nodes": [["tuple", None, [[0]]]]}, "something contains itself that cannot"),
        ({"nodes": [["code", None, []]]}, "'code' is not a kind of things"),
    ],
)
def test_files_that_are_forged_or_newer_are_refused(tmp_path, change, words):
    path = save([1.5], tmp_path / "thing.kb")
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json")) | change
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
    with pytest.raises(InvalidFile, match=rf"thing\.kb: {words}"):
        load(path)


@pytest.mark.parametrize(
    ("field", "nodes", "part", "words"),
    [
        (
            "features",
            [["tuple", None, []], ["tuple", None, [[0]]]],
            [1],
            "the field 'features' of ArmSlice holds some",
        ),
        ("features", [["list", None, []]], [0], "the field 'features' of ArmSlice holds something of another kind"),
        ("index", [], 2**40, "the arms of a tracker must stand one after the other"),
        ("capacity", [], 64, "the arms of a tracker must stand one after the other"),
        ("_n", [], -1, "the arms of a tracker must stand one after the other"),
    ],
)
def test_fields_that_an_agent_would_trip_over_later_are_refused(tmp_path, field, nodes, part, words):
    belief = kb.IndependentArms(kb.GaussianProcess(kb.Gaussian(), ridge=0.1))
    agent = kb.ThompsonSampling(belief).start(kb.Problem(2, 3), 0)
    for arm in (0, 1):
        agent.observe(np.ones(3), arm, 0.5 + arm)
    agent.score(np.ones((1, 3)))
    path = agent.save(tmp_path / "agent.kb")
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(entries["manifest.json"])
    first = len(manifest["nodes"])
    [number] = [i for i, (_, name, _) in enumerate(manifest["classes"]) if name.endswith(".ArmSlice")]
    parts = next(parts for kind, facts, parts in manifest["nodes"] if (kind, facts) == ("object", number))
    parts[manifest["classes"][number][2].index(field)] = [first + part[0]] if isinstance(part, list) else part
    manifest["nodes"] += [[kind, facts, [[first + i] for [i] in inner]] for kind, facts, inner in nodes]
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (entries | {"manifest.json": json.dumps(manifest)}).items():
            archive.writestr(name, data)
    with pytest.raises(InvalidFile, match=rf"agent\.kb.*: {words}"):
        load(path)


def test_what_classes_declare_can_be_looked_up():
    modules = [import_module(f"kernelbandits.{name}") for name in _modules()]
    kinds = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type) and is_ours(kind)}
    assert len(kinds) > 100
    assert sum(len(declared(kind)) for kind in kinds) > 100


def test_other_files_are_refused(tmp_path):
    with pytest.raises(InvalidFile, match=r"no such file: .*nowhere\.kb"):
        load(tmp_path / "nowhere.kb")
    (tmp_path / "text.kb").write_text("[experiment]", encoding="utf-8")
    with pytest.raises(InvalidFile, match=r"text\.kb is damaged, or not a file of kernelbandits\.save"):
        load(tmp_path / "text.kb")


@pytest.mark.parametrize("policy", [p for p in examples.POLICIES if not isinstance(p, kb.Oracle)], ids=repr)
def test_agents_whose_arms_share_contexts_come_back(policy, again):
    """Shared contexts are views that repeat one row for every arm, and must not be written to: copies are stored."""
    agent = policy.start(kb.Problem(3, 4, horizon=60, noise_std=0.1, reward_norms=(1.0,) * 3), 0)
    rng = np.random.default_rng(0)
    shared = rng.standard_normal((24, 4))
    shared.flags.writeable = False
    for number, context in enumerate(shared[:20]):
        if number == 12:
            agent.prefetch(shared[12:])
        agent.observe(context, agent.choose(context).arm, float(context.sum()))
    agent.score(shared[:3])
    assert again(agent).choose(shared[20]).arm == agent.choose(shared[20]).arm


def forge_arrays(path, place, value):
    """Change what a file says of each array."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(entries["manifest.json"])
    for kind, facts, _ in manifest["nodes"]:
        if kind == "array":
            facts[place] = value(facts)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (entries | {"manifest.json": json.dumps(manifest)}).items():
            archive.writestr(name, data)


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (4, lambda facts: [0] * len(facts[3]), "entries of an array share memory"),
        (5, lambda facts: False, "holds something of another kind"),
    ],
    ids=["strides", "writeable"],
)
def test_arrays_that_cannot_be_written_to_one_by_one_are_refused(tmp_path, place, value, words):
    path = save(kb.LinearArms().start(kb.Problem(2, 3)), tmp_path / "tracker.kb")
    forge_arrays(path, place, value)
    with pytest.raises(InvalidFile, match=words):
        load(path)


def test_a_view_with_gaps_that_repeats_entries_becomes_an_array(again):
    back = again(np.broadcast_to(np.arange(40.0)[::8], (3, 5)))
    assert np.array_equal(back, [[0.0, 8.0, 16.0, 24.0, 32.0]] * 3)
    assert 0 not in back.strides


class BrokenTracker(kb.Tracker):
    def mean_and_std(self, contexts):
        raise IndexError("arm 7")

    def observe(self, context, arm, reward):
        pass

    def prefetch(self, block):
        pass

    def add_arm(self, problem):
        pass

    def _size(self):
        return 2, 3

    def to_state(self):
        return {}

    @classmethod
    def from_state(cls, state):
        return cls()


def test_trackers_alone_are_rehearsed(tmp_path):
    path = save([BrokenTracker()], tmp_path / "tracker.kb")
    with pytest.raises(InvalidFile, match=r"what it holds does not work \(IndexError: 'arm 7'\)"):
        load(path, classes=[BrokenTracker])


@pytest.mark.parametrize("belief", examples.BELIEFS, ids=repr)
def test_every_tracker_can_be_rehearsed(belief):
    tracker = belief.start(kb.Problem(3, 4, horizon=50, noise_std=0.1, reward_norms=(1.0,) * 3))
    assert tracker._size() == (3, 4)
    tracker._rehearse()
