"""Which floor makes the log of a learner evaluable, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import polars as pl

from kernelbandits.experiments import Runner
from kernelbandits.offline import AlwaysArm, evaluate
from kernelbandits.paper.evaluation.kept import kept
from kernelbandits.paper.evaluation.learner_worlds import LearnerWorld
from kernelbandits.paper.parts import StudyPart, line
from kernelbandits.reporting import Axis, Chart, Charts
from kernelbandits.specs import Count, NonNegative

MEANS = (0.10, 0.12, 0.14, 0.20)


def floored(task: tuple[float, int, int, int]) -> list[dict[str, Any]]:
    """Logs of a learner with a floor: what they earn, and what they say of the second best of four arms."""
    floor, n, start, count = task
    world = LearnerWorld(n, MEANS, floor=floor, arm=2)
    rows: list[dict[str, Any]] = []
    for case in world.cases(range(start, start + count)):
        found = evaluate(case.log, {"second": AlwaysArm(2)}, others=())["second"]
        refused = found.verdict.kind == "not supported"
        rows.append(
            {
                "floor": floor,
                "n": n,
                "refused": float(refused),
                "effective": found.overlap.effective_size,
                "width": None if refused else found.interval.width,
                "covered": None if refused else float(found.interval.covers(case.truth)),
                "reward": float(case.log.rewards.mean()),
            }
        )
    return rows


@final
@dataclass(frozen=True, slots=True)
class Floors(StudyPart):
    """Four arms with means 0.10 to 0.20, a greedy learner with a floor; the candidate always plays the second best."""

    name: ClassVar[str] = "floors"
    heading: ClassVar[str] = "Logs of a greedy learner with a floor, four arms; what they say of the second best arm"
    floors: tuple[NonNegative, ...] = (0.0, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1)
    sizes: tuple[Count, ...] = (5000, 20_000)
    seeds: Count = 40

    def rows(self, runner: Runner) -> pl.DataFrame:
        tasks = [
            (f, n, s, min(20, self.seeds - s))
            for n in self.sizes
            for f in self.floors
            for s in range(0, self.seeds, 20)
        ]
        found = kept(runner, self.name, floored, tasks)
        mean = found.group_by("n", "floor", maintain_order=True).agg(
            pl.col("refused").mean(), pl.col("effective").median(), pl.col("width", "covered", "reward").mean()
        )
        return mean.with_columns(pl.col("width", "covered").fill_null(np.nan).fill_nan(0.0))

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows

    def charts(self, rows: pl.DataFrame) -> Charts:
        charts = []
        for key, label in (
            ("effective", "effective rows"),
            ("width", "width of the interval"),
            ("reward", "reward per row"),
        ):
            own = rows.filter(pl.col("floor") > 0.0, pl.col("refused") < 1.0)
            lines = [line(own.filter(n=n), "floor", key, i, f"{n:,} rows") for i, n in enumerate(self.sizes)]
            charts.append(Chart("", lines, Axis("floor", "log"), Axis(label), "best" if key == "effective" else ""))
        return Charts(charts, 3, height=3.2)

    def findings(self, rows: pl.DataFrame) -> list[str]:
        return [
            f"{row['n']:,} rows, floor {row['floor']:g}: {row['effective']:.0f} effective rows, "
            + (f"width {row['width']:.3f}, " if row["width"] else "")
            + f"{row['refused']:.0%} refused, {row['reward']:.3f} earned per row"
            for row in rows.iter_rows(named=True)
        ]
