"""Data files in experiments: found beside the TOML file, known by their content, refused before anything is written."""

import json
import os
import shutil

import pytest

import examples
import kernelbandits as kb
from command import BLAS_THREADS, run, run_process
from kernelbandits.errors import InvalidFile
from kernelbandits.experiments.store import fingerprint
from kernelbandits.tables import digests

TOML = """
name = "visits"
horizon = 60
seeds = 2
methods = { Uniform = { type = "Uniform" } }

[[panels]]
name = "offers"

[panels.environment]
type = "Classification"
path = "tables/visits.csv"
label = "offer"
encoding = { drop = ["id"], rare = 5 }
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tables").mkdir()
    shutil.copy(examples.TABLE, tmp_path / "tables" / "visits.csv")
    (tmp_path / "visits.toml").write_text(TOML, encoding="utf-8")
    return tmp_path


def environment_of(path):
    return kb.load_experiment(path).panels[0].environment


def digest(path, label="offer"):
    return fingerprint(kb.Classification(path, label), kb.Uniform(), 50, 0)


def test_a_relative_path_starts_at_the_file_in_toml_and_at_the_current_folder_in_python(folder, monkeypatch):
    monkeypatch.chdir(folder / "tables")
    wanted = kb.Classification(
        str(folder / "tables" / "visits.csv"), "offer", encoding=kb.Encoding(drop=("id",), rare=5)
    )
    assert environment_of(folder / "visits.toml") == wanted
    monkeypatch.chdir(folder)
    assert environment_of("visits.toml") == wanted
    assert kb.Classification("tables/../tables/visits.csv", "offer").path == wanted.path


def test_a_fingerprint_follows_the_content_and_not_the_place(folder):
    here, there = folder / "tables" / "visits.csv", folder / "other.v2.csv"
    shutil.copy(here, there)
    before = digest(here)
    assert digest(there) == before
    assert digest(here, "device") != before
    there.write_text(here.read_text(encoding="utf-8").replace("tea", "tee", 1), encoding="utf-8")
    assert digest(there) != before


def test_a_large_grid_reads_the_file_once(folder, monkeypatch):
    digests._digest_of.cache_clear()
    experiment = kb.load_experiment(folder / "visits.toml")
    cells = list(experiment.cells()) * 50
    assert len(cells) == 100
    assert digests._digest_of.cache_info().misses == 1
    path = folder / "tables" / "visits.csv"
    facts = path.stat()
    path.write_bytes(path.read_bytes())
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns + 1_000_000))
    list(experiment.cells())
    assert digests._digest_of.cache_info().misses == 2, "a touched file is looked at again"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "tables/visits.csv",
            "visits.csv",
            r"visits\.toml: .*environment: Classification: path: no such file: .*visits\.csv",
        ),
        ('"tables/visits.csv"', "3", "environment: Classification: path must be the path of a file; got 3"),
        ("rare = 5", "rear = 5", r"encoding: Encoding has no key 'rear'; did you mean 'rare'"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(folder, old, new, words):
    (folder / "visits.toml").write_text(TOML.replace(old, new), encoding="utf-8")
    with pytest.raises(InvalidFile, match=words):
        kb.load_experiment(folder / "visits.toml")


def test_the_command_says_what_was_done_to_the_data(folder):
    done = run("run", "visits.toml", "--jobs", "1", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "offers: visits.csv: 150 rows, 3 classes of 'offer': cake (54), coffee (37), tea (59)" in done.stdout
    record = json.loads((folder / "results" / "visits" / "provenance.json").read_text(encoding="utf-8"))
    assert any("missing numbers in 'age'" in line for line in record["notes"]["offers"])
    assert list(record["files"]) == ["visits.csv"]
    again = json.loads(run("run", "visits.toml", "--jobs", "1", "--json", cwd=folder).stdout)
    assert again["notes"] == record["notes"]


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_workers(folder, monkeypatch):
    """The principal components too: the parent process reads the table with all its threads, a worker with one."""
    for name in BLAS_THREADS:
        monkeypatch.delenv(name)
    text = TOML.replace("rare = 5", "rare = 5, dim = 5").replace("seeds = 2", "seeds = 3")
    estimator = '{ type = "MinNormInterpolator", kernel = { type = "Gaussian" } }'
    policy = f'{{ type = "ExploreThenCommit", n_explore = 30, estimator = {estimator} }}'
    (folder / "visits.toml").write_text(text.replace('{ type = "Uniform" }', policy), encoding="utf-8")
    for jobs in ("1", "2"):
        done = run_process("run", "visits.toml", "--jobs", jobs, "--out", jobs, cwd=folder)
        assert done.returncode == 0, done.stderr
    assert (folder / "1" / "results.parquet").read_bytes() == (folder / "2" / "results.parquet").read_bytes()


@pytest.mark.parametrize(
    ("change", "options", "words"),
    [
        (lambda text: text.replace("offer", "choice"), [], "visits.csv has no column 'offer'"),
        (lambda text: text.replace(",", ";"), [], "seems to be separated by semicolons"),
        (lambda text: text[: text.index("\n") + 1], [], "visits.csv has a header but no rows"),
        (lambda text: "", [], "visits.csv is empty"),
        (lambda text: text.replace("coffee", "tea").replace("cake", "tea"), [], "has the class 'tea'"),
        (lambda text: text.replace("tea", "mate", 3), [], "'mate' (3)"),
        (lambda text: text, ["--horizon", "151"], "horizon must be at most 150"),
    ],
)
def test_a_broken_table_is_one_line_and_nothing_is_written(folder, change, options, words):
    path = folder / "tables" / "visits.csv"
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    done = run("run", "visits.toml", *options, cwd=folder)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not (folder / "results").exists()
