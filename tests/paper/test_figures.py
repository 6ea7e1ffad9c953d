"""What the paper's figures show, on a small part of the grid; the full grid is in the slow tests."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import kernelbandits as kb
from kernelbandits.experiments import local

ROOT = Path(__file__).parents[2]
KERNEL = ("EtC", "EtC-Ridge")
LINEAR = ("EtC-Linear", "EtC-Linear-Ridge")


def final_regret(results):
    return {(row["panel"], row["method"]): row["mean_regret"] for row in results.summary().iter_rows(named=True)}


def assert_figure_1(experiment, regret):
    for panel in experiment.panels:
        for kernel in KERNEL:
            ours = regret[panel.name, kernel]
            for linear in LINEAR:
                assert ours < 0.5 * regret[panel.name, linear], (panel.name, kernel, linear)
            for other in experiment.methods:
                if other.startswith("CGP-UCB"):
                    assert ours < regret[panel.name, other], (panel.name, kernel, other)


def assert_figure_2(regret, near_linear=0.6):
    scaled = "CGP-UCB-Scaled-Ridgeless"
    assert regret["1 active dimension", scaled] < regret["1 active dimension", "EtC"]
    for panel in ("10 active dimensions", "20 active dimensions"):
        assert regret[panel, scaled] > near_linear * regret[panel, "Uniform"], panel
        assert regret[panel, "EtC"] < 0.2 * regret[panel, "Uniform"], panel


def test_figure_1_kernel_etc_beats_linear_etc_and_every_ucb(tmp_path):
    experiment = replace(kb.load_experiment("figure-1"), horizon=800, seeds=(0, 1, 2))
    experiment = replace(experiment, panels=(experiment.panels[0], experiment.panels[2]))
    assert_figure_1(experiment, final_regret(kb.run(experiment, tmp_path, local(1))))


def test_figure_2_ucb_is_strong_in_one_dimension_and_near_linear_from_ten_on(tmp_path):
    experiment = replace(kb.load_experiment("figure-2"), horizon=800, seeds=(0,))
    experiment = experiment.only(("EtC", "Uniform", "CGP-UCB-Scaled-Ridgeless"))
    assert_figure_2(final_regret(kb.run(experiment, tmp_path, local(1))), near_linear=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["figure-1", "figure-2"])
def test_the_full_figures_and_the_numbers_in_the_documentation(tmp_path, name):
    experiment = kb.load_experiment(name)
    results = kb.run(experiment, tmp_path, local(1))
    assert_figure_1(experiment, final_regret(results)) if name == "figure-1" else assert_figure_2(final_regret(results))
    page = {"figure-1": "README.md", "figure-2": "docs/paper-notes.md"}[name]
    text = (ROOT / page).read_text(encoding="utf-8")
    rounded = results.summary().with_columns(pl.col("mean_regret", "standard_error").round(1))
    told = [row for row in rounded.iter_rows(named=True) if f"| {row['panel']} " in text]  # README has three of six
    assert len({row["panel"] for row in told}) >= 3
    for row in told:
        assert f"{row['mean_regret']} ± {row['standard_error']}" in text
