"""Experiment files changed at random: each is read, or refused with one line, and nothing else happens.

Some of those that are read are run: they write their output folder and nothing else, or end with one line.
"""

import copy
import dataclasses
import random
import resource
import signal
import tomllib
import warnings
from pathlib import Path

import pytest

import kernelbandits as kb
from command import run
from kernelbandits.errors import KernelBanditsError
from kernelbandits.linalg import machine
from kernelbandits.reporting import toml_lines
from small import TOML

MEMORY = 2 * 10**8
HANGS = 120  # seconds; it only ends a test that hangs
RAW = "raw:"  # a text that is written without quotes
CSV = "x,group,arm,y\n" + "".join(f"{i % 7},{'abc'[i % 3]},{i % 2},{(i * i) % 5}\n" for i in range(60))
EVIL = "import pathlib\npathlib.Path(__file__).with_suffix('.ran').touch()\n"

KERNELS = [{"type": "Gaussian", "gamma": 4.0}, {"type": "Matern", "nu": 2.5, "length": 1.0}, {"type": "Linear"}]
MODEL = {"type": "GaussianProcess", "ridge": 1.0, "kernel": KERNELS[0]}
METHODS = {
    "EtC": {
        "type": "ExploreThenCommit",
        "n_explore": 4,
        "estimator": {"type": "Nystrom", "ridge": 1e-3, "n_centers": 3, "kernel": KERNELS[1]},
    },
    "TS": {"type": "ThompsonSampling"},
    "UCB": {"type": "CalibratedUCB"},
    "Linear": {"type": "LinearUCB"},
    "Budget": {"type": "ThompsonSampling", "belief": {"type": "BudgetedArms", "model": MODEL}},
    "Joint": {"type": "ThompsonSampling", "belief": {"type": "HierarchicalBayes"}},
    "Adaptive": {"type": "AdaptiveExploreThenCommit"},
}
TABLES = [
    {"type": "Classification", "path": "data.csv", "label": "group", "encoding": {"rare": 2}},
    {"type": "Surrogate", "path": "data.csv", "arm": "arm", "reward": "y", "n_fit": 5},
]
NAMES = [
    *("../../esc", "/tmp/kernelbandits-fuzz", "a/b", "..", ".x", "", "-x", "[/red]", "[bold]", "$\\frac$", "$x", "_x"),
    *(
        "nul\0",
        "line\nbreak",
        "\x1b[31mred",
        "日本語",
        "😀",
        "\u202egnp",
        "x" * 99,
        "x" * 5000,
        "<script>",
        "results.parquet",
    ),
    *("%s", "{0}", "a" * 250, "\ue000", "CON", "a:b", "a\tb", '"', "'", "\\", "cells"),
]
CODE = [
    "evil:Mine",
    ":x",
    "evil:",
    "..evil:Mine",
    "json:dumps",
    "os:system",
    "a b:c",
    "evil",
    "__main__:x",
    "evil.sub:Mine",
]
VALUES = [
    *(0, -1, 1, 2, 3, 10**6, 10**9, 10**12, 2**31, 2**63 - 1, -(2**63), 2**64, 10**30, True, False),
    *(0.0, -0.0, 0.5, 1e-320, 1e308, -1e308, 1e-300, "", "x", "$", "$n", "$n_explore", "Gaussian", "x" * 10**5, [], {}),
    *(
        [1],
        [[]],
        {"type": "Uniform"},
        {"type": 3},
        [{}],
        "data.csv",
        "nowhere.csv",
        "~nobody/x",
        "/dev/zero",
        "/etc",
        "\0",
    ),
    *(RAW + text for text in ("inf", "nan", "-inf", "1979-05-27", "07:32:00", "0x" + "f" * 5000, "9" * 5000, "0b1")),
    *(
        RAW + text
        for text in ("[" * 3000, "{" * 2000, "[" * 90 + "]" * 90, "'''", '"\\u0000"', '"\\ud800"', "1e400", "#")
    ),
]

NUMBERS = [0, 1, 2, 3, 5, 8, 0.1, 0.5, 1.0, 2.5, 10.0, 1e-3, 1e-9, 100, 10**4, 10**6, 10**9, 10**15, 2**62, 1e12, True]


def valid(chance):
    """A file that is right, and small enough to be run."""
    table = tomllib.loads(TOML)
    table |= {"horizon": chance.randint(6, 30), "seeds": chance.choice([1, 2, [3, 5]])}
    table["methods"] = copy.deepcopy(dict(chance.sample([*table["methods"].items(), *METHODS.items()], 2)))
    for panel in table["panels"]:
        panel["values"] = {"n_explore": 4}
        panel["environment"] |= {"n_arms": 2, "dim": 3, "n_bumps": 5}
    if chance.random() < 0.3:
        table["panels"][0]["environment"] = copy.deepcopy(chance.choice(TABLES))
    return table


def places(value, found=None):
    """Every (container, key) of nested tables and lists."""
    found = [] if found is None else found
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], dict | list):
            places(value[key], found)
    return found


def set_field(table, chance):
    """Give a field of a spec a number: a fair one, or one that is far too large."""
    specs = [place[place_key] for place, place_key in places(table) if isinstance(place[place_key], dict)]
    specs = [spec for spec in specs if spec.get("type") in kb.__all__]
    if not specs:
        return
    spec = chance.choice(specs)
    kind = getattr(kb, spec["type"])
    if dataclasses.is_dataclass(kind) and (fields := dataclasses.fields(kind)):
        spec[chance.choice(fields).name] = chance.choice(NUMBERS)


