"""Bundles damaged and forged in every way: one clear line or a thing that works, no code run, no file written."""

import contextlib
import hashlib
import io
import json
import os
import random
import resource
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

import examples
import kernelbandits as kb
from kernelbandits.errors import KernelBanditsError

K, DIM = 3, 4
TABLE, ROW = {"age": [1.0, 2.0, None, 9.0], "zone": ["a", "b", "a", "b"]}, {"age": 3.0, "zone": "b"}
POLICIES = [
    kb.LinearUCB(),
    kb.GPUCB(kb.GaussianProcess(kb.Gaussian(gamma=4.0), ridge=0.1), kb.ConstantWidth(1.0)),
    kb.ThompsonSampling(),
    kb.ThompsonSampling(kb.HierarchicalBayes()),
    kb.CalibratedUCB(kb.BudgetedArms(kb.GaussianProcess(kb.Gaussian(), ridge=0.1), budget=6)),
    kb.ExploreThenCommit(kb.Nystrom(kb.Gaussian(), ridge=0.1, n_centers=5), n_explore=9),
    kb.AdaptiveExploreThenCommit(cap=15),
    kb.SuccessiveElimination(),
    kb.SupKernelUCB(),
    kb.ExplorationFloor(kb.Uniform(), epsilon=0.1),
]
INTEGERS = [-1, 0, 1, 2, 7, 63, 64, 1000, 2**20, 2**31, 2**40, 2**63, 10**30, -(2**70), 10**400]
VALUES = [*INTEGERS, None, True, 0.5, -1e308, 1e-320, "", "nan", "os.system", "\x1b[2J", [], [0], [1], [10**9], {}]
NAMES = [
    "os.system", "builtins.eval", "policies.os.system", "policies.agent.os", "problem.checks", "linalg.machine.Path",
    "linalg.machine.require_memory", "policies.agent.Agent", "beliefs.base.Belief", "tables.files.Path", "..errors",
    "regression.base.FitReport", "kernels.expansion.KernelExpansion", "beliefs.base.Prefetched", "saving.saving.save",
    "policies.learner.Decision", "linalg.arrays.Segments", "problem.Problem", "tables.encoder.Encoder", "", ".",
]  # fmt: skip
NOT_WANTED = (
    "subprocess",
    "pickle",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.remove",
    "os.rename",
    "os.mkdir",
    "socket",
)


class Evil:
    def __reduce__(self):
        return os.system, ("echo code was run > canary",)


def things():
    for number, policy in enumerate(POLICIES):
        rng = np.random.default_rng(number)
        agent = policy.start(kb.Problem(K, DIM, horizon=None if number % 2 else 100), rng)
        played(agent, 20, rng)
        if number % 2:
            agent.prefetch(rng.standard_normal((3, K, DIM)))
        yield agent
    X = np.random.default_rng(0).standard_normal((12, DIM))
    yield kb.GaussianProcess(kb.Matern(nu=1.5), ridge=0.1).fit(X, X[:, 0])
    yield kb.MinNormInterpolator(kb.Gaussian()).fit(X, X[:, 0])
    yield kb.Encoding(rare=1).fit(TABLE)
    for policy in (kb.LinearUCB(), kb.default_policy()):
        bandit = kb.Bandit(["x", "y", "z"], kb.Encoding(rare=1), policy)
        bandit.fit(TABLE | {"offer": ["x", "y", "x", "z"], "bought": [0, 1, 1, 0]}, arm="offer", reward="bought")
        decisions = [bandit.choose({"age": 3.0 + i, "zone": "b"}, eligible=["x", "y"]) for i in range(6)]
        for decision in decisions[::2]:
            bandit.observe(decision.id, 0.5)
        yield bandit
    bits = (np.random.MT19937, np.random.Philox, np.random.SFC64, np.random.PCG64DXSM)
    yield {"rngs": [np.random.Generator(kind(3)) for kind in bits], "rows": [X[3], X[:, 1]], b"k": (1.5, np.float64(2))}


