"""How random a writer must be before a candidate that often contradicts it can be judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import polars as pl

from kernelbandits.experiments import Runner
from kernelbandits.offline import GivenChances, evaluate
from kernelbandits.paper.evaluation.digits_world import DigitsWorld
from kernelbandits.paper.evaluation.kept import kept
from kernelbandits.paper.parts import StudyPart, line
from kernelbandits.reporting import Axis, Chart, Charts
from kernelbandits.specs import Count, Positive

_CHUNK = 50


def judged(task: tuple[float, int, int]) -> list[dict[str, Any]]:
    """For some logs: the rows that speak for contrary decisions, whether it was refused, and whether it covered."""
    share, start, count = task
    rows: list[dict[str, Any]] = []
    for case in DigitsWorld(floor=share).cases(range(start, start + count)):
        log = case.log
        contrary = (log.propensities < 0.5) & (case.chances[np.arange(len(log)), log.arms] > 0.0)
        found = evaluate(log, {"candidate": GivenChances(case.chances)}, others=())["candidate"]
        refused = found.verdict.kind == "not supported"
        covers = None if refused else float(found.interval.covers(case.truth))
        rows.append({"share": share, "rows": int(contrary.sum()), "refused": float(refused), "covered": covers})
    return rows


@final
@dataclass(frozen=True, slots=True)
class SureWriters(StudyPart):
    """Digits: the writer plays its guess, or any digit in a share of the rows. Its guess and the candidate's differ."""

    name: ClassVar[str] = "writers"
    heading: ClassVar[str] = "Logs of 1,000 digits by a sure writer, {0.seeds} per share of rows drawn uniformly"
    shares: tuple[Positive, ...] = (0.2, 0.3, 0.4, 0.5)
    seeds: Count = 2000

    def rows(self, runner: Runner) -> pl.DataFrame:
        tasks = [(f, s, min(_CHUNK, self.seeds - s)) for f in self.shares for s in range(0, self.seeds, _CHUNK)]
        found = kept(runner, self.name, judged, tasks).with_columns(pl.col("covered").cast(pl.Float64))
        return found.group_by("share", maintain_order=True).agg(pl.col("rows", "refused", "covered").mean())

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.with_columns(pl.col("covered").round(3))

    def charts(self, rows: pl.DataFrame) -> Charts:
        lines = [
            line(rows, "share", "refused", 0, "refused"),
            line(rows.drop_nulls(), "share", "covered", 1, "covered, of the others"),
        ]
        axes = Axis("share of rows drawn uniformly"), Axis("share of logs", low=0.0, high=1.02)
        return Charts([Chart("", lines, *axes, "best")], 1, height=3.2)

    def findings(self, rows: pl.DataFrame) -> list[str]:
        return [
            f"{row['share']:.0%} uniform: {row['rows']:.1f} rows speak for contrary decisions, "
            + f"{row['refused']:.0%} refused"
            + (f", coverage {row['covered']:.3f}" if row["covered"] is not None else "")
            for row in rows.iter_rows(named=True)
        ]
