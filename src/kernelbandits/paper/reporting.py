"""From a study to an output folder and a screen: progress, files, tables, findings."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress as Bar, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from kernelbandits.experiments.engines import Engine
from kernelbandits.experiments.order import Order
from kernelbandits.experiments.provenance import circumstances, write_provenance
from kernelbandits.experiments.report import write_report
from kernelbandits.experiments.store import Store
from kernelbandits.paper.parts import Part, Picture, resized
from kernelbandits.paper.report import study_html, word
from kernelbandits.paper.work import Work
from kernelbandits.reporting.figures import save
from kernelbandits.reporting.files import replacing


def carry_out(name: str, title: str, pictures: Sequence[Picture], order: Order) -> None:
    """Compute the parts, write tables and pictures, and say what was found and where everything is."""
    started, folder, engine = time.monotonic(), order.folder, order.engine
    wanted = resized(pictures, order.seeds, order.horizon, order.only)
    parts = [part for picture in wanted for part in picture.parts]
    folder.mkdir(parents=True, exist_ok=True)
    rows = _compute(parts, folder, engine)
    files = [_write(rows[part.name], folder / f"{part.name}.csv") for part in parts]
    for picture in wanted:
        files += save(picture.draw(rows), folder / picture.name)
    seconds = time.monotonic() - started
    record = {"study": name, "parts": {part.name: repr(part) for part in parts}} | circumstances(seconds, engine)
    files.append(write_provenance(folder / "provenance.json", record))
    if order.report:
        images = {picture.name: (folder / f"{picture.name}.svg").read_text(encoding="utf-8") for picture in wanted}
        html = study_html(title, wanted, rows, images, record)
        files.append(write_report(folder / "report.html", html))
    say = _print_json if order.as_json else _print_tables
    say(name, parts, rows, folder, files, seconds)


def _compute(parts: Sequence[Part], folder: Path, engine: Engine) -> dict[str, pl.DataFrame]:
    """Every part's rows, with a bar on the error stream where that is a terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:14s}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    rows = {}
    with Bar(*columns, console=console, disable=not console.is_terminal) as bar:
        for part in parts:
            task = bar.add_task(part.name, total=None)

            def show(done: int, total: int, task: Any = task) -> None:
                bar.update(task, total=total, completed=done)

            rows[part.name] = part.rows(Work(Store(folder), engine, show))
    return rows


def _write(rows: pl.DataFrame, path: Path) -> Path:
    with replacing(path) as part:
        rows.write_csv(part)
    return path


def _print_tables(
    name: str, parts: Sequence[Part], rows: Mapping[str, pl.DataFrame], folder: Path, files: list[Path], seconds: float
) -> None:
    console = Console(soft_wrap=not sys.stdout.isatty(), width=None if sys.stdout.isatty() else 200)
    for part in parts:
        console.print(_shown(part, rows[part.name]))
        for line in part.findings(rows[part.name]):
            console.print(Text(f"  {line}"))
        console.print()
    console.print(Text(f"Finished in {seconds:.0f} s. In {folder}: {', '.join(path.name for path in files)}"))


def _shown(part: Part, rows: pl.DataFrame) -> Table:
    frame = part.table(rows)
    shown = Table(title=Text(f"{part.name}: {part.title}"), title_justify="left")
    for column, dtype in frame.schema.items():
        shown.add_column(Text(column), justify="right" if dtype.is_numeric() else "left", no_wrap=True)
    for row in frame.iter_rows():
        shown.add_row(*(Text(word(value)) for value in row))
    return shown


def _print_json(
    name: str, parts: Sequence[Part], rows: Mapping[str, pl.DataFrame], folder: Path, files: list[Path], seconds: float
) -> None:
    record = {
        "study": name,
        "folder": str(folder),
        "files": [str(path) for path in files],
        "seconds": round(seconds, 3),
        "tables": {part.name: rows[part.name].to_dicts() for part in parts},
        "findings": {part.name: part.findings(rows[part.name]) for part in parts},
    }
    print(json.dumps(record, ensure_ascii=False))  # noqa: T201
