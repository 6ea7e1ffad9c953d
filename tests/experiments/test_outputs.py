"""The output folder: nothing in it tells where it was made, and its duration is that of the whole command."""

import base64
import json
import re
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from command import run
from kernelbandits.experiments import InProcess, RunOptions, contents, outputs, parse, report_experiment
from kernelbandits.experiments.store import files_in
from small import TOML

ROOT = Path(__file__).parents[2]
FROM_FILES = """
name = "from-files"
horizon = 40
seeds = 2
[methods.Uniform]
type = "Uniform"
[[panels]]
name = "classes"
environment = { type = "Classification", path = "data/rows.csv", label = "y" }
[[panels]]
name = "more classes"
environment = { type = "Classification", path = "more/rows.csv", label = "y" }
[[panels]]
name = "rewards"
environment = { type = "Surrogate", path = "data/log.csv", n_fit = 10 }
"""


@pytest.fixture
def files(tmp_path):
    """An experiment on three data files, two of the same name."""
    folder, rng = tmp_path / "where-it-was-made", np.random.default_rng(0)
    for name in ("data", "more"):
        (folder / name).mkdir(parents=True)
        rows = pl.DataFrame({"x": rng.standard_normal(60), "y": np.where(rng.random(60) < 0.5, "a", "b")})
        rows.write_csv(folder / name / "rows.csv")
    x, arms = rng.standard_normal(90), rng.integers(2, size=90)
    log = pl.DataFrame({"x": x, "arm": arms, "reward": np.tanh(x) * (1 - 2 * arms) + 0.1 * rng.standard_normal(90)})
    log.write_csv(folder / "data" / "log.csv")
    (folder / "mine.toml").write_text(FROM_FILES, encoding="utf-8")
    return folder


def texts(folder):
    """The bytes of every file below a folder, and those of the pictures inside its pages."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content = path.read_bytes()
            yield path.name, content
            for picture in re.findall(rb"base64,([A-Za-z0-9+/=]+)", content):
                yield f"a picture in {path.name}", base64.b64decode(picture)


def assert_says_not_where(folder, *places):
    found = list(texts(folder))
    for name, content in found:
        for place in (*places, ROOT, Path.cwd()):
            assert str(place).encode() not in content, f"{name} contains {place}"
            assert str(place).strip("/").encode() not in content, f"{name} contains {place}"
    return {name for name, _ in found}


def test_no_output_of_a_users_experiment_says_where_it_was_made(files, tmp_path):
    out = tmp_path / "out"
    done = run("run", str(files / "mine.toml"), "--jobs", "1", "--report", f"--out={out}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    names = assert_says_not_where(out, tmp_path, files)
    assert {"report.html", "provenance.json", "results.parquet", "summary.csv", "from-files.svg"} <= names


@pytest.mark.parametrize(
    "arguments",
    [
        ["real-world", "--horizon", "30", "--only", "Uniform"],
        ["beyond", "--horizon", "30", "--only", "digits", "--only", "1 active dimension"],
        ["theory", "--horizon", "30", "--only", "information"],
    ],
)
def test_no_output_of_a_study_says_where_it_was_made(tmp_path, arguments):
    (tmp_path / "empty").mkdir()
    own = [] if arguments[0] == "theory" else ["--data-dir", str(tmp_path / "empty")]
    out = tmp_path / "out"
    options = ["--seeds", "1", "--jobs", "1", "--report", "--out", str(out)]
    done = run("reproduce", *arguments, *own, *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "report.html" in assert_says_not_where(out, tmp_path)


def test_the_provenance_of_data_files_is_enough_to_run_them_again(files):
    experiment = kb.load_experiment(files / "mine.toml")
    record = json.loads(json.dumps(contents(experiment)))
    assert list(record["files"]) == ["data/rows.csv", "more/rows.csv", "data/log.csv"]
    assert len(set(record["files"].values())) == 3
    for panel, table in zip(experiment.panels, record["experiment"]["panels"], strict=True):
        whole = {"name": "again", "horizon": 40, "methods": table["methods"]}
        again = parse(whole | {"panels": [{"name": "a", "environment": table["environment"]}]}, folder=files)
        assert again.panels[0].environment == panel.environment


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ([], []),
        (["data/a.csv"], ["a.csv"]),
        (["x/a.csv", "x/b.csv"], ["a.csv", "b.csv"]),
        (["x/one/a.csv", "x/two/a.csv", "x/b.csv"], ["one/a.csv", "two/a.csv", "x/b.csv"]),
        (["top/a/x.csv", "b/a/x.csv"], ["top/a/x.csv", "b/a/x.csv"]),
    ],
)
def test_names_of_files_are_as_long_as_they_must_be(files, names, tmp_path):
    for name in files:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x,y\n1,a\n", encoding="utf-8")
    found = files_in([kb.Classification(tmp_path / name, label="y") for name in files])
    assert [*found] == [str(tmp_path / name) for name in files]
    assert [name for name, _ in found.values()] == names


@pytest.mark.parametrize(("before", "words"), [(0.0, "Finished in 7.0 s."), (123.0, "Finished in 130 s.")])
def test_the_duration_counts_from_the_start_to_the_last_file(small, tmp_path, monkeypatch, capsys, before, words):
    """Reading and fitting before the first round takes `before` seconds, each of the pictures 3 and the report 4."""
    now = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    options = RunOptions(tmp_path, InProcess(), report=True, started=1000.0)
    now[0] += before
    originals = {name: getattr(outputs, name) for name in ("save", "provenance_section")}
    for name, seconds in {"save": 3.0, "provenance_section": 4.0}.items():

        def slow(*arguments, name=name, seconds=seconds):
            now[0] += seconds
            return originals[name](*arguments)

        monkeypatch.setattr(outputs, name, slow)
    report_experiment(small.only(("Uniform",)), options)
    assert words in capsys.readouterr().out
    record = json.loads((tmp_path / "provenance.json").read_text(encoding="utf-8"))
    assert record["seconds"] == before + 3.0


def test_the_command_counts_from_its_start(tmp_path, monkeypatch):
    """Reading the experiment takes 500 seconds of this clock."""
    (tmp_path / "mine.toml").write_text(TOML, encoding="utf-8")
    looks = []
    monkeypatch.setattr(time, "monotonic", lambda: looks.append(None) or float(len(looks)))
    load = kb.experiments.load_experiment

    def slow_load(source, **options):
        looks.extend([None] * 500)
        return load(source, **options)

    monkeypatch.setattr("kernelbandits.experiments.load_experiment", slow_load)
    for command in (
        ["run", "mine.toml"],
        ["reproduce", "figure-2", "--horizon", "100", "--seeds", "1", "--only", "1 active dimension"],
    ):
        looks.clear()
        done = run(*command, "--only", "Uniform", "--json", "--jobs", "1", cwd=tmp_path)
        assert json.loads(done.stdout)["seconds"] > 500


def test_options_replace_seeds_and_horizon_and_choose_a_part(small, tmp_path):
    asked = RunOptions(tmp_path, InProcess(), seeds=5, horizon=70, only=("EtC",)).part_of(small)
    assert (asked.seeds, asked.horizon, asked.methods) == ((0, 1, 2, 3, 4), 70, ("EtC",))
    assert RunOptions(tmp_path, InProcess()).part_of(small) == small
