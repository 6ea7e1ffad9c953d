"""The work of the commands `diagnose` and `budget`: files written, and a report printed."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from kernelbandits.errors import InvalidArgument
from kernelbandits.reporting import print_json, save, write_text
from kernelbandits.theory.budget import Budget
from kernelbandits.theory.diagnosis.diagnosis import diagnose
from kernelbandits.theory.diagnosis.document import budget_document, diagnosis_document
from kernelbandits.theory.diagnosis.picture import diagnosis_picture
from kernelbandits.theory.diagnosis.reading import ContextSample
from kernelbandits.theory.diagnosis.standardising import standardise


def report_sample(sample: ContextSample, folder: Path, *, scaled: bool, as_json: bool, **options: Any) -> None:
    """Diagnose a sample, write picture and record to the folder, print the report."""
    started = time.monotonic()
    if folder.is_file():
        raise InvalidArgument(f"--out: {folder} is a file; give a folder")
    change = standardise(sample.contexts) if scaled else None
    report = diagnose(sample.contexts if change is None else change.contexts, sample.arms, sample.rewards, **options)
    report = replace(report, notes=(*sample.notes, *report.notes))
    document = diagnosis_document(report, sample.columns, change)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = save(diagnosis_picture(report), folder / "diagnosis")
    files = [*pictures, write_text(folder / "diagnosis.json", document.json(indent=1) + "\n")]
    seconds = time.monotonic() - started
    if as_json:
        print_json({**document.record, "files": [str(path) for path in files], "seconds": round(seconds, 3)})
        return
    document.show(f"Finished in {seconds:.1f} s. In {folder}: {', '.join(path.name for path in files)}")


def report_budget(budget: Budget, *, as_json: bool) -> None:
    """Print a budget."""
    document = budget_document(budget)
    if as_json:
        print_json(document.record)
    else:
        document.show()
