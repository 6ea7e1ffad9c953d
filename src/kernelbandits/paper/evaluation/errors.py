"""How far estimators are from the truth, beside what zr-obp publishes of the same kind of world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import polars as pl

from kernelbandits.experiments import Runner
from kernelbandits.offline import GivenChances, LinearRewards, ValueEstimator, folds, value_estimators, weigh
from kernelbandits.paper.evaluation.kept import kept
from kernelbandits.paper.evaluation.published_worlds import DigitsWorld, PublishedWorld
from kernelbandits.paper.evaluation.world import LoggedWorld
from kernelbandits.paper.parts import StudyPart
from kernelbandits.reporting import Axis, Chart, Charts, Mark, Points, look
from kernelbandits.specs import Count

ESTIMATORS: dict[str, ValueEstimator] = {
    "DM": value_estimators.DirectMethod(),
    "IPS": value_estimators.InversePropensity(),
    "SNIPS": value_estimators.SelfNormalized(),
    "DR": value_estimators.DoublyRobust(),
    "SNDR": value_estimators.SelfNormalizedDoublyRobust(),
    "Switch-DR": value_estimators.SwitchDoublyRobust(),
    "DRos": value_estimators.ShrunkDoublyRobust(),
    "clipped": value_estimators.ClippedWeights(),
    "sub-Gaussian IPS": value_estimators.SubGaussianWeights(),
    "sub-Gaussian DR": value_estimators.SubGaussianDoublyRobust(),
    "replay": value_estimators.Replay(),
}
WORLDS: dict[str, LoggedWorld] = {
    "synthetic, d = 5": PublishedWorld(),
    "synthetic, d = 100": PublishedWorld(dim=100),
    "digits": DigitsWorld(floor=0.2, softness=0.1, resampled=False),
}
_NAMES = ("DM", "IPS", "SNIPS", "DR", "SNDR", "Switch-DR", "DRos")
_SYNTHETIC = dict(zip(_NAMES, (0.074, 0.0095, 0.0067, 0.0062, 0.0061, 0.0062, 0.022), strict=True))
_CLASSES = dict(zip(_NAMES, (0.437, 0.030, 0.023, 0.016, 0.022, 0.035, 0.016), strict=True))
PUBLISHED = {"synthetic, d = 5": _SYNTHETIC, "synthetic, d = 100": _SYNTHETIC, "digits": _CLASSES}
"""Mean relative errors in the examples of zr-obp: 20 runs, logistic regressions as reward models."""


def relative_errors(task: tuple[str, int, int]) -> list[dict[str, Any]]:
    """|estimate − truth|/truth of every estimator for some seeds of a world."""
    name, start, count = task
    rows: list[dict[str, Any]] = []
    for seed, case in enumerate(WORLDS[name].cases(range(start, start + count)), start):
        candidate = {"candidate": GivenChances(case.chances)}
        split, rng = folds(len(case.log)), np.random.default_rng(0)
        weighed = weigh(case.log, candidate, LinearRewards(), split, rng)["candidate"].rows
        for label, estimator in ESTIMATORS.items():
            error = abs(estimator.value(weighed) - case.truth) / case.truth
            rows.append({"world": name, "estimator": label, "seed": seed, "error": error})
    return rows


@final
@dataclass(frozen=True, slots=True)
class Errors(StudyPart):
    """Are estimators as near to the truth as those of others? n = 10,000, K = 10; 1,258 rows of digits."""

    name: ClassVar[str] = "errors"
    heading: ClassVar[str] = "Relative errors of estimators, {0.seeds} logs per world, beside those published by zr-obp"
    seeds: Count = 100

    def rows(self, runner: Runner) -> pl.DataFrame:
        tasks = [(name, s, min(10, self.seeds - s)) for name in WORLDS for s in range(0, self.seeds, 10)]
        found = kept(runner, self.name, relative_errors, tasks)
        mean = found.group_by("world", "estimator", maintain_order=True).agg(
            pl.col("error").mean(), error_se=pl.col("error").std() / pl.len().sqrt()
        )
        keys = mean.select("world", "estimator").iter_rows()
        return mean.with_columns(published=pl.Series([PUBLISHED[w].get(e) for w, e in keys], dtype=pl.Float64))

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.select("world", "estimator", "error", "published")

    def charts(self, rows: pl.DataFrame) -> Charts:
        names, charts = list(ESTIMATORS), []
        for world in WORLDS:
            own = rows.filter(world=world)
            places = [names.index(name) for name in own["estimator"]]
            known = own.with_columns(place=pl.Series(places)).drop_nulls("published")
            marks: list[Mark] = [
                Points(own["error"], places, look(0), "here"),
                Points(known["published"], known["place"], look(1), "published"),
            ]
            charts.append(Chart(world, marks, Axis("relative error", "log"), Axis(names=names)))
        return Charts(charts, 3, height=4.2, legend="outside upper center")

    def findings(self, rows: pl.DataFrame) -> list[str]:
        lines = []
        for world in WORLDS:
            own = {row["estimator"]: row for row in rows.filter(world=world).iter_rows(named=True)}
            above = [f"{e} ({own[e]['error']:.4f})" for e, known in PUBLISHED[world].items() if own[e]["error"] > known]
            told = f"above the published error: {', '.join(above)}" if above else "none is above the published error"
            trio = ", ".join(f"{name} {own[name]['error']:.4f}" for name in ("DR", "IPS", "DM"))
            lines.append(f"{world}: {trio}; {told}")
        return lines
