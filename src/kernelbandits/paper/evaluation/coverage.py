"""How often intervals contain the truth, and how wide they are."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import fill
from typing import ClassVar, final

import numpy as np
import polars as pl

from kernelbandits import offline
from kernelbandits.experiments import Runner
from kernelbandits.paper.evaluation.kept import Rows, kept, portions
from kernelbandits.paper.evaluation.worlds import (
    DigitsWorld,
    LearnerWorld,
    LoggedWorld,
    OwnLearnerWorld,
    SoftmaxWorld,
    WorldCase,
)
from kernelbandits.paper.parts import StudyPart
from kernelbandits.reporting import Axis, Chart, Charts, Mark, Points, Remark, Rule, look
from kernelbandits.specs import Count

WORLDS: dict[str, LoggedWorld] = {
    "plain": SoftmaxWorld(1000),
    "short": SoftmaxWorld(300),
    "large": SoftmaxWorld(10_000),
    "rare, 1 in 200": SoftmaxWorld(10_000, level=-5.8, slope=0.7, n_arms=5, greedy=True),
    "rare, short": SoftmaxWorld(2000, level=-5.8, slope=0.7, n_arms=5, greedy=True),
    "nearly certain": SoftmaxWorld(1000, level=3.0, slope=0.7),
    "weak overlap": SoftmaxWorld(2000, sharp=4.0, floor=0.1, greedy=True),
    "many arms": SoftmaxWorld(2000, n_arms=50),
    "misspecified": SoftmaxWorld(1000, slope=0.3, bent=2.0, n_arms=5),
    "digits, sure writer": DigitsWorld(),
    "digits, uniform writer": DigitsWorld(floor=1.0),
    "learner, equal arms": LearnerWorld(2000, (0.5, 0.5, 0.5, 0.5)),
    "learner, a bad arm": LearnerWorld(2000, (0.3, 0.4, 0.5, 0.6, 0.7)),
    "learner, the best arm": LearnerWorld(2000, (0.3, 0.4, 0.5, 0.6, 0.7), arm=4),
    "learner, contexts": LearnerWorld(2000, (0.4, 0.5, 0.5, 0.6), dim=4),
    "learner, rare": LearnerWorld(10_000, (0.005, 0.005, 0.005, 0.01), floor=0.05, batch=250),
    "learner, small floor": LearnerWorld(5000, (0.5, 0.5, 0.5), floor=0.01),
    "Thompson, no floor": LearnerWorld(1000, (0.5, 0.5), floor=0.0, batch=20, thompson=True),
    "LinearUCB, floor": OwnLearnerWorld(),
}
"""Independent rows first, then logs of learners."""

LEVEL, NEEDED = 0.95, 0.94
DEFAULT, CLASSICAL, SEQUENCE = "default", "DR, normal, as if independent", "confidence sequence"
METHODS: dict[str, tuple[offline.ValueEstimator, offline.IntervalMethod]] = {
    "DR, normal": (offline.DoublyRobust(), offline.NormalInterval()),
    "DR, likelihood": (offline.DoublyRobust(), offline.EmpiricalLikelihood()),
    "DR, bootstrap": (offline.DoublyRobust(), offline.StudentizedBootstrap(200)),
    "IPS, normal": (offline.InversePropensity(), offline.NormalInterval()),
    "IPS, likelihood": (offline.InversePropensity(), offline.EmpiricalLikelihood()),
    "IPS, gamma": (offline.InversePropensity(), offline.GammaInterval()),
    "SNIPS, normal": (offline.SelfNormalized(), offline.NormalInterval()),
    "SNIPS, likelihood": (offline.SelfNormalized(), offline.EmpiricalLikelihood()),
    "DM, normal": (offline.DirectMethod(), offline.NormalInterval()),
}
_SLOW, _ENOUGH = "DR, bootstrap", 400
"""The bootstrap takes as long as all others together, so it is tried on fewer logs."""
_ORDER = (DEFAULT, *METHODS, CLASSICAL, SEQUENCE)
_CANDIDATE = "candidate"
_WRAPPED = 36  # letters in a line of a chart
_BELOW = 0.75  # coverage below this is given in words, so that the rest of the chart can be read


def intervals(case: WorldCase, without: str = "") -> Iterator[tuple[str, float, offline.Interval]]:
    """Name, value and interval of every method on a case but one; nothing if the log is refused."""
    marks, n = offline.marks_of(case.log), len(case.log)
    judging = _judging(case, offline.past(n) if marks.adaptive else offline.folds(n))
    weighed = judging.weighed[_CANDIDATE]
    if weighed.overlap.refusal() is not None:
        return
    method, _ = offline.default_interval(marks)
    for name, (estimator, interval) in ({DEFAULT: (offline.SelfNormalizedDoublyRobust(), method)} | METHODS).items():
        if name != without:
            estimate = judging.estimate(weighed, estimator, interval)
            yield name, estimate.value, estimate.interval
    if marks.adaptive:
        scores = offline.DoublyRobust().scores(_judging(case, offline.folds(n)).weighed[_CANDIDATE].rows)
        half = 1.959964 * float(scores.std()) / np.sqrt(n)
        mean = float(scores.mean())
        yield CLASSICAL, mean, offline.Interval(mean - half, mean + half)
    rows = weighed.rows
    running = offline.ConfidenceSequence(largest_weight=max(float(rows.weights.max()), 1.0)).start()
    running.observe(rows.rewards, rows.weights)
    yield SEQUENCE, running.mean, running.interval


def _judging(case: WorldCase, split: offline.Split) -> offline.Judging:
    candidates = {_CANDIDATE: offline.GivenChances(case.chances)}
    weighed = offline.weigh(case.log, candidates, offline.LinearRewards(), split, np.random.default_rng(0))
    return offline.Judging(case.log, offline.marks_of(case.log), split, weighed, None, LEVEL)


def counted(name: str, seeds: range) -> Rows:
    """For some seeds of a world: how often each method covers, widths, errors, refusals."""
    found: dict[str, list[tuple[float, float, float]]] = {DEFAULT: []}  # also if all logs are refused
    refused = 0
    for case in WORLDS[name].cases(seeds):
        each = list(intervals(case, _SLOW if seeds.start >= _ENOUGH else ""))
        refused += not each
        for method, value, interval in each:
            miss = (value - case.truth) ** 2
            found.setdefault(method, []).append((interval.covers(case.truth), interval.width, miss))
    for method, entries in found.items():
        covered, widths, misses = np.array(entries, dtype=np.float64).reshape(-1, 3).sum(axis=0).tolist()
        sums = {"n": len(entries), "refused": refused, "covered": covered, "widths": widths, "squares": misses}
        yield {"world": name, "method": method, **sums}


@final
@dataclass(frozen=True, slots=True)
class Coverage(StudyPart):
    """Do intervals cover as often as they promise, and how wide are they? `seeds` logs of every world."""

    name: ClassVar[str] = "coverage"
    heading: ClassVar[str] = "Coverage of 95 % intervals and their mean width, {0.seeds} logs per world"
    worlds: tuple[str, ...] = tuple(WORLDS)
    seeds: Count = 2000

    def rows(self, runner: Runner) -> pl.DataFrame:
        tasks = [(world, seeds) for seeds in portions(self.seeds, 50) for world in self.worlds]
        sums = kept(runner, self.name, counted, tasks).group_by("world", "method", maintain_order=True).sum()
        n = pl.max_horizontal(pl.col("n"), 1)
        coverage = pl.col("covered") / n
        frame = sums.select(
            "world",
            "method",
            "n",
            "refused",
            coverage=coverage,
            coverage_se=(coverage * (1.0 - coverage) / n).sqrt(),
            width=pl.col("widths") / n,
            error=(pl.col("squares") / n).sqrt(),
        )
        covering = pl.when(pl.col("coverage") >= NEEDED).then(pl.col("width"))
        return frame.with_columns(ratio=pl.col("width") / covering.min().over("world"))

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        wide = rows.with_columns(pl.col("coverage").round(3)).pivot("method", index="world", values="coverage")
        own = rows.filter(method=DEFAULT).select("world", "refused", ratio=pl.col("ratio").fill_null(0.0))
        shown = [method for method in _ORDER if method in wide]
        return wide.join(own, on="world", how="left").select("world", "ratio", "refused", *shown)

    def charts(self, rows: pl.DataFrame) -> Charts:
        charts = []
        for world in self.worlds:
            own = rows.filter(pl.col("world") == world, pl.col("n") > 0)
            marks: list[Mark] = [Rule(LEVEL, "y", "nominal")]
            told: list[str] = []
            for place, method in enumerate(_ORDER):
                one = own.filter(pl.col("method") == method, pl.col("width") > 0.0)
                if one.height and one["coverage"][0] < _BELOW:
                    told.append(f"{method} {one['coverage'][0]:.2f}")
                elif one.height:
                    marks.append(Points(one["width"], one["coverage"], look(place), method, best=method == DEFAULT))
            if told:
                marks.append(Remark(fill(f"below: {', '.join(told)}", _WRAPPED), 0.02, _BELOW))
            charts.append(Chart(world, marks, Axis("mean width", "log"), Axis("coverage", low=_BELOW, high=1.01)))
        height = 3.1 * -(-len(charts) // 3) + 1.0
        return Charts(charts, 3, height, legend="outside upper center", legend_columns=4)

    def findings(self, rows: pl.DataFrame) -> Iterator[str]:
        judged = rows.filter(pl.col("n") > 0)
        default = judged.filter(method=DEFAULT)
        low, wide = default.sort("coverage"), default.drop_nulls("ratio").sort("ratio")
        yield (
            f"the default covers the truth in {low['coverage'][0]:.3f} of the logs at least ({low['world'][0]}); its "
            f"width is at most {wide['ratio'][-1]:.2f} × that of the narrowest interval that covers "
            f"({wide['world'][-1]})"
        )
        for row in default.filter(pl.col("coverage") < NEEDED).iter_rows(named=True):
            yield f"{row['world']}: the default covers only {row['coverage']:.3f}"
        for row in default.filter(pl.col("refused") > 0).iter_rows(named=True):
            yield f"{row['world']}: {row['refused']:.0f} of {row['refused'] + row['n']:.0f} logs are refused"
        for method in (*METHODS, CLASSICAL):
            own = judged.filter(pl.col("method") == method, pl.col("coverage") < NEEDED).sort("coverage")
            if own.height:
                worst = f"{own['coverage'][0]:.3f} in {own['world'][0]}"
                yield f"{method} covers too seldom in {own.height} worlds; {worst}"
