"""The results of an experiment as tidy rows, and the sections of its report: pure functions of the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any, final

import numpy as np
import polars as pl

from kernelbandits.environments import mean_and_standard_error
from kernelbandits.errors import counted
from kernelbandits.experiments.arms_played import arms_played, arms_sections
from kernelbandits.experiments.grid import Experiment, lead_of
from kernelbandits.experiments.store import files_in
from kernelbandits.reporting import (
    Axis,
    Chart,
    Charts,
    Column,
    Curves,
    Document,
    Drawn,
    Entry,
    Findings,
    Group,
    Line,
    Listing,
    Mark,
    PanelCurves,
    Picture,
    Rule,
    Section,
    Table,
    facts_html,
    looks,
    plot,
    replacing,
    toml_key,
    toml_lines,
    toml_value,
)
from kernelbandits.specs import to_table
from kernelbandits.types import Array

_WRITERS: Mapping[str, Callable[[pl.DataFrame, Path], Any]] = {
    ".parquet": pl.DataFrame.write_parquet,
    ".csv": pl.DataFrame.write_csv,
}


@final
@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """All rounds of all cells of an experiment. See also `run`, `Panel`.

    Attributes:
        experiment: what was run.
        frame: one row per panel, method, seed and round, with columns experiment, panel, method, seed, round (from 1),
            arm (from 0), regret, cumulative_regret.

    >>> import tempfile
    >>> panel = Panel("p", Synthetic(LowRank(), n_arms=2, dim=3), {"best": Oracle()})
    >>> results = run(Experiment("tiny", (panel,), 10, (0, 1)), tempfile.mkdtemp(), experiments.local(1))
    >>> results.summary()["mean_regret"].to_list()
    [0.0]
    """

    experiment: Experiment
    frame: pl.DataFrame

    def curves(self, panel: str, method: str) -> Array:
        """Cumulative regret of every seed, shape (seeds, T)."""
        rows = self.frame.filter((pl.col("panel") == panel) & (pl.col("method") == method))
        return rows["cumulative_regret"].to_numpy().reshape(-1, self.experiment.horizon)

    def summary(self) -> pl.DataFrame:
        """Mean and standard error over the seeds of the final regret, per panel and method."""
        rows = []
        for panel in self.experiment.panels:
            for method in panel.methods:
                final = self.curves(panel.name, method)[:, -1]
                mean, error = mean_and_standard_error(final)
                rows.append((self.experiment.name, panel.name, method, len(final), float(mean), float(error)))
        schema = ["experiment", "panel", "method", "seeds", "mean_regret", "standard_error"]
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col("standard_error").fill_nan(None))

    def frames(self) -> dict[str, pl.DataFrame]:
        """All rounds and the summary, by the names of their files."""
        frames = {"results.parquet": self.frame, "summary.csv": self.summary()}
        if any(panel.environment.arm_names() for panel in self.experiment.panels):
            frames["arms.csv"] = arms_played(self.experiment, self.frame)
        return frames

    def to_polars(self) -> pl.DataFrame:
        """All rows as a polars frame."""
        return self.frame

    def to_pandas(self) -> Any:
        """All rows as a pandas frame, which needs pandas and pyarrow."""
        return self.frame.to_pandas()

    def plot(self) -> Drawn:
        """Draw the mean cumulative regret with pyplot, one chart per panel; returns the axes."""
        return plot(regret_picture(self))

    def __repr__(self) -> str:
        return f"Results({', '.join(lead_of(self.experiment))})"

    def _repr_html_(self) -> str:
        return facts_html("Results", {"experiment": ", ".join(lead_of(self.experiment))}, regret_table(self).html())

    def write(self, folder: Path) -> list[Path]:
        """Write `results.parquet` and `summary.csv`, each whole or not at all; returns the files written."""
        return write_frames(folder, self.frames())


def report_on(results: Results, sections: Sequence[Section] = (), findings: Sequence[str] = ()) -> Document:
    """Curves, final regrets, notes and settings. A study adds `sections` of its own and `findings`, one per line."""
    return with_details(summary_of(results, sections, findings), results)


def summary_of(results: Results, sections: Sequence[Section] = (), findings: Sequence[str] = ()) -> Document:
    """Final regrets, findings and notes: what a terminal shows."""
    experiment, notes = results.experiment, contents(results.experiment)["notes"]
    data = tuple(f"{panel}: {line}" for panel, lines in notes.items() for line in lines)
    record: dict[str, Any] = {"experiment": experiment.name, "summary": results.summary().to_dicts()}
    shown: list[Section] = [regret_table(results), *sections]
    if findings:
        shown.append(Findings("Findings", tuple(findings)))
        record["findings"] = list(findings)
    if notes:
        shown.append(Findings("Data", data))
        record["notes"] = notes
    return Document(experiment.title or experiment.name, tuple(shown), record=record)


def with_details(summary: Document, results: Results) -> Document:
    """The summary with a lead and curves above, and settings below."""
    experiment = results.experiment
    named = arms_sections(experiment, results.frame)
    sections = (regret_curves(results), *summary.sections, *named, settings(experiment))
    return replace(summary, sections=sections, lead=lead_of(experiment))


def regret_curves(results: Results) -> Curves:
    """Mean cumulative regret against the round, to look into on a page."""
    experiment, seeds = results.experiment, len(results.experiment.seeds)
    panels = []
    for panel in experiment.panels:
        curves = {}
        for method in panel.methods:
            mean, error = mean_and_standard_error(results.curves(panel.name, method))
            curves[method] = (mean, error if np.isfinite(error).all() else None)
        largest = max(float(mean[-1]) for mean, _ in curves.values())
        panels.append(PanelCurves(panel.name, curves, panel.mark, _decimals(largest)))
    caption = "Mean over 1 seed." if seeds == 1 else f"Mean over {seeds} seeds; the band is one standard error."
    given = looks(experiment.methods, experiment.look_order)
    return Curves("Cumulative regret", caption, experiment.horizon, given, tuple(panels), experiment.columns)


def regret_picture(results: Results) -> Picture:
    """Mean cumulative regret against the round with bands of one standard error, one chart per panel."""
    experiment, horizon = results.experiment, results.experiment.horizon
    given = looks(experiment.methods, experiment.look_order)
    columns = min(experiment.columns, len(experiment.panels))
    charts = []
    for i, panel in enumerate(experiment.panels):
        marks: list[Mark] = []
        for j, method in enumerate(panel.methods):
            mean, error = mean_and_standard_error(results.curves(panel.name, method))
            # Markers stand at different rounds for different methods, so that curves on top of each other show both.
            first = min(int(horizon * (0.12 + 0.1 * j / len(panel.methods))), horizon - 1)
            step = max(1, horizon // 6)
            marks.append(Line(np.arange(1, horizon + 1), mean, given[method], method, error, first, step))
        if panel.mark:
            marks.append(Rule(panel.mark, "x", "end of exploration"))
        x = Axis("round" if i + columns >= len(experiment.panels) else "", low=0, high=horizon)
        charts.append(Chart(panel.name, marks, x, Axis("" if i % columns else "cumulative regret", low=0)))
    width = max(3.7 * columns + 0.3, 5.0)
    legend_columns = int(width / 2.25)  # inches for the longest of the paper's names
    legend_rows = ceil((len(experiment.methods) + 1) / legend_columns)
    height = 2.7 * ceil(len(experiment.panels) / columns) + 0.4 + 0.25 * legend_rows
    grid = Charts(charts, columns, height, legend="outside upper center", legend_columns=legend_columns)
    return Picture("Cumulative regret", (grid,), f"cumulative regret of {', '.join(experiment.methods)}", width)


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
    """Environments and methods as TOML; a method that is the same in several panels is listed once.

    Data files are named without their folders, which another machine does not have.
    """
    files = files_in(experiment.panels)
    as_table = partial(to_table, of_file=lambda path: files[path][0])
    environments = tuple(
        (
            panel.name,
            "",
            f"[[panels]]\nname = {toml_value(panel.name)}\n"
            f"[panels.environment]\n{toml_lines(as_table(panel.environment))}",
        )
        for panel in experiment.panels
    )
    methods = []
    for method in experiment.methods:
        forms: dict[str, list[str]] = {}
        for panel in experiment.panels:
            if method in panel.methods:
                form = f"[methods.{toml_key(method)}]\n{toml_lines(as_table(panel.methods[method]))}"
                forms.setdefault(form, []).append(panel.name)
        everywhere = len(experiment.panels)
        methods += [
            (method, "" if len(names) == everywhere else f"in {' · '.join(names)}", form)
            for form, names in forms.items()
        ]
    return Group("Settings", (Listing("Environments", environments), Listing("Methods", tuple(methods))))


def contents(experiment: Experiment) -> dict[str, Any]:
    """Everything needed to run the experiment again, as plain data; raises if an environment cannot serve it.

    Data files are named without their folders. Notes of environments are by panel, where there are any.
    """
    files = files_in(experiment.panels)
    notes = [(panel.name, list(panel.environment.notes(experiment.horizon))) for panel in experiment.panels]
    return {
        "experiment": {
            "name": experiment.name,
            "title": experiment.title,
            "horizon": experiment.horizon,
            "panels": to_table(experiment.panels, of_file=lambda path: files[path][0]),
        },
        "notes": dict(note for note in notes if note[1]),
        "files": dict(files.values()),
        "seeds": list(experiment.seeds),
    }


def _decimals(largest: float) -> int:
    """Digits after the point in a panel whose largest mean is this: at least three figures of it are shown."""
    return 1 if not largest < 10.0 else 2 if largest >= 1.0 else 3


def write_frames(folder: Path, frames: Mapping[str, pl.DataFrame]) -> list[Path]:
    """Write tables as the kind of file that their names say; returns the files written."""
    for name, frame in frames.items():
        with replacing(folder / name) as part:
            try:
                _WRITERS[Path(name).suffix](frame, part)
            except pl.exceptions.PolarsError as error:  # how polars says that the disk is full
                raise OSError(str(error).rpartition("IO error: ")[2]) from error
    return [folder / name for name in frames]
