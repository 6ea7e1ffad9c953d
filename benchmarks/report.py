"""Measured cases as a table, a bar chart, and a record that the next run is compared with."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias, final

import numpy as np
from matplotlib.figure import Figure

from benchmarks.cases import Case
from benchmarks.measure import Timing, interleave, median_ratio
from kernelbandits.errors import InvalidFile, KernelBanditsError
from kernelbandits.reporting import COLOURS, Column, Entry, Picture, Table

Record: TypeAlias = dict[str, Any]
_VERSIONS = (
    *("numpy", "scipy", "scikit-learn", "botorch", "torch", "mabwiser"),
    *("contextualbandits", "vowpalwabbit", "river"),
)


@final
@dataclass(frozen=True, slots=True)
class Measured:
    """One case with its times and figures."""

    case: Case
    timings: Mapping[str, Timing]
    facts: Mapping[str, float]
    picture: Picture | None = None

    @property
    def ratios(self) -> dict[str, float]:
        """Time of every other contender divided by ours."""
        return {name: median_ratio(self.timings, name, "ours") for name in self.timings if name != "ours"}

    @property
    def verdicts(self) -> dict[str, str]:
        """Whether each goal is met, for the contenders that were there."""
        ratios = self.ratios
        return {
            other: ("met" if ratios[other] >= least else "MISSED") + f" (≥ {least:.3g})"
            for other, least in self.case.goals.items()
            if other in ratios
        }


def measure(case: Case, repeats: int) -> Measured:
    """Time all contenders of a case, and check that they did the same work where they should."""
    timings, answers = interleave(case.contenders(), repeats, case.threads)
    if case.same:
        for name, answer in answers.items():
            if not np.array_equal(answer, answers["ours"]):
                raise KernelBanditsError(
                    f"{case.name}: {name} did not choose the same arms as ours; times cannot be compared"
                )
    if case.study is None:
        return Measured(case, timings, case.facts())
    found, picture = case.study()
    return Measured(case, timings, {**case.facts(), **found}, picture)


def record_of(measured: Sequence[Measured], repeats: int) -> Record:
    """Return everything that was measured, with versions and machine, for JSON."""
    return {
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "repeats": repeats,
        "python": platform.python_version(),
        "processor": platform.machine(),
        "versions": {name: found for name in _VERSIONS if (found := _version(name))},
        "cases": {
            item.case.name: {
                "title": item.case.title,
                "threads": item.case.threads,
                "seconds": {name: timing.median for name, timing in item.timings.items()},
                "spread": {name: timing.spread for name, timing in item.timings.items()},
                "ratio": item.ratios,
                "goals": item.verdicts,
                "facts": dict(item.facts),
            }
            for item in measured
        },
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def read_record(path: Path) -> Record:
    """Read the record of an earlier run."""
    try:
        record: Record = json.loads(path.read_text(encoding="utf-8"))
        record["cases"].items()
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidFile(
            f"{path} is no record of an earlier run ({type(error).__name__}); give its bench.json"
        ) from error
    return record


def table(measured: Sequence[Measured], previous: Record | None) -> Table:
    """Return the times and ratios, with the ratios of an earlier run beside them."""
    names = ("case", "threads", "contender", "median", "spread", "ratio to ours", "last time", "goal")
    rows = []
    for item in measured:
        before = (previous or {}).get("cases", {}).get(item.case.name, {}).get("ratio", {})
        ratios, verdicts = item.ratios, item.verdicts
        for i, (name, timing) in enumerate(item.timings.items()):
            texts = (
                *(("", "") if i else (item.case.name, str(item.case.threads))),
                name,
                _duration(timing.median),
                f"{timing.spread:.0%}",
                f"{ratios[name]:.2f}" if name in ratios else "",
                f"{before[name]:.2f}" if name in before else "",
                verdicts.get(name, ""),
            )
            rows.append(tuple(map(Entry, texts)))
    columns = tuple(Column(name, numeric=name not in ("case", "contender", "goal")) for name in names)
    return Table("time of each contender divided by ours (above 1: ours is faster)", columns, tuple(rows))


def _duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1.0 else f"{seconds:.2f} s"


def bar_chart(measured: Sequence[Measured]) -> Figure:
    """Draw the ratios on a logarithmic axis; a bar to the right means that ours is faster."""
    bars = {f"{item.case.name}: {name}": ratio for item in measured for name, ratio in item.ratios.items()}
    figure = Figure(figsize=(8.0, 0.9 + 0.3 * len(bars)), layout="constrained")
    axes = figure.subplots()
    drawn = axes.barh([*bars], [ratio - 1.0 for ratio in bars.values()], left=1.0, color=COLOURS[2], height=0.6)
    axes.bar_label(drawn, [f"{ratio:.2f}" for ratio in bars.values()], padding=3, fontsize=8)
    axes.tick_params(axis="y", labelsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.margins(x=0.12)
    axes.set_xlabel("time of the contender / time of ours")
    axes.spines[["top", "right"]].set_visible(False)
    return figure
