"""Names of arms, where an environment has them: in problems, in `arms.csv` and in reports."""

import numpy as np
import polars as pl

import kernelbandits as kb
from kernelbandits.experiments import report_on
from kernelbandits.reporting import Table

METHODS = {"Uniform": kb.Uniform(), "Linear": kb.LinearUCB()}


def files(folder, names=("none", "5pct", "free <b>")):
    rng = np.random.default_rng(0)
    arms = [names[i] for i in rng.integers(len(names), size=120)]
    x = rng.standard_normal(120)
    pl.DataFrame({"x": x, "offer": arms}).write_csv(folder / "classes.csv")
    spent = x * np.array([names.index(arm) for arm in arms]) + 0.1 * rng.standard_normal(120)
    pl.DataFrame({"x": x, "offer": arms, "spent": spent}).write_csv(folder / "log.csv")
    return {
        "classes": kb.Classification(folder / "classes.csv", "offer"),
        "log": kb.Surrogate(folder / "log.csv", "offer", "spent"),
    }


def experiment(environments):
    panels = tuple(kb.Panel(name, environment, METHODS) for name, environment in environments.items())
    return kb.Experiment("named", panels, horizon=30, seeds=(0, 1))


def test_agents_know_the_names_of_classes_and_offers(tmp_path):
    for environment in files(tmp_path).values():
        assert environment.arm_names() == ("5pct", "free <b>", "none")
        instance = environment.draw(0)
        decision = kb.LinearUCB().start(instance.problem(10), 0).choose(np.ones(1))
        assert decision.name == environment.arm_names()[decision.arm]
    assert kb.Synthetic(kb.LowRank()).arm_names() == ()


def test_texts_that_cannot_be_names_leave_arms_with_numbers(tmp_path):
    environment = files(tmp_path, ("a", "b" * 300))["classes"]
    assert environment.arm_names() == environment.draw(0).problem().arms == ()


def test_results_tell_how_often_each_arm_was_played_by_name(tmp_path):
    environments = files(tmp_path) | {"numbers": kb.Synthetic(kb.LowRank(), n_arms=3, dim=5)}
    results = kb.run(experiment(environments), tmp_path / "cells")
    results.write(tmp_path)
    named = pl.read_csv(tmp_path / "arms.csv")
    assert named.columns == ["panel", "method", "arm", "name", "share"]
    assert len(named) == 2 * 2 * 3
    for row in named.iter_rows(named=True):
        own = results.frame.filter((pl.col("panel") == row["panel"]) & (pl.col("method") == row["method"]))
        assert row["share"] == (own["arm"] == row["arm"]).mean()
        assert row["name"] == environments[row["panel"]].arm_names()[row["arm"]]
    tables = [section for section in report_on(results).sections if isinstance(section, Table)]
    titles = [table.title for table in tables if table.title.startswith("Arms played")]
    assert titles == ["Arms played: classes", "Arms played: log"]
    assert "free &lt;b&gt;" in tables[-1].html()


def test_without_names_there_is_no_such_table(tmp_path):
    results = kb.run(experiment({"numbers": kb.Synthetic(kb.LowRank(), n_arms=3, dim=5)}), tmp_path / "cells")
    assert [*results.frames()] == ["results.parquet", "summary.csv"]
