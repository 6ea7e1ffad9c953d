"""The command `kernelbandits bench`."""

from __future__ import annotations

import cProfile
import json
import pstats
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.cases import Case, all_cases
from benchmarks.picture import ratios
from benchmarks.report import Measured, as_record, measure, read_record
from kernelbandits.errors import InvalidArgument, nearest
from kernelbandits.reporting import save
from kernelbandits.reporting.files import replacing


def bench(only: tuple[str, ...], repeats: int, folder: Path, as_json: bool, compare: Path | None) -> None:
    """Measure, print the table, and write the record and the picture; `compare` is an earlier record."""
    cases = _chosen(only)
    last = folder / "bench.json"
    previous = read_record(compare or last) if compare or last.is_file() else None
    progress = Console(stderr=True)
    measured = []
    for case in cases:
        if progress.is_terminal:
            progress.print(f"[dim]{case.name}: {case.title}[/dim]")
        measured.append(measure(case, repeats))
    record = as_record(measured, repeats)
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / "bench.json") as part:
        part.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    files = [folder / "bench.json", *save(ratios(measured), folder / "bench")]
    if as_json:
        print(json.dumps(record, ensure_ascii=False))
        return
    console = Console(width=None if Console().is_terminal else 160)
    console.print(_table(measured, previous))
    for item in measured:
        for fact, value in item.facts.items():
            console.print(f"{item.case.name}: {fact}: {value:.3g}", highlight=False)
    console.print(f"In {folder}: {', '.join(path.name for path in files)}")


def profile(name: str) -> None:
    """Where the time of our side of a case goes."""
    [case] = _chosen((name,))
    run = case.contenders()["ours"]
    run()
    profiler = cProfile.Profile()
    with threadpool_limits(case.threads):
        profiler.runcall(run)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)


def _chosen(only: tuple[str, ...]) -> list[Case]:
    known = {case.name: case for case in all_cases()}
    for name in only:
        if name not in known:
            raise InvalidArgument(f"no benchmark is called {name!r}; {nearest(name, known)}")
    return [case for name, case in known.items() if not only or name in only]


def _table(measured: list[Measured], previous: dict[str, Any] | None) -> Table:
    table = Table(title="time of each contender, in times ours (more than 1: ours is faster)", title_justify="left")
    for column in ("case", "threads", "contender", "median", "spread", "ratio to ours", "last time", "goal"):
        table.add_column(column, justify="left" if column in ("case", "contender", "goal") else "right")
    for item in measured:
        before = (previous or {}).get("cases", {}).get(item.case.name, {}).get("ratio", {})
        for i, (name, timing) in enumerate(item.timings.items()):
            table.add_row(
                item.case.name if i == 0 else "",
                str(item.case.threads) if i == 0 else "",
                name,
                _seconds(timing.median),
                f"{timing.spread:.0%}",
                "" if name == "ours" else f"{item.ratio(name):.2f}",
                f"{before[name]:.2f}" if name in before else "",
                item.verdict(name),
            )
        table.add_section()
    return table


def _seconds(value: float) -> str:
    if value < 1e-3:
        return f"{value * 1e6:.0f} µs"
    return f"{value * 1e3:.1f} ms" if value < 1.0 else f"{value:.2f} s"
