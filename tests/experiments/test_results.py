import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from matplotlib.colors import to_hex

import kernelbandits as kb
from kernelbandits.experiments import InProcess, contents, provenance, regret_picture, report_on
from kernelbandits.experiments.results import regret_table
from kernelbandits.reporting import draw, save
from pictures import painted


@pytest.fixture
def results(small, tmp_path):
    return kb.run(small, tmp_path / "store", InProcess())


def test_one_row_per_panel_method_seed_and_round(results):
    frame = results.frame
    assert frame.columns == [
        "experiment",
        "panel",
        "method",
        "seed",
        "round",
        "arm",
        "regret",
        "cumulative_regret",
    ]
    assert len(frame) == 2 * 3 * 3 * 120
    assert frame.null_count().sum_horizontal().item() == 0
    assert frame["round"].to_list()[:121] == [*range(1, 121), 1]
    by_cell = frame.group_by("panel", "method", "seed", maintain_order=True)
    for _, cell in by_cell:
        assert np.allclose(np.cumsum(cell["regret"].to_numpy()), cell["cumulative_regret"].to_numpy(), rtol=1e-12)
    assert frame["regret"].min() >= 0
    assert set(frame["arm"].unique()) == {0, 1, 2, 3}


def test_the_summary_is_mean_and_standard_error_of_the_last_round(results):
    last = results.frame.filter(pl.col("round") == 120)
    for row in results.summary().iter_rows(named=True):
        cell = last.filter((pl.col("panel") == row["panel"]) & (pl.col("method") == row["method"]))
        values = cell["cumulative_regret"].to_numpy()
        assert row["seeds"] == 3
        assert row["mean_regret"] == pytest.approx(values.mean())
        assert row["standard_error"] == pytest.approx(np.sqrt(values.var(ddof=1) / 3))


def test_files_hold_what_the_results_hold(results, tmp_path):
    results.write(tmp_path)
    assert pl.read_parquet(tmp_path / "results.parquet").equals(results.frame)
    summary = pl.read_csv(tmp_path / "summary.csv")
    assert summary.columns == ["experiment", "panel", "method", "seeds", "mean_regret", "standard_error"]
    assert len(summary) == 6


def test_one_seed_has_no_standard_error(small, tmp_path):
    single = kb.Experiment("single", small.panels, horizon=60, seeds=(4,))
    results = kb.run(single, tmp_path, InProcess())
    assert results.summary()["standard_error"].is_null().all()
    assert len(draw(regret_picture(results)).axes[0].collections) == 0, "a band was drawn without an error to show"


def test_the_terminal_shows_every_number(results, capsys):
    report_on(results).show("Finished.")
    text = capsys.readouterr().out
    for row in results.summary().iter_rows(named=True):
        digits = 2 if row["panel"] == "decay" else 1  # three figures of the largest mean
        assert f"{row['mean_regret']:.{digits}f} ± {row['standard_error']:.{digits}f}" in text
    assert text.endswith("Finished.\n")


@pytest.mark.parametrize(("scale", "digits"), [(0.5, 3), (5.0, 2), (50.0, 1), (5e5, 1)])
def test_at_least_three_figures_of_the_largest_mean_are_shown(scale, digits):
    environment = kb.Synthetic(kb.LowRank(), n_arms=2, dim=2)
    panel = kb.Panel("only", environment, {"worse": kb.Uniform(), "better": kb.Uniform()})
    columns = ["experiment", "panel", "method", "seed", "round", "arm", "regret", "cumulative_regret"]
    rows = [("e", "only", name, 0, 1, 0, r, r) for name, r in (("worse", scale), ("better", scale / 3.0))]
    results = kb.Results(
        kb.Experiment("e", (panel,), horizon=1, seeds=(0,)), pl.DataFrame(rows, schema=columns, orient="row")
    )
    [worse], [better] = (row[1:] for row in regret_table(results).rows)
    assert (worse.text, better.text) == (f"{scale:,.{digits}f}", f"{scale / 3.0:,.{digits}f}")
    assert (worse.detail, better.detail, worse.best, better.best) == ("3.00 × best", "1.00 × best", False, True)


def test_a_report_has_the_title_of_its_experiment_or_else_its_name(results):
    assert report_on(results).title == "A small one"
    untitled = replace(results, experiment=replace(results.experiment, title=""))
    assert report_on(untitled).title == results.experiment.name


def test_a_method_looks_the_same_in_a_part_of_the_experiment(small, tmp_path):
    whole, part = (kb.run(grid, tmp_path, InProcess()) for grid in (small, small.only(("Uniform",))))
    lines = [draw(regret_picture(results)).axes[0].lines for results in (whole, part)]
    assert lines[0][2].get_color() == lines[1][0].get_color() != lines[0][0].get_color()


def test_the_picture_shows_the_mean_curves_bands_and_marks(results):
    figure = draw(regret_picture(results))
    assert [axes.get_title() for axes in figure.axes] == ["low-rank", "decay"]
    for axes, panel, mark in zip(figure.axes, ("low-rank", "decay"), (30, 40), strict=True):
        curves = axes.lines[:3]
        for line, method in zip(curves, ("EtC", "UCB", "Uniform"), strict=True):
            assert np.allclose(line.get_ydata(), results.curves(panel, method).mean(axis=0))
        assert list(axes.lines[3].get_xdata()) == [mark, mark]
        assert len(axes.collections) == 3
        styles = {(to_hex(line.get_color()), line.get_linestyle(), line.get_marker()) for line in curves}
        assert len(styles) == 3
    [legend] = figure.subfigs[0].legends
    assert [text.get_text() for text in legend.get_texts()] == ["EtC", "UCB", "Uniform", "end of exploration"]


def test_the_picture_has_room_for_every_row_of_panels(tmp_path):
    panels = tuple(kb.Panel(f"K = {n}", kb.Synthetic(kb.LowRank(), n, 3), {"Uniform": kb.Uniform()}) for n in (2, 3, 4))
    heights = {}
    for columns in (1, 2, 3):
        experiment = kb.Experiment("rows", panels, horizon=5, seeds=(0,), columns=columns)
        heights[columns] = regret_picture(kb.run(experiment, tmp_path, InProcess())).charts[0].height
    assert heights[1] - heights[2] == pytest.approx(2.7), "three rows and two"
    assert heights[2] - heights[3] == pytest.approx(2.7), "two rows and one"


def test_pictures_are_written_as_png_and_svg_with_the_same_bytes_each_time(results, tmp_path):
    with painted():
        first, again = (
            {path.name: path.read_bytes() for path in save(regret_picture(results), tmp_path / "picture")}
            for _ in range(2)
        )
    assert set(first) == {"picture.png", "picture.svg"}
    assert first == again
    assert first["picture.png"].startswith(b"\x89PNG")


def test_provenance_is_enough_to_run_it_again(results):
    record = json.loads(json.dumps(provenance(contents(results.experiment), 1.0, InProcess())))
    table = record["experiment"]["panels"][0]
    rebuilt = kb.experiments.parse(
        {
            "name": record["experiment"]["name"],
            "horizon": record["experiment"]["horizon"],
            "seeds": record["seeds"],
            "methods": table["methods"],
            "panels": [{"name": table["name"], "environment": table["environment"]}],
        }
    )
    assert rebuilt.panels[0].environment == results.experiment.panels[0].environment
    assert rebuilt.panels[0].methods == results.experiment.panels[0].methods
    assert record["versions"]["kernelbandits"] == kb.__version__
