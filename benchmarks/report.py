"""From measurements to a table, a picture and a record that the next run is compared with."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, final

import numpy as np

from benchmarks.cases import Case
from benchmarks.measure import Timing, interleave, median_ratio
from kernelbandits.errors import InvalidFile, KernelBanditsError

_PEERS = ("scikit-learn", "botorch", "torch", "mabwiser", "contextualbandits", "vowpalwabbit", "river")


@final
@dataclass(frozen=True, slots=True)
class Measured:
    """One case with its times and figures."""

    case: Case
    timings: Mapping[str, Timing]
    facts: Mapping[str, float]

    def ratio(self, other: str) -> float:
        """How many times as long the other takes."""
        return median_ratio(self.timings, other, "ours")

    def verdict(self, other: str) -> str:
        """Whether the goal for this contender is met; empty where there is none."""
        goals = [goal for goal in self.case.goals if goal.other == other]
        if not goals:
            return ""
        return ("met" if self.ratio(other) >= goals[0].at_least else "MISSED") + f" (≥ {goals[0].at_least:.3g})"


def measure(case: Case, repeats: int) -> Measured:
    """Time all contenders of a case, interleaved, and check that they did the same work where they should."""
    contenders = case.contenders()
    timings, answers = interleave(contenders, repeats, case.threads)
    if case.same:
        for name, answer in answers.items():
            if not np.array_equal(answer, answers["ours"]):
                raise KernelBanditsError(
                    f"{case.name}: {name} did not choose the same arms as ours; times cannot be compared"
                )
    return Measured(case, timings, case.facts())


def as_record(measured: Sequence[Measured], repeats: int) -> dict[str, Any]:
    """Everything that was measured, with versions and machine, for JSON."""
    return {
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "repeats": repeats,
        "python": platform.python_version(),
        "processor": platform.machine(),
        "versions": {name: found for name in ("numpy", "scipy", *_PEERS) if (found := _version(name))},
        "cases": {
            item.case.name: {
                "title": item.case.title,
                "threads": item.case.threads,
                "seconds": {name: timing.median for name, timing in item.timings.items()},
                "spread": {name: timing.spread for name, timing in item.timings.items()},
                "ratio": {name: item.ratio(name) for name in item.timings if name != "ours"},
                "goals": {name: item.verdict(name) for name in item.timings if item.verdict(name)},
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


def read_record(path: Path) -> dict[str, Any]:
    """The record of an earlier run."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        record["cases"].items()
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidFile(
            f"{path} is no record of an earlier run ({type(error).__name__}); give its bench.json"
        ) from error
    known: dict[str, Any] = record
    return known
