"""`kernelbandits reproduce real-world` as a process: files, findings, what is left out, refusals."""

import json
import os
import subprocess

import numpy as np
import polars as pl
import pytest

from command import run, run_process

QUICK = ["reproduce", "real-world", "--seeds", "2", "--horizon", "60"]
DATA = os.environ.get("KERNELBANDITS_DATA_DIR")
METHODS = 11


def table(path, n=120):
    """Rows in the form of the mushroom data: a class and categories that tell it."""
    rng = np.random.default_rng(0)
    odor = rng.integers(4, size=n)
    frame = pl.DataFrame({"class": np.where(odor > 1, "p", "e"), "odor": [f"o{i}" for i in odor]})
    frame = frame.with_columns(colour=pl.Series([f"c{i}" for i in rng.integers(3, size=n)]))
    frame.write_csv(path.with_suffix(""))
    subprocess.run(["gzip", path.with_suffix("")], check=True)


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_digits_alone_and_the_same_bytes_for_any_number_of_jobs(tmp_path, jobs):
    printed = run(*QUICK, "--jobs", "1", cwd=tmp_path)
    assert printed.returncode == 0, printed.stderr
    assert printed.stderr == "", "quiet when the output is not a terminal"
    assert "Left out: MNIST, ISOLET, mushroom, adult, warfarin (give the folder" in printed.stdout
    assert "digits: " in printed.stdout
    call = run if jobs == "1" else run_process
    other = call(*QUICK, "--jobs", jobs, "--json", "--report", "--out", "other", cwd=tmp_path)
    record = json.loads(other.stdout)
    folder = tmp_path / "results" / "real-world"
    names = {"results.parquet", "summary.csv", "real-world.png", "real-world.svg", "arms.csv", "digits.npz"}
    assert names | {"provenance.json", "cells"} == {path.name for path in folder.iterdir()}
    for name in names:
        assert (folder / name).read_bytes() == (tmp_path / "other" / name).read_bytes(), name
    frame = pl.read_parquet(folder / "results.parquet")
    assert frame.height == METHODS * 2 * 60
    assert record["summary"] == pl.read_csv(folder / "summary.csv").to_dicts()
    assert all(line in printed.stdout for line in record["findings"])
    page = (tmp_path / "other" / "report.html").read_text(encoding="utf-8")
    assert "Left out: MNIST" in page


def test_a_folder_with_some_of_the_data_sets(tmp_path):
    (tmp_path / "mine").mkdir()
    table(tmp_path / "mine" / "mushroom.csv.gz")
    done = run(
        *QUICK, "--jobs", "1", "--data-dir", "mine", "--only", "EtC", "--only", "LinearUCB", "--json", cwd=tmp_path
    )
    record = json.loads(done.stdout)
    assert {(row["panel"], row["method"]) for row in record["summary"]} == {
        (panel, method) for panel in ("digits", "mushroom") for method in ("EtC", "LinearUCB")
    }
    [left_out] = [line for line in record["findings"] if "MNIST" in line]
    assert left_out == "Left out: MNIST (no file mnist_t10k.npz in mine)"
    assert not any("mushroom" in line for line in record["findings"] if line.startswith("Left out"))
    more = ["--data-dir", "mine", "--only", "Uniform", "--jobs", "1", "--json", "--out", "b"]
    longer = run(*QUICK[:-1], "200", *more, cwd=tmp_path)
    assert "Left out: mushroom (120 rows are too few for 200 rounds)" in json.loads(longer.stdout)["findings"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["real-world", "--only", "MNIST"], "Left out: MNIST (give the folder with their files by --data-dir)"),
        (["real-world", "--only", "mushroom", "--data-dir", "empty"], "no file mushroom.csv.gz in empty"),
        (["real-world", "--horizon", "2000"], "Left out: digits (1,797 rows are too few for 2,000 rounds)"),
        (["real-world", "--horizon", "9"], "Left out: digits (9 rounds are too few for 10 arms)"),
        (
            ["real-world", "--only", "digits", "--only", "Unifrm"],
            "no method or data set 'Unifrm'; did you mean 'Uniform'",
        ),
        (["real-world", "--data-dir", "nowhere"], "nowhere"),
        (["real-world", "--data-dir", "broken"], "mnist_t10k.npz cannot be read"),
        (["real-world", "--data-dir", "other"], "mushroom.csv.gz has no column 'class'"),
        (
            ["figure-1", "--data-dir", "empty"],
            "--data-dir has no meaning for figure-1; see kernelbandits",
        ),
    ],
)
def test_a_mistake_is_one_clear_line(tmp_path, arguments, message):
    for name in ("empty", "broken", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "broken" / "mnist_t10k.npz").write_bytes(b"PK\x03\x04 no more")
    (tmp_path / "other" / "mushroom.csv").write_text("odor,colour\na,b\n")
    subprocess.run(["gzip", tmp_path / "other" / "mushroom.csv"], check=True)
    done = run("reproduce", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stdout == ""
    assert {path.name for path in tmp_path.iterdir()} == {"empty", "broken", "other"}


@pytest.mark.slow
@pytest.mark.skipif(not DATA, reason="KERNELBANDITS_DATA_DIR does not name a folder with the data sets")
def test_all_six_data_sets(tmp_path):
    done = run_process(*QUICK[:-1], "300", "--data-dir", DATA, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    regret = {(row["panel"], row["method"]): row["mean_regret"] for row in record["summary"]}
    assert len(regret) == 6 * METHODS
    panels = list(dict.fromkeys(panel for panel, _ in regret))
    assert panels == ["digits", "MNIST", "ISOLET", "mushroom", "adult", "warfarin"]
    for panel in panels:
        assert regret[panel, "LinearUCB"] < regret[panel, "Uniform"]
    assert not any(line.startswith("Left out") for line in record["findings"])
