"""The report of an experiment: pure functions of its results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from kernelbandits.environments.metrics import mean_and_standard_error
from kernelbandits.experiments.grid import Experiment, Panel, files_in
from kernelbandits.experiments.results import Results
from kernelbandits.reporting import (
    Axis,
    Chart,
    Charts,
    Column,
    Curves,
    Document,
    Entry,
    Findings,
    Group,
    Line,
    Listing,
    MethodCurve,
    PanelCurves,
    Picture,
    Rule,
    Section,
    Table,
    looks,
    toml_key,
    toml_lines,
    toml_text,
)
from kernelbandits.specs import to_table


def report_on(results: Results, sections: Sequence[Section] = (), findings: Sequence[str] = ()) -> Document:
    """Curves, final regrets, notes and settings. A study adds `sections` of its own and `findings`, one per line."""
    return with_details(summary_of(results, sections, findings), results)


def summary_of(results: Results, sections: Sequence[Section] = (), findings: Sequence[str] = ()) -> Document:
    """Final regrets, findings and notes: what a terminal shows."""
    experiment, notes = results.experiment, notes_on(results.experiment)
    data = tuple(f"{panel}: {line}" for panel, lines in notes.items() for line in lines)
    record: dict[str, Any] = {"experiment": experiment.name, "summary": results.summary().to_dicts()}
    shown: list[Section] = [regret_table(results), *sections]
    if findings:
        shown.append(Findings("Findings", tuple(findings)))
        record["findings"] = list(findings)
    if notes:
        shown.append(Findings("Data", data))
        record["notes"] = notes
    lead = (
        experiment.name,
        f"{experiment.horizon:,} rounds",
        counted(len(experiment.seeds), "seed"),
        counted(len(experiment.panels), "panel"),
        counted(len(experiment.methods), "method"),
    )
    return Document(experiment.title or experiment.name, tuple(shown), lead, record)


def with_details(summary: Document, results: Results) -> Document:
    """The summary with curves above and settings below."""
    return replace(summary, sections=(regret_curves(results), *summary.sections, settings(results.experiment)))


def regret_curves(results: Results) -> Curves:
    """Mean cumulative regret against the round, to look into on a page."""
    experiment, seeds = results.experiment, len(results.experiment.seeds)
    panels = []
    for panel in experiment.panels:
        curves = {}
        for method in panel.methods:
            mean, error = mean_and_standard_error(results.curves(panel.name, method))
            curves[method] = MethodCurve(mean, error if np.isfinite(error).all() else None)
        largest = max(float(curve.mean[-1]) for curve in curves.values())
        panels.append(PanelCurves(panel.name, curves, panel.mark, _decimals(largest)))
    caption = "Mean over 1 seed." if seeds == 1 else f"Mean over {seeds} seeds; the band is one standard error."
    given = looks(experiment.methods, experiment.look_order)
    return Curves("Cumulative regret", caption, experiment.horizon, given, tuple(panels), experiment.columns)


def regret_picture(results: Results) -> Picture:
    """Mean cumulative regret against the round with bands of one standard error, one chart per panel."""
    experiment = results.experiment
    columns = min(experiment.columns, len(experiment.panels))
    rows = ceil(len(experiment.panels) / columns)
    width = max(3.7 * columns + 0.3, 5.0)
    legend_columns = int(width / 2.25)  # inches for the longest of the paper's names
    legend_rows = ceil((len(experiment.methods) + 1) / legend_columns)
    charts = Charts(
        [
            Chart(
                panel.name,
                _regret_marks(results, panel),
                Axis("round" if i + columns >= len(experiment.panels) else "", low=0, high=experiment.horizon),
                Axis("" if i % columns else "cumulative regret", low=0),
            )
            for i, panel in enumerate(experiment.panels)
        ],
        columns,
        height=2.7 * rows + 0.4 + 0.25 * legend_rows,
        legend="outside upper center",
        legend_columns=legend_columns,
    )
    return Picture("Cumulative regret", (charts,), f"cumulative regret of {', '.join(experiment.methods)}", width)


def regret_table(results: Results) -> Table:
    """Final regret: one row per method, one column per panel, the best of each panel in bold, and the ratio to it."""
    experiment, seeds = results.experiment, len(results.experiment.seeds)
    entries: dict[tuple[str, str], Entry] = {}
    for (panel,), rows in results.summary().group_by("panel", maintain_order=True):
        best, digits = float(rows["mean_regret"].min()), _decimals(float(rows["mean_regret"].max()))  # type: ignore[arg-type]
        for row in rows.iter_rows(named=True):
            mean, error = row["mean_regret"], row["standard_error"]
            shown = f"{mean:,.{digits}f}" + ("" if error is None else f" ± {error:,.{digits}f}")
            ratio = f"{mean / best:.2f} × best" if best > 0 else ""
            entries[str(panel), row["method"]] = Entry(shown, ratio, mean == best)
    return Table(
        title="Final regret",
        columns=(Column("method", numeric=False), *(Column(panel.name) for panel in experiment.panels)),
        rows=tuple(
            (Entry(method), *(entries.get((panel.name, method), Entry("–")) for panel in experiment.panels))
            for method in experiment.methods
        ),
        caption=(
            f"Regret after {experiment.horizon:,} rounds, mean of {counted(seeds, 'seed')}"
            f"{' ± standard error' if seeds > 1 else ''}"
        ),
        colours=tuple(look.colour for look in looks(experiment.methods, experiment.look_order).values()),
    )


def settings(experiment: Experiment) -> Group:
    """Environments and methods as TOML; a method that is the same in several panels is listed once."""
    environments = tuple(
        (
            panel.name,
            "",
            f"[[panels]]\nname = {toml_text(panel.name)}\n"
            f"[panels.environment]\n{toml_lines(to_table(panel.environment))}",
        )
        for panel in experiment.panels
    )
    methods = []
    for method in experiment.methods:
        forms: dict[str, list[str]] = {}
        for panel in experiment.panels:
            if method in panel.methods:
                form = f"[methods.{toml_key(method)}]\n{toml_lines(to_table(panel.methods[method]))}"
                forms.setdefault(form, []).append(panel.name)
        everywhere = len(experiment.panels)
        methods += [
            (method, "" if len(names) == everywhere else f"in {' · '.join(names)}", form)
            for form, names in forms.items()
        ]
    return Group("Settings", (Listing("Environments", environments), Listing("Methods", tuple(methods))))


def notes_on(experiment: Experiment) -> dict[str, list[str]]:
    """The notes of the environments by panel, where there are any; raises if one cannot serve the experiment."""
    notes = {panel.name: list(panel.environment.notes(experiment.horizon)) for panel in experiment.panels}
    return {name: lines for name, lines in notes.items() if lines}


def contents(experiment: Experiment) -> dict[str, Any]:
    """Everything needed to run the experiment again, as plain data."""
    return {
        "experiment": {
            "name": experiment.name,
            "title": experiment.title,
            "horizon": experiment.horizon,
            "panels": [
                {
                    "name": panel.name,
                    "environment": to_table(panel.environment),
                    "methods": to_table(panel.methods),
                    "mark": panel.mark,
                }
                for panel in experiment.panels
            ],
        },
        "notes": notes_on(experiment),
        "files": files_in([[panel.environment, panel.methods] for panel in experiment.panels]),
        "seeds": list(experiment.seeds),
    }


def counted(n: int, thing: str) -> str:
    """1 seed, 2 seeds."""
    return f"{n} {thing}{'s' * (n != 1)}"


def _regret_marks(results: Results, panel: Panel) -> list[Line | Rule]:
    experiment, horizon = results.experiment, results.experiment.horizon
    given = looks(experiment.methods, experiment.look_order)
    marks: list[Line | Rule] = []
    for i, method in enumerate(panel.methods):
        mean, error = mean_and_standard_error(results.curves(panel.name, method))
        # Markers stand at different rounds for different methods, so that curves on top of each other show both.
        first = min(int(horizon * (0.12 + 0.1 * i / len(panel.methods))), horizon - 1)
        step = max(1, horizon // 6)
        marks.append(Line(np.arange(1, horizon + 1), mean, given[method], method, error, first, step))
    return [*marks, Rule(panel.mark, "x", "end of exploration")] if panel.mark else marks


def _decimals(largest: float) -> int:
    """Digits after the point in a panel whose largest mean is this: at least three figures of it are shown."""
    return 1 if not largest < 10.0 else 2 if largest >= 1.0 else 3
