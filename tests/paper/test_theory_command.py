"""`kernelbandits reproduce theory` as a process: files, output, options; the same bytes for any number of jobs."""

import json
from html import escape
from pathlib import Path

import polars as pl
import pytest

from command import run, run_process

PARTS = ["--only", "information", "--only", "rate"]
QUICK = ["reproduce", "theory", *PARTS, "--seeds", "1", "--horizon", "512"]


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_files_and_tables_do_not_depend_on_the_jobs(tmp_path, jobs):
    printed = run(*QUICK, "--jobs", "1", cwd=tmp_path)
    assert printed.returncode == 0, printed.stderr
    assert printed.stderr == "", "quiet when the output is not a terminal"
    assert "fitted slope" in printed.stdout
    assert "the regret of CGP-UCB is" in printed.stdout
    call = run if jobs == "1" else run_process
    other = call(*QUICK, "--jobs", jobs, "--json", "--report", "--out", "other", cwd=tmp_path)
    record = json.loads(other.stdout)
    folder = tmp_path / "results" / "theory"
    names = {"rate.csv", "c-regret.png", "c-regret.svg", "information.csv", "d-information.png", "d-information.svg"}
    assert names | {"provenance.json", "cells"} == {path.name for path in folder.iterdir()}
    for name in names:
        assert (folder / name).read_bytes() == (tmp_path / "other" / name).read_bytes(), name
    assert record["tables"]["rate"] == pl.read_csv(folder / "rate.csv").to_dicts()
    assert set(record["findings"]) == {"rate", "information"}
    report = (tmp_path / "other" / "report.html").read_text(encoding="utf-8")
    assert str(Path("other", "report.html")) in record["files"]
    assert report.count('<img src="data:image/svg+xml;base64,') == 2
    for line in (line for lines in record["findings"].values() for line in lines):
        assert escape(line) in report
    finished = {path.name: path.stat().st_mtime_ns for path in (folder / "cells").iterdir()}
    assert run(*QUICK, "--only", "information", "--jobs", "1", cwd=tmp_path).returncode == 0
    assert {path.name: path.stat().st_mtime_ns for path in (folder / "cells").iterdir()} == finished, "runs are kept"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--only", "rates"], "the study has no part 'rates'; did you mean 'rate'"),
        (["--only", "error", "--horizon", "900"], "--horizon has no meaning for error"),
        (["--horizon", "50"], "the horizon must be"),
    ],
)
def test_a_mistake_is_one_clear_line(tmp_path, options, message):
    done = run("reproduce", "theory", *options, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""
    assert not list(tmp_path.iterdir())


def test_the_study_is_listed(tmp_path):
    assert "theory" in json.loads(run("list", "--json", cwd=tmp_path).stdout)["studies"]
    assert "theory      The paper's theory" in run("list", cwd=tmp_path).stdout
    assert "did you mean 'theory'" in run("reproduce", "teory", cwd=tmp_path).stderr
