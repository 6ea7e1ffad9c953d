"""The report as text: what it holds, what it must not hold, and how large it is."""

import json
import re
import tomllib
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from odd import HORIZON, IMAGE, LONG, MARK, SCRIPT, SEEDS, UNICODE, odd_results

import kernelbandits as kb
from examples import ALL
from kernelbandits.experiments import InProcess, load
from kernelbandits.experiments.provenance import provenance
from kernelbandits.experiments.report import (
    Cell,
    Column,
    Facts,
    Findings,
    Group,
    Note,
    Picture,
    Report,
    Table,
    regret_table,
    report_html,
    settings,
    write_report,
)
from kernelbandits.experiments.report.curves import curve_data, shown_rounds
from kernelbandits.reporting.toml import key, toml_lines
from kernelbandits.specs import to_table


class Reader(HTMLParser):
    """Tags with their attributes, the text that people read, the data, and whether every tag is closed."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.texts, self.data, self.open = [], [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "link", "img"):
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, text):
        tag, attributes = self.open[-1] if self.open else ("", {})
        if tag == "script" and attributes.get("type") == "application/json":
            self.data.append(json.loads(text))
        elif tag not in ("script", "style"):
            self.texts.append(text)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return odd_results(tmp_path_factory.mktemp("odd"))


@pytest.fixture(scope="module")
def html(results):
    return report_html(results, provenance(results.experiment, 1.0, 2))


def test_names_are_shown_as_they_are_and_cannot_break_out(html):
    page = Reader(html)
    assert page.open == []
    assert [attributes.get("type") for tag, attributes in page.tags if tag == "script"] == ["application/json", None]
    assert "img" not in {tag for tag, _ in page.tags}
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    for name in (SCRIPT, IMAGE, UNICODE, LONG):
        assert name in page.texts, name
    assert {method["name"] for method in page.data[0]["methods"]} == {SCRIPT, IMAGE, UNICODE, LONG, "EtC"}


def test_nothing_is_loaded_from_elsewhere(html):
    without_names = html.replace("http://www.w3.org/2000/svg", "")
    assert "://" not in without_names
    for tag, attributes in Reader(html).tags:
        for name in ("src", "href"):
            target = attributes.get(name, "#")
            assert target.startswith(("#", "data:")), f"{tag} {name}={target}"
    assert "@import" not in html
    assert "url(" not in html
    assert "default-src 'none'" in html


def test_the_page_is_a_function_of_results_and_provenance(results):
    record = provenance(results.experiment, 1.0, 2)
    assert report_html(results, record) == report_html(results, record)


def test_the_curves_are_those_of_the_results(results):
    data = curve_data(results)
    rounds = np.array(data["rounds"])
    assert rounds[0] == 1
    assert rounds[-1] == HORIZON
    assert MARK in rounds
    assert len(rounds) < 400
    for panel in data["panels"]:
        for curve in panel["curves"]:
            values = results.curves(panel["name"], data["methods"][curve["method"]]["name"])[:, rounds - 1]
            assert np.allclose(curve["mean"], values.mean(axis=0), rtol=1e-5)
            assert np.allclose(curve["error"], values.std(axis=0, ddof=1) / np.sqrt(len(SEEDS)), rtol=1e-5)
    assert [panel["mark"] for panel in data["panels"]] == [MARK, None]


def test_a_short_run_is_shown_whole_and_a_mark_beyond_the_end_is_not_shown():
    assert shown_rounds(1, []).tolist() == [1]
    assert shown_rounds(300, [50]).tolist() == list(range(1, 301))
    long = shown_rounds(100_000, [777, 200_000])
    assert 777 in long
    assert long[-1] == 100_000
    assert len(long) < 400


def test_the_table_has_every_mean_the_best_in_bold_and_the_ratio_to_it(results):
    table = regret_table(results)
    assert [column.name for column in table.columns] == ["method", *(p.name for p in results.experiment.panels)]
    rows = {row[0].text: row[1:] for row in table.rows}
    summary = results.summary()
    for i, panel in enumerate(results.experiment.panels):
        of_panel = summary.filter(pl.col("panel") == panel.name)
        best = of_panel["mean_regret"].min()
        for row in of_panel.iter_rows(named=True):
            cell = rows[row["method"]][i]
            assert cell.text == f"{row['mean_regret']:.1f} ± {row['standard_error']:.1f}"
            assert cell.best == (row["mean_regret"] == best)
            assert cell.detail == (f"× {row['mean_regret'] / best:.2f}" if best > 0 else "")
    assert rows[LONG][0] == Cell("–"), "it does not play there"
    assert rows[UNICODE][0] == Cell("0.0 ± 0.0", "", best=True), "no ratio to a regret of 0"
    assert "<strong>0.0 ± 0.0</strong>" in table.body()


def test_one_seed_has_no_error_and_no_band(small, tmp_path):
    single = kb.Experiment("single", small.panels, horizon=60, seeds=(4,))
    results = kb.run(single, tmp_path, InProcess())
    assert all(curve["error"] is None for panel in curve_data(results)["panels"] for curve in panel["curves"])
    html = report_html(results, provenance(single, 1.0, 1))
    assert not any("±" in text for text in Reader(html).texts)
    assert "Mean over 1 seed." in html


def test_what_is_not_finite_leaves_a_gap(results):
    broken = results.frame.with_columns(
        pl.when(pl.col("round") > 600)
        .then(float("nan"))
        .otherwise(pl.col("cumulative_regret"))
        .alias("cumulative_regret")
    )
    data = curve_data(kb.Results(results.experiment, broken))
    assert data["panels"][0]["curves"][0]["mean"][-1] is None
    json.dumps(data, allow_nan=False)


@pytest.mark.parametrize("spec", ALL, ids=lambda spec: type(spec).__name__)
def test_settings_read_back_as_they_were(spec):
    assert tomllib.loads(toml_lines(to_table(spec))) == to_table(spec)


def test_settings_are_toml_whatever_the_names(results):
    text = "\n".join(block[2] for section in settings(results.experiment).sections for block in section.blocks)
    tables = tomllib.loads(text)
    assert [panel["name"] for panel in tables["panels"]] == [panel.name for panel in results.experiment.panels]
    assert tables["panels"][0]["environment"] == to_table(results.experiment.panels[0].environment)
    for panel in results.experiment.panels:
        for method, policy in panel.methods.items():
            assert tables["methods"][method] == to_table(policy)
    name = 'a\x7f"b'
    assert tomllib.loads(f"{key(name)} = 1") == {name: 1}


def test_a_method_with_other_settings_in_other_panels_is_shown_with_its_panels(small):
    blocks = settings(small).sections[1].blocks
    assert [(name, remark) for name, remark, _ in blocks] == [
        ("EtC", "in low-rank"),
        ("EtC", "in decay"),
        ("UCB", ""),
        ("Uniform", ""),
    ]


def test_the_report_of_figure_1_is_small(tmp_path):
    experiment = load("figure-1")
    n_cells = sum(len(panel.methods) * len(experiment.seeds) for panel in experiment.panels)
    rng = np.random.default_rng(0)
    regret = rng.uniform(0, 0.4, size=(n_cells, experiment.horizon))
    names = [
        (panel.name, method, seed)
        for panel in experiment.panels
        for method in panel.methods
        for seed in experiment.seeds
    ]
    frame = pl.DataFrame(
        {
            "panel": np.repeat([panel for panel, _, _ in names], experiment.horizon),
            "method": np.repeat([method for _, method, _ in names], experiment.horizon),
            "seed": np.repeat([seed for _, _, seed in names], experiment.horizon),
            "cumulative_regret": np.cumsum(regret, axis=1).ravel(),
        }
    )
    html = report_html(kb.Results(experiment, frame), provenance(experiment, 40.0, 2))
    path = write_report(tmp_path / "report.html", html)
    assert path.stat().st_size < 400_000
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_where_it_comes_from_is_all_there(results, html):
    record = provenance(results.experiment, 1.0, 2)
    shown = "\n".join(Reader(html).texts)
    for value in (record["command"], record["code"], f"numpy {record['versions']['numpy']}", "0, 1, 5"):
        assert value in shown


def test_other_sections_stand_where_they_are_wanted(results):
    note = Note("Synthetic stand-in", "Not <real> rows.")
    paper = Table("Beside the paper", (Column("method", numeric=False), Column("ours")), ((Cell("a"), Cell("1")),))
    html = report_html(results, provenance(results.experiment, 1.0, 2), notes=(note,), more=(paper,))
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", html)
    assert headings == [
        "Synthetic stand-in",
        "Cumulative regret",
        "Final regret",
        "Beside the paper",
        "Settings",
        "Provenance",
    ]
    assert "Not &lt;real&gt; rows." in html


def test_every_kind_of_section_escapes(tmp_path):
    bad = SCRIPT + IMAGE
    table = Table(bad, (Column(bad), Column(bad)), ((Cell(bad, bad, best=True), Cell(bad, bad)),), caption=bad)
    pieces = (Findings(bad, (bad,)), Picture(bad, "<svg/>", bad), Facts(bad, {bad: bad}), table, Note(bad, bad))
    page = Reader(Report(bad, (bad,), (*pieces, Group(bad, pieces))).html())
    assert page.open == []
    images = [attributes for tag, attributes in page.tags if tag == "img"]
    assert [set(attributes) for attributes in images] == [{"src", "alt"}] * 2
    assert all(attributes["alt"] == bad for attributes in images)
    assert sum(tag == "script" for tag, _ in page.tags) == 1
