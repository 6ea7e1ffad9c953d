"""How far estimators are from the truth, beside what zr-obp publishes of the same logs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, final

import numpy as np
import polars as pl

from kernelbandits.experiments import Runner
from kernelbandits.kernels import Gaussian
from kernelbandits.offline import (
    GivenChances,
    LinearRewards,
    RewardModel,
    RewardsByEstimator,
    ValueEstimator,
    WeightedRows,
    folds,
    value_estimators,
    weigh,
)
from kernelbandits.paper.evaluation.kept import kept, portions
from kernelbandits.paper.evaluation.published_worlds import PublishedDigits, PublishedWorld
from kernelbandits.paper.evaluation.worlds import LoggedWorld, WorldCase
from kernelbandits.paper.parts import StudyPart
from kernelbandits.regression import KernelRidge
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
BOUND = "DR, true means"
"""With the true mean rewards in place of a model: no unbiased estimator that does not know them has less variance."""
_NAMES = ("DM", "IPS", "SNIPS", "DR", "SNDR", "Switch-DR", "DRos")


class ErrorCase(NamedTuple):
    """A world, the reward model used there, and, if its first `runs` logs are those of published errors, these."""

    world: LoggedWorld
    model: RewardModel
    runs: int = 0
    published: tuple[float, ...] = ()


_DIGITS_MODEL = RewardsByEstimator(KernelRidge(Gaussian(0.04), 0.03))
"""Of five widths and three ridges the one with the smallest cross-fitted squared error, in logs 100 to 102."""
CASES = {
    "published, K = 30, d = 5": ErrorCase(
        PublishedWorld(), LinearRewards(), 20, (0.07439, 0.009481, 0.006665, 0.006175, 0.006118, 0.006175, 0.021951)
    ),
    "K = 10, d = 5": ErrorCase(PublishedWorld(n_arms=10), LinearRewards()),
    "K = 10, d = 100": ErrorCase(PublishedWorld(n_arms=10, dim=100), LinearRewards()),
    "published, digits": ErrorCase(
        PublishedDigits(), _DIGITS_MODEL, 30, (0.436541, 0.030288, 0.022764, 0.016156, 0.022082, 0.034657, 0.015868)
    ),
}
"""Published are mean relative errors in the examples of zr-obp (2022), whose own reward models are a logistic
regression without interactions and a short boosting."""


def relative_errors(task: tuple[str, range]) -> list[dict[str, Any]]:
    """|estimate − truth|/truth of every estimator for some seeds of a world."""
    name, seeds = task
    world, model = CASES[name][:2]
    rows: list[dict[str, Any]] = []
    for seed, case in zip(seeds, world.cases(seeds), strict=True):
        split, rng = folds(len(case.log)), np.random.default_rng(0)
        weighed = weigh(case.log, {"candidate": GivenChances(case.chances)}, model, split, rng)["candidate"].rows
        values = {label: estimator.value(weighed) for label, estimator in ESTIMATORS.items()}
        values |= _known(case, weighed)
        for label, value in values.items():
            error = abs(value - case.truth) / case.truth
            rows.append({"world": name, "estimator": label, "seed": seed, "error": error})
    return rows


def _known(case: WorldCase, rows: WeightedRows) -> dict[str, float]:
    """DR with the true means, where these are known."""
    if case.means is None:
        return {}
    own = case.means[np.arange(len(rows)), case.log.arms]
    expected = (case.chances * case.means).sum(axis=1)
    return {BOUND: float((expected + rows.weights * (rows.rewards - own)).mean())}


@final
@dataclass(frozen=True, slots=True)
class Errors(StudyPart):
    """Are estimators as near to the truth as those of others? 10,000 rows per log; 1,258 of digits."""

    name: ClassVar[str] = "errors"
    heading: ClassVar[str] = "Relative errors of estimators, {0.seeds} logs per world, and on the logs of zr-obp's"
    seeds: Count = 200

    def rows(self, runner: Runner) -> pl.DataFrame:
        tasks = [(name, seeds) for name in CASES for seeds in portions(self.seeds, 10)]
        found = kept(runner, self.name, relative_errors, tasks)
        runs = pl.col("world").replace_strict({name: case.runs for name, case in CASES.items()})
        mean = found.group_by("world", "estimator", maintain_order=True).agg(
            pl.col("error").mean(),
            error_se=(pl.col("error").std() / pl.len().sqrt()).fill_null(0.0),
            on_published=pl.col("error").filter(pl.col("seed") < runs).mean(),
        )
        published = {(w, e): x for w, case in CASES.items() for e, x in zip(_NAMES, case.published, strict=False)}
        keys = mean.select("world", "estimator").iter_rows()
        return mean.with_columns(published=pl.Series([published.get(key) for key in keys], dtype=pl.Float64))

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.select("world", "estimator", "error", "error_se", "on_published", "published")

    def charts(self, rows: pl.DataFrame) -> Charts:
        names, charts = [*ESTIMATORS, BOUND], []
        for world in CASES:
            own = rows.filter(world=world).with_columns(
                place=pl.col("estimator").replace_strict(dict(zip(names, range(len(names)), strict=True)))
            )
            known = own.drop_nulls("published")
            marks: list[Mark] = [Points(own["error"], own["place"], look(0), "here")]
            if len(known):
                marks.append(Points(known["on_published"], known["place"], look(2), "here, on the published logs"))
                marks.append(Points(known["published"], known["place"], look(1), "published"))
            charts.append(Chart(world, marks, Axis("relative error", "log"), Axis(names=names)))
        return Charts(charts, 2, height=7.6, legend="outside upper center")

    def findings(self, rows: pl.DataFrame) -> list[str]:
        lines = []
        for world, case in CASES.items():
            own = {row["estimator"]: row for row in rows.filter(world=world).iter_rows(named=True)}
            shown = [name for name in ("DR", "IPS", "DM", BOUND) if name in own]
            told = ", ".join(f"{name} {own[name]['error']:.4f} ± {own[name]['error_se']:.4f}" for name in shown)
            lines.append(f"{world}: {told}")
            if case.runs:
                both = ", ".join(
                    f"{e} {own[e]['on_published']:.4f} ({own[e]['published']:.4f})" for e in _NAMES if e in own
                )
                few = f", of which {self.seeds} were drawn" if self.seeds < case.runs else ""
                lines.append(f"on the {case.runs} published logs{few}, and in brackets as published: {both}")
        return lines
