"""The study of policies that are told nothing: its panels, its ratios, its command."""

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from command import run
from kernelbandits.experiments import InProcess, Runner, RunOptions
from kernelbandits.paper.beyond import DEFAULT, Suite, misspecified, panel_of, suites


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Two small panels, played."""
    environments = {name: kb.Synthetic(kb.LowRank(), n_arms=n, dim=6, n_bumps=5) for name, n in (("a", 2), ("b", 3))}
    panels = tuple(panel_of(name, environment, 10, 40) for name, environment in environments.items())
    suite = Suite("small", "Two small problems", "best", 1.25, panels, horizon=40, seeds=3)
    return suite, suite.rows(Runner(tmp_path_factory.mktemp("small"), InProcess()))


def test_all_problems_are_there(tmp_path):
    parts = {suite.name: suite for suite in suites(RunOptions(tmp_path, InProcess()))}
    assert list(parts) == ["figure-1", "figure-2", "misspecified", "real-data"]
    assert [len(suite.panels) for suite in parts.values()] == [6, 4, 11, 1]
    eight = list(kb.paper.methods(100))
    for suite in parts.values():
        for panel in suite.panels:
            assert [name for name in panel.methods if name in eight] == eight
            assert panel.methods[DEFAULT] == kb.default_policy()


def test_etc_explores_at_least_five_rounds_an_arm_and_d_rounds():
    marks = {panel.name: panel.mark for panel in misspecified(2000)}
    assert marks | {"d = 500": 500, "K = 100": 500, "K = 2": 100, "d = 20": 100} == marks
    assert marks["noise × 10"] == 100


def test_a_short_study_explores_half_of_the_time_or_every_arm_once(tmp_path):
    assert {panel.name: panel.mark for panel in misspecified(300)} | {"d = 500": 150, "K = 100": 150} == {
        panel.name: panel.mark for panel in misspecified(300)
    }
    short = {suite.name: suite for suite in suites(RunOptions(tmp_path, InProcess(), horizon=120))}
    assert {suite.horizon for suite in short.values()} == {120}
    marks = {panel.name: panel.mark for suite in short.values() for panel in suite.panels}
    assert (marks["d = 500"], marks["K = 100"], marks["K = 2"], marks["digits"]) == (60, 100, 60, 24)
    for suite in short.values():
        for panel in suite.panels:
            assert panel.methods["EtC"].n_explore == panel.mark <= 120


def test_real_data_are_played_for_as_many_rounds_as_they_have(tmp_path):
    longer = {suite.name: suite.horizon for suite in suites(RunOptions(tmp_path, InProcess(), horizon=4000))}
    assert longer == {"figure-1": 4000, "figure-2": 4000, "misspecified": 4000, "real-data": 1500}


@pytest.mark.parametrize(
    ("only", "panels"),
    [
        (("digits",), {"real-data": ["digits"]}),
        (("Real-Data", "D = 500"), {"misspecified": ["d = 500"], "real-data": ["digits"]}),
        (("figure-2", "K = 2"), {"figure-2": 4, "misspecified": ["K = 2"]}),
    ],
)
def test_parts_and_panels_by_name(tmp_path, only, panels):
    found = suites(RunOptions(tmp_path, InProcess(), only=only, horizon=100))
    names = {suite.name: [panel.name for panel in suite.panels] for suite in found}
    assert names | {"figure-2": len(names.get("figure-2", []))} == {"figure-2": 0} | panels


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "digit"], "beyond has no part or panel 'digit'; did you mean 'digits'?"),
        (["--only", "table-1"], "the part table-1 needs an Avazu file; give it by --data FILE"),
        (["--only", "mnist"], "Left out: MNIST (give the folder with their files by --data-dir)"),
        (["--horizon", "60"], "misspecified: the horizon must be at least 100, one round per arm of panel 'K = 100'"),
        (
            ["--horizon", "1", "--only", "d = 20"],
            "the horizon must be at least 20, one round per arm of panel 'd = 20'",
        ),
        (["--horizon", "9", "--only", "digits"], "digits (9 rounds are too few for 10 arms)"),
        (["--horizon", "1798", "--only", "digits"], "digits (1,797 rows are too few for 1,798 rounds)"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_computed(tmp_path, monkeypatch, arguments, message):
    for name in ("experiments.running.replay", "paper.real_world.reward_norm", "paper.data_sets.write_digits"):
        monkeypatch.setattr(f"kernelbandits.{name}", None)
    done = run("reproduce", "beyond", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_ratios_are_those_of_the_regrets(small):
    _, rows = small
    own = {row["method"]: row for row in rows.filter(pl.col("panel") == "a").iter_rows(named=True)}
    for row in own.values():
        np.testing.assert_allclose(row["to_etc"], row["mean_regret"] / own["EtC"]["mean_regret"])
        np.testing.assert_allclose(row["to_best"], row["mean_regret"] / row["best_regret"])
    eight = {name: own[name]["mean_regret"] for name in kb.paper.methods(6)}
    assert own["EtC"]["best_regret"] >= min(eight.values())
    assert set(own["EtC"]["best"].split(" or ")) <= set(eight)


def test_findings_tell_where_the_promise_is_kept(small):
    suite, rows = small
    own = rows.filter(pl.col("method") == DEFAULT)
    kept = own.filter(pl.col("to_best") <= 1.25)
    assert f"on {len(kept)} of 2 panels" in next(suite.findings(rows))
    assert len(list(suite.findings(rows))) == (1 if len(kept) == 2 else 2)
    assert suite.table(rows)["panel"].to_list() == ["a", "b"]


def test_the_command(tmp_path):
    options = ["--only", "1 active dimension", "--seeds", "2", "--horizon", "110", "--jobs", "1", "--report"]
    done = run("reproduce", "beyond", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "default policy: at most 0.8 × the best of the paper's eight" in done.stdout
    folder = tmp_path / "results" / "beyond"
    names = {"figure-2.csv", "figure-2.png", "figure-2.svg", "provenance.json", "report.html"}
    assert names <= {path.name for path in folder.iterdir()}
