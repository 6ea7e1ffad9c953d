"""From an experiment to an output folder and a screen: progress, files, table."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress as Bar,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from kernelbandits.experiments.engines import Engine
from kernelbandits.experiments.figures import regret_curves
from kernelbandits.experiments.grid import Experiment
from kernelbandits.experiments.order import Order
from kernelbandits.experiments.provenance import Notes, notes_on, provenance, write_provenance
from kernelbandits.experiments.report import Findings, Section, report_html, write_report
from kernelbandits.experiments.results import Results
from kernelbandits.experiments.running import Progress, run
from kernelbandits.experiments.store import Store
from kernelbandits.experiments.tables import regret_table
from kernelbandits.reporting.figures import save


def carry_out(
    experiment: Experiment,
    order: Order,
    table: Callable[[Results], Table] = regret_table,
    findings: Callable[[Results], Sequence[str]] = lambda results: (),
    sections: Callable[[Results], Sequence[Section]] = lambda results: (),
) -> None:
    """Run the experiment, write its output folder, print its table, say what was found and where everything is.

    The experiment is run as it is: `order.part_of` comes before. `sections` are a study's own in the report.
    """
    started, folder, engine = time.monotonic(), order.folder, order.engine
    notes = notes_on(experiment)  # first of all, so that a broken data file is refused before anything is written
    results = _run_with_bar(experiment, folder, engine)
    seconds = time.monotonic() - started
    found = tuple(findings(results))
    files = results.write(folder)
    files += save(regret_curves(results), folder / experiment.name)
    record = provenance(experiment, seconds, engine)
    files.append(write_provenance(folder / "provenance.json", record))
    if order.report:
        more = [*sections(results), *([Findings("Findings", found)] if found else [])]
        files.append(write_report(folder / "report.html", report_html(results, record, more=more)))
    if order.as_json:
        _print_json(results, folder, files, seconds, notes, found)
    else:
        _print_table(table(results), folder, files, seconds, notes, found)


def _run_with_bar(experiment: Experiment, folder: Path, engine: Engine) -> Results:
    """A bar on the error stream; none when that is not a terminal, so that logs stay clean."""
    console = Console(stderr=True)
    columns = (
        TextColumn(experiment.name),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("runs", total=None)

        def show(progress: Progress) -> None:
            # Only what is left counts for the time left: runs kept from before took no time now.
            bar.update(task, total=progress.total - progress.kept, completed=progress.done)

        return run(experiment, Store(folder), engine, show)


def _print_table(
    table: Table, folder: Path, files: list[Path], seconds: float, notes: Notes, found: tuple[str, ...]
) -> None:
    console = Console(soft_wrap=not sys.stdout.isatty(), width=None if sys.stdout.isatty() else 200)
    console.print(table)
    for panel, lines in notes.items():
        for line in lines:
            console.print(f"{panel}: {line}", markup=False, highlight=False)
    for line in found:
        console.print(line, markup=False, highlight=False)
    console.print(f"Finished in {seconds:.0f} s. In {folder}: {', '.join(path.name for path in files)}")


def _print_json(
    results: Results, folder: Path, files: list[Path], seconds: float, notes: Notes, found: tuple[str, ...]
) -> None:
    record: dict[str, Any] = {
        "experiment": results.experiment.name,
        "folder": str(folder),
        "files": [str(path) for path in files],
        "seconds": round(seconds, 3),
        "summary": results.summary().to_dicts(),
    }
    record |= {name: said for name, said in (("notes", notes), ("findings", list(found))) if said}
    print(json.dumps(record, ensure_ascii=False))  # noqa: T201
