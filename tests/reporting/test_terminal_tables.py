"""Tables in terminals of any width: nothing is wider than the window, and no number is broken."""

import re

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.experiments.results import Results, regret_table
from kernelbandits.reporting import Column, Document, Entry, Table, terminal_width
from kernelbandits.reporting.narrow_tables import _parts


def shown(table, width, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    Document("", (table,)).show()
    return capsys.readouterr().out.splitlines()


@pytest.fixture(scope="module")
def main_table():
    """The table of Figure 1, with made-up regrets of the sizes that occur."""
    import polars as pl

    experiment = kb.load_experiment("figure-1")
    rng = np.random.default_rng(0)
    cells = [(p.name, m, s) for p in experiment.panels for m in p.methods for s in experiment.seeds]
    small = type(experiment)(experiment.name, experiment.panels, 200, experiment.seeds)
    frame = pl.DataFrame(
        {
            "panel": [c[0] for c in cells for _ in range(200)],
            "method": [c[1] for c in cells for _ in range(200)],
            "cumulative_regret": np.cumsum(rng.uniform(0, 4, (len(cells), 200)), axis=1).ravel(),
        }
    )
    return regret_table(Results(small, frame))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_main_table_is_readable_at(width, main_table, monkeypatch, capsys):
    lines = shown(main_table, width, monkeypatch, capsys)
    title, *rest = lines
    assert title.startswith("Final regret")
    assert max(map(len, rest)) <= width
    text = "\n".join(rest)
    entries = [entry.text for row in main_table.rows for entry in row[1:]]
    assert len(entries) == 48
    assert all(entries.count(entry) <= text.count(entry) for entry in entries), "every number is whole"
    for row in main_table.rows:
        own = [line for line in rest if re.match(re.escape(row[0].text) + r"  ", line)]
        numbers = [number for line in own for number in re.findall(r"[\d,.]+ ± [\d.]+", line)]
        assert numbers == [entry.text for entry in row[1:]], "in the order of the columns, beside the method's name"
    assert len([line for line in rest if line.startswith("method")]) == {60: 3, 80: 2, 120: 1}[width], "equal parts"


def test_a_wide_table_of_few_rows_is_turned(monkeypatch, capsys):
    table = Table("", (Column("method", False), *(Column(f"heading {i}") for i in range(12))), (
        (Entry("one"), *(Entry(f"{i}.5") for i in range(12))),
    ))  # fmt: skip
    lines = shown(table, 60, monkeypatch, capsys)
    assert [line.split() for line in lines if line.startswith("heading")] == [
        ["heading", f"{i}", f"{i}.5"] for i in range(12)
    ]


def test_texts_are_broken_between_words(monkeypatch, capsys):
    text = "every word of the long text is still there and none of them is broken in two"
    table = Table("", (Column("name", False), Column("remark", False), Column("value")), (
        (Entry("a name"), Entry(text), Entry("1,234.5 ± 0.1")),
    ))  # fmt: skip
    lines = shown(table, 50, monkeypatch, capsys)
    assert max(map(len, lines)) <= 50
    found = " ".join(lines).split()
    assert [word for word in found if word in text.split()] == text.split()
    assert "1,234.5 ± 0.1" in "\n".join(lines)


def test_in_a_very_narrow_window_entries_are_listed(main_table, monkeypatch, capsys):
    lines = shown(main_table, 20, monkeypatch, capsys)
    assert f"  low-rank, d = 100: {main_table.rows[0][1].text}" in lines


def test_names_in_wide_letters_are_measured_as_they_are_shown(monkeypatch, capsys):
    from rich.cells import cell_len

    table = Table("", (Column("方法", False), *(Column(f"面板 {i}") for i in range(6))), tuple(
        (Entry(name), *(Entry("123.4 ± 5.6") for _ in range(6))) for name in ("方法一", "方法二", *"abcdef")
    ))  # fmt: skip
    assert max(map(cell_len, shown(table, 60, monkeypatch, capsys))) <= 60


def test_the_width_is_that_of_the_environment_or_80(monkeypatch):
    monkeypatch.setenv("COLUMNS", "97")
    assert terminal_width() == 97
    monkeypatch.setenv("COLUMNS", "many")
    assert terminal_width() >= 1


def test_parts_of_a_wide_table_have_about_equally_many_columns():
    """Five columns beside the names, of which four fit: three and two rather than four and one."""
    assert _parts([5] * 6, width=33) == [[0, 1, 2, 3], [0, 4, 5]]
    assert _parts([5] * 6, width=40) == [[0, 1, 2, 3, 4, 5]]
