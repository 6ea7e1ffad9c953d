"""The command: what it prints, writes and returns; some of it as a real process."""

import json
import signal
import subprocess

import polars as pl
import pytest
from loopback import wait_for

from command import COMMAND, run, run_process
from kernelbandits.cli import app
from kernelbandits.experiments import shipped
from kernelbandits.paper import STUDIES
from small import TOML

QUICK = ["--seeds", "2", "--horizon", "120", "--jobs", "1", "--only", "EtC", "--only", "low-rank, d = 100"]


def test_reproduce_writes_the_folder_and_says_where(tmp_path):
    done = run_process("reproduce", "figure-1", *QUICK, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "quiet when the output is not a terminal"
    folder = tmp_path / "results" / "figure-1"
    names = {"results.parquet", "summary.csv", "figure-1.png", "figure-1.svg", "provenance.json"}
    assert names | {"cells"} == {path.name for path in folder.iterdir()}, "no report unless asked for"
    assert all(name in done.stdout for name in names)
    assert "results/figure-1" in done.stdout
    summary = pl.read_csv(folder / "summary.csv")
    mean, error = summary["mean_regret"][0], summary["standard_error"][0]
    assert f"{mean:.1f} ± {error:.1f}" in done.stdout
    record = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    assert record["seeds"] == [0, 1]


def test_json_is_all_that_is_printed(tmp_path):
    done = run("reproduce", "figure-1", *QUICK, "--json", "--out", str(tmp_path / "here"))
    record = json.loads(done.stdout)
    assert record["folder"] == str(tmp_path / "here")
    assert record["summary"][0]["method"] == "EtC"
    assert len(record["files"]) == 5


def test_run_a_file_of_the_user(tmp_path):
    (tmp_path / "mine.toml").write_text(TOML.replace('name = "small"', 'name = "mine"'), encoding="utf-8")
    done = run_process("run", "mine.toml", "--seeds", "1", "--only", "EtC", "--jobs", "1", "--report", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "results" / "mine"
    assert (folder / "mine.png").is_file()
    assert "report.html" in done.stdout
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "run mine.toml --seeds 1 --only EtC --jobs 1 --report" in report, "the command stands in the report"
    mean = pl.read_csv(folder / "summary.csv")["mean_regret"][0]
    assert f"{mean:.2f}" in report
    assert not list(folder.glob("*.part"))


def test_list_names_experiments_and_types():
    text, record = run("list").stdout, json.loads(run("list", "--json").stdout)
    assert set(record["experiments"]) == {"figure-1", "figure-2"}
    assert "Gaussian" in record["types"]["Kernel"]
    assert all(name in text for names in record["types"].values() for name in names)
    assert all(entry["file"] in text for entry in record["experiments"].values())


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["reproduce", "figure-3"], 2, "no experiment is called 'figure-3'; did you mean 'figure-"),
        (["reproduce"], 2, "Missing argument 'NAME'"),
        (["reproduce", "figure-1", "--seeds", "0"], 2, "'--seeds': 0 is not in the range x>=1"),
        (["reproduce", "figure-1", "--seeds", "many"], 2, "'--seeds': 'many' is not a valid integer"),
        (["reproduce", "figure-1", "--sedes", "3"], 2, "No such option"),
        (["reproduce", "figure-1", "--only", "EtCC"], 2, "no method or panel 'EtCC'; did you mean 'EtC'"),
        (["reproduce", "figure-1", "--horizon", "50", "--jobs", "1"], 2, "n_explore must be at most the horizon, 50"),
        (["run", "nowhere.toml"], 2, "no such experiment file: nowhere.toml"),
        (["run", "bad.toml"], 2, "bad.toml: the file has an unknown key 'horzon'; did you mean 'horizon'?"),
        (["reproduce", "figure-1", "--out", "bad.toml"], 2, "is a file"),
        (["frobnicate"], 2, "No such command 'frobnicate'"),
    ],
)
def test_a_mistake_is_one_clear_line(tmp_path, arguments, code, message):
    (tmp_path / "bad.toml").write_text("horzon = 3\n", encoding="utf-8")
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["bad.toml"], "nothing is written"


def test_debug_shows_where_it_happened(tmp_path):
    done = run("run", "nowhere.toml", "--debug", cwd=tmp_path)
    assert "Traceback" in done.stderr
    assert "InvalidFile" in done.stderr


@pytest.mark.parametrize("name", [None, *app.list_commands(None)])
def test_help_teaches(name):
    """Examples stand on lines of their own, as they were written."""
    command = app if name is None else app.get_command(None, name)
    done = run(*([name] if name else []), "--help")
    assert done.returncode == 0
    assert "Usage: kernelbandits" in done.stdout
    assert "\\b" not in done.stdout
    shown = {line.strip() for line in done.stdout.splitlines()}
    written = [line.strip() for line in command.help.splitlines()]
    assert [line for line in written if line.startswith("kernelbandits ") and line not in shown] == []


def test_without_arguments_help_is_shown():
    assert run().stdout == run("--help").stdout


def test_help_names_every_study():
    named = run("reproduce", "--help").stdout
    assert [name for name in (*shipped(), *STUDIES, "all") if name not in named] == []


def test_interrupted_by_the_keyboard(tmp_path):
    long = TOML.replace("seeds = 3", "seeds = 1000").replace("horizon = 120", "horizon = 500")
    (tmp_path / "long.toml").write_text(long, encoding="utf-8")
    process = subprocess.Popen(
        [*COMMAND, "run", str(tmp_path / "long.toml"), "--jobs", "1", "--out", str(tmp_path / "out")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(lambda: list(tmp_path.glob("out/cells/*.npy")), process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130
    assert err.strip() == "kernelbandits: interrupted; finished runs are kept, the same command goes on from there"
    assert out == ""