def change(table, chance):
    """Change one thing at random."""
    container, key = chance.choice(places(table))
    types = [place for place in places(table) if place[1] == "type"]
    kind = chance.randrange(18)
    if kind >= 10:
        set_field(table, chance)
    elif kind <= 2:
        container[key] = copy.deepcopy(chance.choice(VALUES))
    elif kind == 3:
        del container[key]
    elif kind == 4 and isinstance(container, dict):
        container[chance.choice([*NAMES, "seeds", "dim", "type", "gamma"])] = container.pop(key)
    elif kind == 5 and types:
        container, key = chance.choice(types)
        container[key] = chance.choice([*CODE, *kb.__all__])
    elif kind == 6 and isinstance(container[key], int | float):
        container[key] *= chance.choice([-1, 0, 10, 1000, 10**8, 0.5])
    elif kind == 7:
        container[key] = [container[key]] if chance.random() < 0.5 else {chance.choice(NAMES): container[key]}
    elif kind == 8:
        table["name"] = chance.choice(NAMES)
    else:
        names = [place for place in places(table) if place[1] in ("name", "title")]
        methods = table.get("methods")
        if isinstance(methods, dict) and methods and chance.random() < 0.5:
            methods[chance.choice(NAMES)] = methods.pop(chance.choice(list(methods)))
        elif names:
            container, key = chance.choice(names)
            container[key] = chance.choice(NAMES)


def scramble(text, chance):
    """Change letters at random."""
    i, n = chance.randrange(len(text)), chance.choice([1, 1, 3, 40])
    put = chance.choice(["", "", "\0", "[", "]", "=", '"', "\n", "\ud7ff", "\x85", ".", "#", text[i : i + n] * 2])
    return text[:i] + put + text[i + n :]


def written(seed):
    chance = random.Random(seed)
    table = valid(chance)
    for _ in range(chance.choice([0, 1, 1, 1, 2, 3])):
        if table:
            change(table, chance)
    text = toml_lines(table)
    for raw in (value for value in VALUES if isinstance(value, str) and value.startswith(RAW)):
        text = text.replace(kb.reporting.toml_value(raw), raw.removeprefix(RAW))
    for _ in range(chance.choice([0] * 12 + [1, 4]) if text else 0):
        text = scramble(text, chance)
    return text


def one_line(message):
    return 0 < len(message) <= 1100 and "\n" not in message.strip() and "cannot be built" not in message


def examine(seed, folder):
    """Read the file, run it perhaps; return what is wrong, or how it went."""
    path = folder / "mine.toml"
    path.write_text(written(seed), encoding="utf-8", errors="surrogateescape")
    try:
        kb.load_experiment(path)
    except KernelBanditsError as error:
        return "refused" if one_line(" ".join(str(error).split())) else f"{seed}: message: {error}"
    if seed % 5:
        return "read"
    options = ["--jobs", "1", "--horizon", "8", "--seeds", "2", *(["--report"] if seed % 2 else [])]
    done = run("run", str(path), *options, "--out", str(folder / "out"))
    if done.returncode == 0 and not done.stderr:
        return "run"
    if done.returncode in (1, 2) and one_line(done.stderr) and not done.stdout:
        return "not run"
    return f"{seed}: exit {done.returncode}: {done.stderr[-3000:]}"


def stop(number, frame):
    raise TimeoutError(f"more than {HANGS} seconds")


@pytest.fixture
def limits(monkeypatch):
    """Little memory, so that what is too large is refused rather than computed, and an end for what hangs."""
    monkeypatch.setattr(machine, "available_memory", lambda: MEMORY)
    before = signal.signal(signal.SIGALRM, stop)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    signal.signal(signal.SIGALRM, before)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 4 * MEMORY / 1024


@pytest.mark.parametrize("n", [120, pytest.param(5000, marks=pytest.mark.slow)])
def test_any_file_is_read_or_refused_with_one_line(tmp_path, limits, n):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (folder / "evil.py").write_text(EVIL, encoding="utf-8")
    (folder / "data.csv").write_text(CSV, encoding="utf-8")
    kept, outcomes = {folder / "evil.py", folder / "data.csv", folder / "mine.toml"}, []
    for seed in range(n):
        signal.alarm(HANGS)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                outcomes.append(examine(seed, folder))
        except Exception as error:  # all of them are told at the end
            outcomes.append(f"{seed}: {type(error).__name__}: {error}"[:2000])
        finally:
            signal.alarm(0)
        outside = {path for path in tmp_path.rglob("*") if path.is_file() and folder / "out" not in path.parents} - kept
        if outside or Path("/tmp/kernelbandits-fuzz.png").exists():
            outcomes.append(f"{seed}: written outside: {outside}")
            kept |= outside
    wrong = [outcome for outcome in outcomes if ":" in outcome]
    counts = {kind: outcomes.count(kind) for kind in ("refused", "read", "run", "not run")}
    print(counts)  # noqa: T201 (shown by pytest -rP)
    assert wrong == [], f"{len(wrong)} of {n}"
    assert min(counts.values()) > 0
