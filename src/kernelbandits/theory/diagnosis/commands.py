"""From a file or numbers to a screen and an output folder."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kernelbandits.errors import InvalidArgument
from kernelbandits.theory.diagnosis.diagnosing import diagnose
from kernelbandits.theory.diagnosis.planning import Plan
from kernelbandits.theory.diagnosis.reading import ContextSample
from kernelbandits.theory.diagnosis.record import diagnosis_record, plan_record
from kernelbandits.theory.diagnosis.report import Diagnosis
from kernelbandits.theory.diagnosis.standardising import standardise
from kernelbandits.theory.diagnosis.tables import diagnosis_tables, plan_table

_WIDE = 1000  # columns of a page that is not a terminal: nothing is wrapped


def report_sample(sample: ContextSample, folder: Path, *, scaled: bool, as_json: bool, **options: Any) -> None:
    """Diagnose a sample, draw the picture, print the report."""
    from kernelbandits.reporting.figures import save
    from kernelbandits.theory.diagnosis.figures import diagnosis_picture

    started = time.monotonic()
    if folder.is_file():
        raise InvalidArgument(f"--out: {folder} is a file; give a folder")
    change = standardise(sample.contexts) if scaled else None
    report = diagnose(sample.contexts if change is None else change.contexts, sample.arms, sample.rewards, **options)
    folder.mkdir(parents=True, exist_ok=True)
    done = None if change is None else {"mean": change.mean.tolist(), "scale": change.scale.tolist()}
    report = replace(report, notes=(*sample.notes, *report.notes))
    record = diagnosis_record(report) | {"columns": list(sample.columns), "standardised": done}
    written = folder / "diagnosis.json"
    written.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    files = [*save(diagnosis_picture(report), folder / "diagnosis"), written]
    seconds = time.monotonic() - started
    if as_json:
        _print_json(record | {"files": [str(path) for path in files], "seconds": round(seconds, 3)})
        return
    _print_tables(diagnosis_tables(report), [*_remarks(report, scaled), _conclusion(report)])
    print(f"Finished in {seconds:.1f} s. In {folder}: {', '.join(path.name for path in files)}")  # noqa: T201


def report_plan(plan: Plan, *, as_json: bool) -> None:
    """Print a plan."""
    if as_json:
        _print_json(plan_record(plan))
        return
    words = "Feasible: " if plan.budget.feasible else "Not feasible: "
    _print_tables([plan_table(plan)], [words + plan.budget.reason])


def _remarks(report: Diagnosis, scaled: bool) -> list[str]:
    notes = [f"Note: {note}" for note in report.notes]
    if scaled:
        notes.append(
            "Note: every column was brought to mean 0 and one common variance with Tr(Σ)/d = ½, so the spectrum is "
            "that of the correlations; do the same to the contexts of later decisions (mean and scale: diagnosis.json)"
        )
    return notes


def _conclusion(report: Diagnosis) -> str:
    found = report.recommendation
    if found is not None:
        return (
            f"Explore {found.n_explore:,} of {report.horizon:,} rounds, {found.n_per_arm:,} for each of "
            f"{report.n_arms} arms (pilot included; {found.low:,} to {found.high:,} is plausible)."
        )
    if report.plan is not None and report.plan.budget.n_explore is not None:
        return (
            f"The paper's formula asks for {report.plan.budget.n_explore:,} rounds; play a few per arm and ask again."
        )
    return "No budget from contexts alone: play each arm about four times, and ask again with arms and rewards."


def _print_tables(tables: Sequence[Table], lines: Sequence[str]) -> None:
    if sys.stdout.isatty():
        console = Console(highlight=False)
        for part in (*tables, *(Text(line) for line in lines)):
            console.print(part)
        return
    page = StringIO()
    console = Console(file=page, width=_WIDE, color_system=None)
    for table in tables:
        console.print(table)
    shown = [line.rstrip() for line in page.getvalue().splitlines()]
    print("\n".join([*shown, *lines]))  # noqa: T201


def _print_json(record: dict[str, Any]) -> None:
    print(json.dumps(record, ensure_ascii=False))  # noqa: T201
