"""The study of policies that are told nothing: its panels, its ratios, its command."""

import numpy as np
import polars as pl
import pytest

import kernelbandits as kb
from command import run
from kernelbandits.experiments import InProcess, Runner
from kernelbandits.paper.beyond import DEFAULT, Suite, misspecified, panel_of, suites


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Two small panels, played."""
    environments = {name: kb.Synthetic(kb.LowRank(), n_arms=n, dim=6, n_bumps=5) for name, n in (("a", 2), ("b", 3))}
    panels = tuple(panel_of(name, environment, 6, 10) for name, environment in environments.items())
    suite = Suite("small", "Two small problems", panels, "best", 1.25, horizon=40, seeds=3)
    return suite, suite.rows(Runner(tmp_path_factory.mktemp("small"), InProcess()))


def test_all_problems_are_there(tmp_path):
    parts = {suite.name: suite for suite in suites(tmp_path, None, None)}
    assert list(parts) == ["figure-1", "figure-2", "misspecified", "real-data"]
    assert [len(suite.panels) for suite in parts.values()] == [6, 4, 11, 1]
    eight = list(kb.paper.methods(100))
    for suite in parts.values():
        for panel in suite.panels:
            assert [name for name in panel.methods if name in eight] == eight
            assert panel.methods[DEFAULT] == kb.default_policy()


def test_etc_explores_at_least_five_rounds_an_arm_and_d_rounds():
    assert {panel.name: panel.mark for panel in misspecified()} | {"d = 500": 500, "K = 100": 500, "K = 2": 100} == {
        panel.name: panel.mark for panel in misspecified()
    }


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
    assert f"on {len(kept)} of 2 panels" in suite.findings(rows)[0]
    assert len(suite.findings(rows)) == (1 if len(kept) == 2 else 2)
    assert suite.table(rows)["panel"].to_list() == ["a", "b"]


def test_the_command(tmp_path):
    options = ["--only", "figure-2", "--seeds", "2", "--horizon", "110", "--jobs", "1", "--report"]
    done = run("reproduce", "beyond", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "default policy: at most 0.8 × the best of the paper's eight" in done.stdout
    folder = tmp_path / "results" / "beyond"
    names = {"figure-2.csv", "figure-2.png", "figure-2.svg", "provenance.json", "report.html"}
    assert names <= {path.name for path in folder.iterdir()}
