"""How random the writer of a log must be: the floor of a learner, and what a sure writer draws at random."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits.experiments import Runner
from kernelbandits.offline import AlwaysArm, GivenChances, evaluate
from kernelbandits.paper.evaluation.kept import Rows, kept, portions
from kernelbandits.paper.evaluation.worlds import DigitsWorld, LearnerWorld
from kernelbandits.paper.parts import StudyPart, line
from kernelbandits.reporting import Axis, Chart, Charts
from kernelbandits.specs import Count, NonNegative, Positive

MEANS = (0.10, 0.12, 0.14, 0.20)


def floored(floor: float, n: int, seeds: range) -> Rows:
    """Logs of a learner with a floor: what they earn, and what they say of the second best of four arms."""
    for case in LearnerWorld(n, MEANS, floor=floor, arm=2).cases(seeds):
        found = evaluate(case.log, {"second": AlwaysArm(2)}, others=())["second"]
        refused = found.verdict.kind == "not supported"
        yield {
            "floor": floor,
            "n": n,
            "refused": float(refused),
            "effective": found.overlap.effective_size,
            "width": None if refused else found.interval.width,
            "covered": None if refused else float(found.interval.covers(case.truth)),
            "reward": float(case.log.rewards.mean()),
        }


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
        tasks = [(floor, n, seeds) for n in self.sizes for floor in self.floors for seeds in portions(self.seeds, 20)]
        found = kept(runner, self.name, floored, tasks)
        mean = found.group_by("n", "floor", maintain_order=True).agg(
            pl.col("refused").mean(), pl.col("effective").median(), pl.col("width", "covered", "reward").mean()
        )
        return mean.with_columns(pl.col("width", "covered").fill_null(np.nan).fill_nan(0.0))

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows

    def charts(self, rows: pl.DataFrame) -> Charts:
        own, charts = rows.filter(pl.col("floor") > 0.0, pl.col("refused") < 1.0), []
        labels = {"effective": "effective rows", "width": "width of the interval", "reward": "reward per row"}
        for key, label in labels.items():
            lines = [line(own.filter(n=n), "floor", key, i, f"{n:,} rows") for i, n in enumerate(self.sizes)]
            charts.append(Chart("", lines, Axis("floor", "log"), Axis(label), "best" if key == "effective" else ""))
        return Charts(charts, 3, height=3.2)

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        for row in rows.iter_rows(named=True):
            width = f"width {row['width']:.3f}, " if row["width"] else ""
            log = f"{row['n']:,} rows, floor {row['floor']:g}: {row['effective']:.0f} effective rows"
            yield f"{log}, {width}{row['refused']:.0%} refused, {row['reward']:.3f} earned per row"


def judged(share: float, seeds: range) -> Rows:
    """For some logs: the rows that speak for contrary decisions, whether it was refused, and whether it covered."""
    for case in DigitsWorld(floor=share).cases(seeds):
        log = case.log
        contrary = (log.propensities < 0.5) & (case.chances[np.arange(len(log)), log.arms] > 0.0)
        found = evaluate(log, {"candidate": GivenChances(case.chances)}, others=())["candidate"]
        refused = found.verdict.kind == "not supported"
        covers = None if refused else float(found.interval.covers(case.truth))
        yield {"share": share, "rows": int(contrary.sum()), "refused": float(refused), "covered": covers}


@final
@dataclass(frozen=True, slots=True)
class SureWriters(StudyPart):
    """Digits: the writer plays its guess, or any digit in a share of the rows. Its guess and the candidate's differ."""

    name: ClassVar[str] = "writers"
    heading: ClassVar[str] = "Logs of 1,000 digits by a sure writer, {0.seeds} per share of rows drawn uniformly"
    shares: tuple[Positive, ...] = (0.2, 0.3, 0.4, 0.5)
    seeds: Count = 2000

    def rows(self, runner: Runner) -> pl.DataFrame:
        tasks = [(share, seeds) for share in self.shares for seeds in portions(self.seeds, 50)]
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

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        for row in rows.iter_rows(named=True):
            covered = "" if row["covered"] is None else f", coverage {row['covered']:.3f}"
            speak = f"{row['rows']:.1f} rows speak for contrary decisions"
            yield f"{row['share']:.0%} uniform: {speak}, {row['refused']:.0%} refused{covered}"