def more_things():
    """Agents of all policies, trackers of all beliefs, all predictors, and the default when its rewards are many."""
    problem = kb.Problem(K, DIM, horizon=120, noise_std=0.1, reward_norms=(1.0,) * K)
    for number, policy in enumerate(p for p in examples.POLICIES if not isinstance(p, kb.Oracle)):
        rng = np.random.default_rng(number)
        agent = played(policy.start(problem, rng), (12, 25, 50)[number % 3], rng)
        if number % 3 == 1:
            agent.prefetch(rng.standard_normal((4, K, DIM)))
        if number % 3 == 2:
            agent.score(rng.standard_normal((4, K, DIM)))
        yield agent
    for n_rewards in (700, 905):  # a sketch, and in the midst of an estimate
        yield played(kb.default_policy().start(kb.Problem(2, 3), 0), n_rewards, np.random.default_rng(1))
    X = np.random.default_rng(0).standard_normal((30, DIM))
    for belief in examples.BELIEFS:
        tracker = belief.start(problem, 0)
        for number, x in enumerate(X):
            tracker.observe(x, number % K, float(x.sum()))
        tracker.mean_and_std(X[:K])
        yield tracker
    yield from (estimator.fit(X[:12], X[:12, 0]) for estimator in examples.ESTIMATORS)


def played(agent, n_rounds, rng):
    for shown in rng.standard_normal((n_rounds, agent.problem.n_arms, agent.problem.dim)):
        arm = agent.choose(shown).arm
        agent.observe(shown[arm], arm, float(np.tanh(shown[arm].sum())))
    return agent


def use(thing):
    """Do all that the thing is for; what it explains itself is no reason to stop."""
    rng, explained = np.random.default_rng(5), contextlib.suppress(KernelBanditsError)
    if isinstance(thing, kb.Agent):
        for n_rounds in (40, 10) if thing.problem.n_arms * thing.problem.dim < 2**16 else ():
            use_agent(thing, rng.standard_normal((n_rounds, thing.problem.n_arms, thing.problem.dim)), rng)
    elif isinstance(thing, kb.Tracker):
        for number, shown in enumerate(rng.standard_normal((20, K, DIM))):
            thing.mean_and_std(shown)
            thing.observe(shown[0], number % K, 0.25)
    elif isinstance(thing, kb.Predictor):
        for ask in (thing.mean, getattr(thing, "std", thing.mean)):
            ask(rng.standard_normal((2, thing.dim)))
    elif isinstance(thing, kb.Encoder):
        thing.transform(ROW)
        thing.transform(TABLE)
    elif isinstance(thing, kb.Bandit):
        use_bandit(thing)
    with explained:
        kb.load(kb.save(thing, "again.kb"))


def use_agent(agent, rounds, rng):
    explained, n_arms = contextlib.suppress(KernelBanditsError), agent.problem.n_arms
    for number, shown in enumerate(rounds):
        mask, arm = rng.random(n_arms) < 0.6, int(rng.integers(n_arms))
        mask[arm] = True
        with explained:
            arm = agent.choose(shown, eligible=mask if number % 4 == 3 else None).arm
        with explained:
            agent.observe(shown[arm], arm, float(rng.standard_normal()))
    for verb in (agent.score, agent.choose_batch, agent.prefetch):
        with explained:
            verb(rounds[:3])
    with explained:
        agent.choose(rounds[0])
    with explained:
        agent.add_arm("new" if agent.problem.arms else None)


def use_bandit(bandit):
    for entry in [*bandit.ledger]:
        bandit.observe(entry.id, 0.25)
    for number in range(20):
        decision = bandit.choose(ROW | {"age": float(number)}, eligible=["x", "y"] if number % 3 else None)
        bandit.observe(decision.id, float(number % 2))
    bandit.choose_many(TABLE)
    bandit.score(TABLE)
    json.dumps(bandit.summary().to_dict())
    bandit.add_arm("w")
    str(bandit.summary())


def uses_badly(thing):
    """Whether a thing that passed its rehearsal raises what it does not explain."""
    try:
        use(thing)
    except KernelBanditsError:
        return False
    except Exception:
        return True
    return False


