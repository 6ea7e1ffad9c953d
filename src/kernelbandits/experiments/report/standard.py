"""The report of an experiment: a pure function of its results and their provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from kernelbandits.experiments.grid import Experiment
from kernelbandits.experiments.report.curves import Curves, decimals
from kernelbandits.experiments.results import Results
from kernelbandits.reporting.files import replacing
from kernelbandits.reporting.page import Report, Section
from kernelbandits.reporting.sections import Facts, Findings, Group, Listing
from kernelbandits.reporting.styles import look, places
from kernelbandits.reporting.tables import Cell, Column, Table
from kernelbandits.reporting.toml import key, text, toml_lines
from kernelbandits.specs import to_table


def report_html(
    results: Results, provenance: Mapping[str, Any], notes: Sequence[Section] = (), more: Sequence[Section] = ()
) -> str:
    """One self-contained page: curves, final regrets, settings, provenance.

    A study adds sections of its own: `notes` stand before the curves, `more` after the table of regrets.
    """
    experiment = results.experiment
    lead = (
        experiment.name,
        f"{experiment.horizon:,} rounds",
        _counted(len(experiment.seeds), "seed"),
        _counted(len(experiment.panels), "panel"),
        _counted(len(experiment.methods), "method"),
    )
    sections = (
        *notes,
        Curves("Cumulative regret", results),
        regret_table(results),
        *more,
        *_said(provenance),
        settings(experiment),
        origin(provenance),
    )
    return Report(experiment.title or experiment.name, lead, sections).html()


def regret_table(results: Results) -> Table:
    """Final regret: a row a method, a column a panel, the best of each panel in bold, and the ratio to it."""
    experiment = results.experiment
    cells: dict[tuple[str, str], Cell] = {}
    for (panel,), rows in results.summary().group_by("panel", maintain_order=True):
        best, digits = float(rows["mean_regret"].min()), decimals(float(rows["mean_regret"].max()))  # type: ignore[arg-type]
        for row in rows.iter_rows(named=True):
            mean, error = row["mean_regret"], row["standard_error"]
            shown = f"{mean:,.{digits}f}" + ("" if error is None else f" ± {error:,.{digits}f}")
            cells[str(panel), row["method"]] = Cell(shown, _ratio(mean, best), mean == best)
    absent = Cell("–")
    return Table(
        title="Final regret",
        columns=(Column("method", numeric=False), *(Column(panel.name) for panel in experiment.panels)),
        rows=tuple(
            (Cell(method), *(cells.get((panel.name, method), absent) for panel in experiment.panels))
            for method in experiment.methods
        ),
        caption=_table_caption(experiment),
        looks=tuple(look(place).colour for place in places(experiment.methods).values()),
    )


def settings(experiment: Experiment) -> Section:
    """Environments and methods as TOML, what is the same in several panels once."""
    environments = tuple(
        (
            panel.name,
            "",
            f"[[panels]]\nname = {text(panel.name)}\n[panels.environment]\n{toml_lines(to_table(panel.environment))}",
        )
        for panel in experiment.panels
    )
    methods = tuple(block for method in experiment.methods for block in _method_blocks(experiment, method))
    return Group("Settings", (Listing("Environments", environments), Listing("Methods", methods)))


def origin(provenance: Mapping[str, Any]) -> Facts:
    """Where the results come from, without the settings, which have a section of their own."""
    told = {name: value for name, value in provenance.items() if name not in ("experiment", "notes") and value != {}}
    return Facts("Provenance", {name.replace("_", " "): _words(value) for name, value in told.items()})


def _said(provenance: Mapping[str, Any]) -> tuple[Section, ...]:
    """What was done to the data of each panel, where there are some."""
    notes: Mapping[str, Sequence[str]] = provenance.get("notes", {})
    return (
        (Findings("Data", tuple(f"{panel}: {line}" for panel, said in notes.items() for line in said)),)
        if notes
        else ()
    )


def write_report(path: Path, html: str) -> Path:
    """Write the page, whole or not at all."""
    with replacing(path) as part:
        part.write_text(html, encoding="utf-8")
    return path


def _ratio(mean: float, best: float) -> str:
    """How many times the best regret; nothing can be said where that is not positive."""
    return f"× {mean / best:.2f}" if best > 0 else ""


def _table_caption(experiment: Experiment) -> str:
    seeds = len(experiment.seeds)
    error = " ± standard error" if seeds > 1 else ""
    return (
        f"Regret after {experiment.horizon:,} rounds, mean of {_counted(seeds, 'seed')}{error}. "
        "The best of a panel is bold; × is the ratio to it."
    )


def _method_blocks(experiment: Experiment, method: str) -> list[tuple[str, str, str]]:
    """One block for each form that the method takes, with the panels it takes it in unless that is all of them."""
    forms: dict[str, list[str]] = {}
    for panel in experiment.panels:
        if method in panel.methods:
            form = f"[methods.{key(method)}]\n{toml_lines(to_table(panel.methods[method]))}"
            forms.setdefault(form, []).append(panel.name)
    everywhere = len(experiment.panels)
    return [
        (method, "" if len(names) == everywhere else f"in {' · '.join(names)}", form) for form, names in forms.items()
    ]


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return "\n".join(f"{name} {_words(entry)}" for name, entry in value.items())
    if isinstance(value, list):
        numbers = all(isinstance(entry, int) for entry in value)
        consecutive = numbers and len(value) > 2 and value == list(range(value[0], value[0] + len(value)))
        return f"{value[0]} … {value[-1]}" if consecutive else (", " if numbers else "; ").join(map(_words, value))
    return str(value)


def _counted(n: int, thing: str) -> str:
    return f"{n} {thing}{'s' * (n != 1)}"
