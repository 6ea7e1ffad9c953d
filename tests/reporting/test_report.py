"""The report as text: what it holds, what it must not hold, and how large it is."""

import json
import re
import tomllib
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from odd import HORIZON, IMAGE, LONG, MARK, SCRIPT, SEEDS, UNICODE, odd_results

import kernelbandits as kb
from examples import ALL
from kernelbandits.experiments import InProcess, contents, load_experiment, provenance, report_on
from kernelbandits.experiments.outputs import provenance_section
from kernelbandits.experiments.results import regret_curves, regret_table, settings
from kernelbandits.reporting import (
    Chart,
    Charts,
    Column,
    Document,
    Entry,
    Facts,
    Findings,
    Group,
    Line,
    Listing,
    Note,
    Picture,
    Table,
    look,
    looks,
    toml_key,
    toml_lines,
    write_text,
)
from kernelbandits.reporting.curves import shown_rounds
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


def record_of(experiment):
    return provenance(contents(experiment), 1.0, InProcess())


def report_html(results, record):
    document = report_on(results)
    return replace(document, sections=(*document.sections, provenance_section(record))).html()


@pytest.fixture(scope="module")
def html(results):
    return report_html(results, record_of(results.experiment))


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
    record = record_of(results.experiment)
    assert report_html(results, record) == report_html(results, record)


def test_the_curves_are_those_of_the_results(results):
    data = regret_curves(results).data()
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
            assert cell.detail == (f"{row['mean_regret'] / best:.2f} × best" if best > 0 else "")
    assert rows[LONG][0] == Entry("–"), "it does not play there"
    assert rows[UNICODE][0] == Entry("0.0 ± 0.0", "", best=True), "no ratio to a regret of 0"
    assert "<strong>0.0 ± 0.0</strong>" in table.html()


def test_one_seed_has_no_error_and_no_band(small, tmp_path):
    single = kb.Experiment("single", small.panels, horizon=60, seeds=(4,))
    results = kb.run(single, tmp_path, InProcess())
    assert all(curve["error"] is None for panel in regret_curves(results).data()["panels"] for curve in panel["curves"])
    html = report_html(results, record_of(single))
    assert not any("±" in text for text in Reader(html).texts)
    assert "Mean over 1 seed." in html


def test_what_is_not_finite_leaves_a_gap(results):
    broken = results.frame.with_columns(
        pl.when(pl.col("round") > 600)
        .then(float("nan"))
        .otherwise(pl.col("cumulative_regret"))
        .alias("cumulative_regret")
    )
    data = regret_curves(kb.Results(results.experiment, broken)).data()
    assert data["panels"][0]["curves"][0]["mean"][-1] is None
    json.dumps(data, allow_nan=False)


def test_settings_read_back_as_they_were():
    assert [spec for spec in ALL if tomllib.loads(toml_lines(to_table(spec))) != to_table(spec)] == []


def test_settings_are_toml_whatever_the_names(results):
    text = "\n".join(block[2] for section in settings(results.experiment).sections for block in section.blocks)
    tables = tomllib.loads(text)
    assert [panel["name"] for panel in tables["panels"]] == [panel.name for panel in results.experiment.panels]
    assert tables["panels"][0]["environment"] == to_table(results.experiment.panels[0].environment)
    for panel in results.experiment.panels:
        for method, policy in panel.methods.items():
            assert tables["methods"][method] == to_table(policy)
    name = 'a\x7f"b'
    assert tomllib.loads(f"{toml_key(name)} = 1") == {name: 1}


def test_a_method_with_other_settings_in_other_panels_is_shown_with_its_panels(small):
    blocks = settings(small).sections[1].blocks
    assert [(name, remark) for name, remark, _ in blocks] == [
        ("EtC", "in low-rank"),
        ("EtC", "in decay"),
        ("UCB", ""),
        ("Uniform", ""),
    ]


def test_the_report_of_figure_1_is_small(tmp_path):
    experiment = load_experiment("figure-1")
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
    html = report_html(kb.Results(experiment, frame), record_of(experiment))
    path = write_text(tmp_path / "report.html", html)
    assert path.stat().st_size < 400_000
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_where_it_comes_from_is_all_there(results, html):
    record = record_of(results.experiment)
    shown = "\n".join(Reader(html).texts)
    for value in (record["command"], record["code"], f"numpy {record['versions']['numpy']}", "0, 1, 5"):
        assert value in shown


def test_other_sections_stand_where_they_are_wanted(results):
    note = Note("Synthetic stand-in", "Not <real> rows.")
    paper = Table("Beside the paper", (Column("method", numeric=False), Column("ours")), ((Entry("a"), Entry("1")),))
    document = report_on(results, [paper], ["Nothing <new>."])
    html = replace(document, sections=(note, *document.sections)).html()
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", html)
    assert headings == [
        "Synthetic stand-in",
        "Cumulative regret",
        "Final regret",
        "Beside the paper",
        "Findings",
        "Settings",
    ]
    assert document.record["findings"] == ["Nothing <new>."]
    assert "Not &lt;real&gt; rows." in html


@pytest.fixture
def pieces():
    """One section of every kind, with hostile texts."""
    bad = SCRIPT + IMAGE
    table = Table(bad, (Column(bad), Column(bad)), ((Entry(bad, bad, best=True), Entry(bad, tone="red")),), caption=bad)
    picture = Picture(bad, (Charts([Chart("c", [Line([1, 2], np.ones(2), look(0))])], 1, 2.0),), bad)
    return (
        Findings(bad, (bad,)),
        picture,
        Facts(bad, {bad: bad}),
        table,
        Note(bad, bad),
        Listing(bad, ((bad, bad, bad),)),
    )


def test_every_kind_of_section_escapes(pieces):
    bad = SCRIPT + IMAGE
    page = Reader(Document(bad, (*pieces, Group(bad, pieces)), (bad,)).html())
    assert page.open == []
    images = [attributes for tag, attributes in page.tags if tag == "img"]
    assert [set(attributes) for attributes in images] == [{"src", "alt"}] * 2
    assert all(attributes["alt"] == bad for attributes in images)
    assert sum(tag == "script" for tag, _ in page.tags) == 1


def test_the_terminal_shows_texts_and_tables_as_they_are(pieces, capsys):
    Document("t", (Group("g", pieces), Note("n", "[bold]not markup[/bold]"))).show("last line")
    shown = capsys.readouterr().out
    assert shown.count(SCRIPT) == 9, "a finding, title and caption, two columns, two entries, a note with its title"
    assert "n: [bold]not markup[/bold]\nlast line\n" in shown


def test_json_has_no_arrays_and_no_infinite_numbers():
    record = {"a": np.arange(2), "b": [np.float64(1.5), np.inf], "c": {"d": (np.nan, "text", None, True)}}
    shown = Document("", (), record=record).json()
    assert json.loads(shown) == {"a": [0, 1], "b": [1.5, None], "c": {"d": [None, "text", None, True]}}


def test_looks_are_given_out_in_order_and_all_differ():
    given = looks(f"method {i % 20}" for i in range(40))
    assert list(given)[:2] == ["method 0", "method 1"]
    assert given["method 1"] == look(1)
    assert len(set(given.values())) == 20