def unpacked(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    return json.loads(entries.pop("manifest.json")), entries


def packed(manifest, entries, extra=(), compression=zipfile.ZIP_STORED):
    """A file whose digests agree with what it holds."""
    for name, said in manifest["arrays"].items():
        if isinstance(said, dict) and name in entries:
            said["sha256"] = hashlib.sha256(entries[name]).hexdigest()
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", compression) as archive:
        warnings.simplefilter("ignore")  # names that are there twice
        for name, data in [*entries.items(), ("manifest.json", json.dumps(manifest)), *extra]:
            archive.writestr(name, data)
    return out.getvalue()


def flip_bits(content, rng):
    content = bytearray(content)
    for bit in rng.sample(range(8 * len(content)), rng.randint(1, 4)):
        content[bit // 8] ^= 1 << bit % 8
    return bytes(content)


def overwrite(content, rng):
    start, noise = rng.randrange(len(content)), rng.randbytes(rng.randint(1, 300))
    return (content[:start] + noise + content[start + len(noise) :])[: len(content)]


def cut(content, rng):
    start, stop = sorted(rng.choices(range(len(content)), k=2))
    return rng.choice([content[:stop], content[start:], content[:start] + content[stop:], content[:stop] * 2])


def add_entry(content, rng):
    names = [
        "../canary",
        "/tmp/canary",
        "..\\canary",
        "arrays/../../canary",
        "manifest.json",
        "canary",
        "arrays/float64.npy",
    ]
    return packed(*unpacked(content), extra=[(rng.choice(names), b"x" * rng.choice([0, 10, 10_000]))])


def compress(content, rng):
    manifest, entries = unpacked(content)
    name = rng.choice([*entries, "arrays/uint8.npy"])
    data = io.BytesIO()
    np.save(data, np.zeros(2**22, dtype=np.uint8))
    entries[name] = data.getvalue()
    manifest["arrays"][name] = {"dtype": "|u1", "length": 2**22, "sha256": ""}
    manifest["memory"] = [["|u1", 2**22, 0]]
    return packed(
        manifest, entries, compression=rng.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    )


def pickle_objects(content, rng):
    manifest, entries = unpacked(content)
    data = io.BytesIO()
    np.save(data, np.array([Evil()] * rng.randint(1, 3), dtype=object), allow_pickle=True)
    name = rng.choice([*entries])
    entries[name] = data.getvalue()
    if rng.random() < 0.5:
        manifest["arrays"][name]["dtype"] = "|O"
        manifest["memory"] = [["|O", 1, 0]]
    return packed(manifest, entries)


def change_numbers(content, rng):
    """Other numbers of the same type in the same place, with a digest that agrees."""
    manifest, entries = unpacked(content)
    name = rng.choice([*entries])
    array = np.load(io.BytesIO(entries[name])).copy()
    values = [0, 1, -1, np.nan, np.inf, 1e300, 1e9, 1e-320] if array.dtype == float else [0, 1, -1, 2**62, -(2**62), 5]
    for at in rng.choices(range(len(array)), k=rng.randint(1, 5)):
        array[at] = rng.choice(values) if array.dtype != np.uint64 else 7
    data = io.BytesIO()
    np.save(data, array)
    entries[name] = data.getvalue()
    return packed(manifest, entries)


def swap_arrays(content, rng):
    manifest, entries = unpacked(content)
    arrays = [node for node in manifest["nodes"] if node[0] == "array"]
    for _ in range(rng.randint(1, 3)):
        one, other = rng.choice(arrays), rng.choice(arrays)
        one[1], other[1] = other[1], one[1]
    return packed(manifest, entries)


def forge_array(content, rng):
    manifest, entries = unpacked(content)
    facts = rng.choice([node for node in manifest["nodes"] if node[0] == "array"])[1]
    place = rng.randrange(6)
    if place in (3, 4) and facts[place] and rng.random() < 0.8:
        facts[place][rng.randrange(len(facts[place]))] = rng.choice(INTEGERS)
    elif place == 0:
        facts[0] = rng.choice(["<f4", "|O", "<i8", "<f8", "|V8", "<U2", "<M8[s]", ">f8", "|b1", "O", "<U1000000000"])
    else:
        facts[place] = rng.choice(VALUES)
    return packed(manifest, entries)


def forge_memory(content, rng):
    manifest, entries = unpacked(content)
    piece = rng.choice(manifest["memory"])
    piece[rng.randrange(3)] = rng.choice([*VALUES, "|O", "<i8"])
    if rng.random() < 0.5:
        rng.choice([*manifest["arrays"].values()])["length"] = rng.choice(INTEGERS)
    return packed(manifest, entries)


def forge_class(content, rng):
    manifest, entries = unpacked(content)
    if manifest["classes"]:
        one = rng.choice(manifest["classes"])
        other = rng.choice(
            [*manifest["classes"], ["library", rng.choice(NAMES), one[2]], ["yours", rng.choice(NAMES), []]]
        )
        place = rng.choice([slice(0, 2), slice(2, 3), slice(0, 3)])
        one[place] = other[place]
    return packed(manifest, entries)


def forge_value(content, rng):
    """Replace any value of the manifest, mostly in the nodes."""
    manifest, entries = unpacked(content)
    holder, key = manifest, rng.choice(["nodes", "nodes", "nodes", "nodes", "nodes", *manifest])
    while isinstance(holder[key], list | dict) and holder[key] and rng.random() < 0.95:
        holder = holder[key]
        key = rng.choice([*holder] if isinstance(holder, dict) else range(len(holder)))
    nodes = unpacked(content)[0]["nodes"]
    holder[key] = rng.choice([*VALUES, rng.choice(nodes) if nodes else 0])
    return packed(manifest, entries) if isinstance(manifest.get("arrays"), dict) else content[:9]


def forge_number(content, rng):
    """Replace one whole number in the parts of a node: counts, sizes, positions."""
    manifest, entries = unpacked(content)
    places = [(parts, i) for _, _, parts in manifest["nodes"] for i, part in enumerate(parts) if type(part) is int]
    for parts, i in rng.choices(places, k=rng.randint(1, 2)) if places else []:
        parts[i] = rng.choice([*INTEGERS, parts[i] + 1, parts[i] - 1, 2 * parts[i] + 3])
    return packed(manifest, entries)


def swap_parts(content, rng):
    """Put one thing in the place of another."""
    manifest, entries = unpacked(content)
    nodes = manifest["nodes"]
    parts = rng.choice([parts for _, _, parts in nodes if parts] or [[0]])
    parts[rng.randrange(len(parts))] = [rng.randrange(len(nodes) + 1)] if rng.random() < 0.9 else rng.choice(VALUES)
    return packed(manifest, entries)


def nest(content, rng):
    manifest, entries = unpacked(content)
    depth, nodes = rng.choice([100, 20_000]), manifest["nodes"]
    kind = rng.choice(["tuple", "list", "frozenset"])
    if rng.random() < 0.3:
        return packed(manifest, entries).replace(b'"format": 1', b'"format": ' + b"[" * depth)
    first = len(nodes)
    nodes += [[kind, None, [[first + i + 1]]] for i in range(depth)]
    nodes.append([kind, None, [[first]] if rng.random() < 0.3 else []])
    manifest["root"] = [first]
    return packed(manifest, entries)


def other_version(content, rng):
    manifest, entries = unpacked(content)
    manifest["format"], manifest["kernelbandits"] = rng.choice([2, 0, "1", None, 10**50]), rng.choice(["9.9", 1, None])
    return packed(manifest, entries)


MUTATIONS = [
    flip_bits, overwrite, cut, add_entry, compress, pickle_objects, change_numbers, swap_arrays, forge_array,
    forge_memory, forge_class, forge_value, forge_value, forge_number, forge_number, swap_parts, swap_parts, nest,
    other_version,
]  # fmt: skip
WITHOUT_ARRAYS = [flip_bits, overwrite, cut, add_entry, forge_class, forge_value, nest, other_version]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A function that saves things, tries each, and returns the files' contents."""
    folder = tmp_path_factory.mktemp("sound")

    def saved(all_of_them):
        contents = []
        with contextlib.chdir(folder):
            for number, thing in enumerate(all_of_them):
                path = kb.save(thing, folder / f"{number}.kb")
                contents.append(path.read_bytes())
                use(kb.load(path))  # imports what is imported late
        return contents

    return saved


@pytest.fixture(scope="module")
def watched():
    """Events of the interpreter that a load must not cause."""
    seen, switch = [], {"on": False}

    def hook(event, arguments):
        if switch["on"] and (
            event.startswith(NOT_WANTED) or (event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR))
        ):
            seen.append((event, str(arguments)))

    sys.addaudithook(hook)  # for good: hooks cannot be removed
    return seen, switch


@pytest.mark.parametrize("n", [100, pytest.param(20_000, marks=pytest.mark.slow)])
def test_mutated_bundles_are_refused_in_one_line_or_work(n, sound, watched, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen, switch = watched
    contents = sound(things() if n < 1000 else [*things(), *more_things()])
    path, rng, wrong, refused, late = Path("bundle.kb"), random.Random(n), [], 0, []
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(n):
        mutation, content = rng.choice(MUTATIONS), rng.choice(contents)
        path.write_bytes(mutation(content, rng) if unpacked(content)[1] else rng.choice(WITHOUT_ARRAYS)(content, rng))
        switch["on"] = True
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                thing = kb.load(path)
                switch["on"] = False
                if uses_badly(thing):
                    late.append((number, mutation.__name__, type(thing).__name__))
        except KernelBanditsError as error:
            refused += 1
            if "\n" in str(error) or not str(error).isprintable():
                wrong.append((number, mutation.__name__, "more than a line", str(error)))
        except Exception as error:
            wrong.append((number, mutation.__name__, type(error).__name__, str(error)))
        finally:
            switch["on"] = False
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert wrong == []
    assert seen == []
    assert {*Path().iterdir()} == {path, Path("again.kb")}
    assert refused > 0.5 * n
    assert late == []
    assert grown < 400
