"""`kernelbandits reproduce table-1`: the experiment, its table, the command; real rows where there are any."""

import json
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import examples
import kernelbandits as kb
from command import run
from kernelbandits.experiments import regret_picture
from kernelbandits.paper import table_1
from kernelbandits.reporting import Document

SMALL = kb.AvazuDesign(dim=5, n_oracle=20, n_contexts=30)
FOLDER = os.environ.get("KERNELBANDITS_DATA_DIR")
REAL = Path(FOLDER or "") / "avazu_labelled.csv.gz"
needs_rows = pytest.mark.skipif(
    FOLDER is None or not REAL.is_file(), reason="KERNELBANDITS_DATA_DIR names no folder with avazu_labelled.csv.gz"
)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The study on a small file of the stand-in, two seeds."""
    experiment = table_1.experiment(kb.Avazu(examples.IMPRESSIONS, SMALL), seeds=2, horizon=60)
    return kb.run(experiment, tmp_path_factory.mktemp("small"))


def test_the_experiment_is_the_papers():
    experiment = table_1.experiment(kb.Avazu(examples.IMPRESSIONS, SMALL))
    [panel] = experiment.panels
    assert (experiment.horizon, experiment.seeds, panel.mark) == (3000, (0, 1, 2, 3, 4), 1500)
    assert list(panel.methods) == list(table_1.PAPER)
    assert panel.methods["EtC"].n_explore == 1500


def test_the_defaults_are_the_settled_choices():
    design = table_1.design()
    assert design == kb.AvazuDesign()
    assert (design.arm_column, design.dim, design.level, design.n_oracle, design.noise_std) == (
        "id",
        100,
        0.5,
        2000,
        0.01,
    )
    assert design.oracle == kb.KernelRidge(kb.Gaussian(gamma=4.0), ridge=0.1)
    assert design.contexts == kb.OwnContexts()
    other = table_1.design(arms="C14", contexts="shared", dim=7, level=1.0, drop=("device_ip",))
    assert other == kb.AvazuDesign("C14", kb.SharedContexts(), 7, 1.0, ("device_ip",))


def test_a_file_of_the_stand_in_never_passes_for_avazu(small):
    [panel] = small.experiment.panels
    assert panel.name.startswith("synthetic stand-in (no Avazu data)")
    assert "synthetic stand-in" in small.experiment.title
    assert small.frame["panel"].unique().to_list() == [panel.name]
    assert "synthetic stand-in" in regret_picture(small).charts[0].charts[0].title
    assert "synthetic stand-in" in table_1.comparison(small).columns[1].name
    assert "no Avazu data" in panel.environment.notes(60)[0]


def test_names_that_are_not_made_up_are_taken_for_avazu(tmp_path):
    path = tmp_path / "real.csv"
    path.write_text(examples.IMPRESSIONS.read_text(encoding="utf-8").replace(",s-", ",ab"), encoding="utf-8")
    experiment = table_1.experiment(kb.Avazu(path, SMALL))
    assert experiment.panels[0].name == "Avazu, arms by id"
    assert not any("synthetic" in note for note in experiment.panels[0].environment.notes(60))


def test_the_table_has_both_and_the_ratios(small, capsys):
    Document("", (table_1.comparison(small),)).show()
    text = capsys.readouterr().out
    regret = {method: small.curves(small.experiment.panels[0].name, method)[:, -1] for method in table_1.PAPER}
    for method, (printed, error) in table_1.PAPER.items():
        [line] = [line for line in text.splitlines() if line.split()[:1] == [method]]
        mean, se = regret[method].mean(), regret[method].std(ddof=1) / np.sqrt(2)
        ratio = mean / regret["CGP-UCB"].mean()
        for word in (f"{mean:.1f} ± {se:.1f}", f" {ratio:.3f} ", f"{printed} ± {error}", f" {printed / 665.1:.3f}"):
            assert word in line


def test_another_content_of_the_file_is_another_run(tmp_path):
    path = tmp_path / "rows.csv"
    prints = []
    for other in ("s-", "s-0"):
        path.write_text(examples.IMPRESSIONS.read_text(encoding="utf-8").replace("s-", other), encoding="utf-8")
        experiment = table_1.experiment(kb.Avazu(path, SMALL), horizon=60)
        prints.append([cell.fingerprint for cell in experiment.cells()])
    assert not set(prints[0]) & set(prints[1])
    moved = path.rename(tmp_path / "moved.csv")
    again = [cell.fingerprint for cell in table_1.experiment(kb.Avazu(moved, SMALL), horizon=60).cells()]
    assert again == prints[1], "a file is known by what it holds"


def test_a_toml_file_can_name_it(tmp_path):
    (tmp_path / "rows.csv").write_bytes(examples.IMPRESSIONS.read_bytes())
    (tmp_path / "mine.toml").write_text(
        """
        name = "mine"
        horizon = 30
        seeds = 1
        [methods.Uniform]
        type = "Uniform"
        [[panels]]
        name = "ads"
        environment = { type = "Avazu", path = "rows.csv", design = { dim = 5, n_oracle = 20 } }
        """,
        encoding="utf-8",
    )
    done = run("run", "mine.toml", "--jobs", "1", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert record["summary"][0]["mean_regret"] > 0
    assert "synthetic stand-in" in record["notes"]["ads"][0]


def test_the_command_on_the_stand_in(tmp_path):
    quick = ["reproduce", "table-1", "--seeds", "1", "--horizon", "200", "--jobs", "1", "--only", "EtC", "--dim", "20"]
    done = run(*quick, "--report", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "synthetic stand-in (no Avazu data)" in done.stdout
    assert "524.8 ± 3.4" in done.stdout
    folder = tmp_path / "results" / "table-1"
    names = {"results.parquet", "summary.csv", "table-1.png", "table-1.svg", "provenance.json", "cells", "report.html"}
    assert {path.name for path in folder.iterdir()} == names
    summary = pl.read_csv(folder / "summary.csv")
    assert summary["method"].to_list() == ["EtC"]
    assert "synthetic stand-in" in summary["panel"][0]
    assert "synthetic stand-in" in (folder / "provenance.json").read_text(encoding="utf-8")
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert all(words in report for words in ("Beside the paper", "524.8 ± 3.4", "synthetic stand-in (no Avazu data)"))
    assert "AvazuStandIn" in (folder / "provenance.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["figure-1", "--arms", "C14"], "--arms has no meaning for figure-1"),
        (["theory", "--data", "x.csv"], "--data has no meaning for theory"),
        (["figure-2", "--drop", "C14"], "--drop has no meaning for figure-2"),
        (["all", "--only", "EtC", "--dim", "5"], "--dim has no meaning for all"),
        (["table-1", "--drop", "C99"], "drop has no feature 'C99'"),
        (["table-1", "--level", "-1"], "level must be a number above 0"),
        (["table-1", "--horizon", "1"], "the horizon must be at least 2"),
        (["table-1", "--arms", "C15"], "'C15' is not one of 'id', 'C14'"),
    ],
)
def test_a_mistake_is_one_clear_line(tmp_path, arguments, words):
    done = run("reproduce", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


@needs_rows
def test_real_rows_are_read_whole_and_split():
    impressions = kb.Avazu(REAL).impressions()
    assert len(impressions.clicks) == 38_858
    assert impressions.rows.nnz == 22 * 38_858
    assert impressions.clicks.mean() == pytest.approx(0.1735, abs=5e-5)
    assert 3802 <= min(map(len, impressions.groups)) <= max(map(len, impressions.groups)) <= 4003
    assert not impressions.synthetic


@needs_rows
@pytest.mark.slow
def test_the_order_of_the_paper_on_real_rows(tmp_path):
    results = kb.run(table_1.experiment(kb.Avazu(REAL)), tmp_path)
    regret = dict(results.summary().select("method", "mean_regret").iter_rows())
    kernel, linear = (["EtC", "EtC-Ridge"], ["EtC-Linear", "EtC-Linear-Ridge"])
    assert sorted(regret, key=regret.__getitem__)[:2] in (kernel, kernel[::-1])
    assert all(max(map(regret.get, kernel)) < regret[method] < regret["CGP-UCB"] for method in linear)
    assert regret["EtC"] / regret["CGP-UCB"] <= 0.80
