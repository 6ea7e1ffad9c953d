"""Standings: final regrets as multiples of the best competitor's, as a table and as a picture of the runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from benchmarks.league.contenders import DEFAULT
from kernelbandits.reporting import Axis, Chart, Charts, Look, Mark, Picture, Points, Rule, looks, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
from collections.abc import Iterator

import numpy as np
import polars as pl

from kernelbandits.environments import ratio_and_standard_error
from kernelbandits.types import Array

KINDS = ("tables", "logs", "worlds")


@final
@dataclass(frozen=True, slots=True)
class Ratio:
    """A ratio of mean regrets with its standard error, paired by seed; the error is NaN for a single seed."""

    value: float
    error: float

    def __str__(self) -> str:
        shown = f"{self.value:.2f}"
        return shown if np.isnan(self.error) else f"{shown} ± {self.error:.2f}"


@final
@dataclass(frozen=True, slots=True)
class Standing:
    """One problem: the best competitor, and for every family the ratio and the seconds of its best setting."""

    problem: str
    kind: str
    seeds: int
    best: str
    best_regret: float
    settings: dict[str, str]
    ratios: dict[str, Ratio]
    seconds: dict[str, float]


def standings(runs: pl.DataFrame) -> list[Standing]:
    """One standing per problem, in the order of the runs. All but the default are its competitors.

    The best setting of a family, and the best competitor, are those with the smallest mean regret on the same seeds.
    Being chosen so, they look a little better than they are, which is to the default's disadvantage.
    """
    return [_standing(str(problem), rows) for (problem,), rows in runs.group_by("problem", maintain_order=True)]


def _standing(problem: str, rows: pl.DataFrame) -> Standing:
    means = rows.group_by("contender", "family", maintain_order=True).agg(
        pl.col("regret").mean(), pl.col("seconds").mean()
    )
    chosen = means.sort("regret", maintain_order=True).unique("family", keep="first", maintain_order=True)
    competitors = chosen.filter(pl.col("family") != DEFAULT)
    best = str((competitors if len(competitors) else chosen)["contender"][0])
    families = {row["family"]: row for row in chosen.iter_rows(named=True)}
    order = means["family"].unique(maintain_order=True).to_list()
    yardstick = _regrets(rows, best)
    return Standing(
        problem=problem,
        kind=str(rows["kind"][0]),
        seeds=rows["seed"].n_unique(),
        best=best,
        best_regret=float(yardstick.mean()),
        settings={family: families[family]["contender"] for family in order},
        ratios={
            family: Ratio(*ratio_and_standard_error(_regrets(rows, families[family]["contender"]), yardstick))
            for family in order
        },
        seconds={family: float(families[family]["seconds"]) for family in order},
    )


def _regrets(rows: pl.DataFrame, contender: str) -> Array:
    """The final regrets of a contender, by seed."""
    return rows.filter(contender=contender).sort("seed")["regret"].to_numpy()


def geometric_mean(ratios: list[Ratio]) -> Ratio:
    """The geometric mean with its standard error, to first order; the problems are independent."""
    values, errors = np.array([(ratio.value, ratio.error) for ratio in ratios]).T
    with np.errstate(divide="ignore", invalid="ignore"):  # a regret of 0
        mean = float(np.exp(np.log(values).mean()))
        return Ratio(mean, mean * float(np.linalg.norm(errors / values)) / len(ratios))


def families_of(found: list[Standing]) -> list[str]:
    """All families, in the order of their first appearance."""
    return list(dict.fromkeys(family for standing in found for family in standing.ratios))


def kinds_of(found: list[Standing]) -> Iterator[tuple[str, list[Standing]]]:
    """The standings of tables, logs and worlds, in this order."""
    for kind in KINDS:
        if part := [standing for standing in found if standing.kind == kind]:
            yield kind, part


def markdown(found: list[Standing]) -> str:
    """The table of the league: ratios with standard errors, geometric means, and processor time per run."""
    families = families_of(found)
    lines = [
        "| problem | best competitor | its regret | " + " | ".join(families) + " |",
        "|---|---|--:|" + "--:|" * len(families),
    ]
    for kind, part in kinds_of(found):
        for standing in part:
            ratios = [str(standing.ratios[name]) if name in standing.ratios else "–" for name in families]
            entries = [standing.problem, standing.best, f"{standing.best_regret:,.1f}", *ratios]
            lines.append(f"| {' | '.join(entries)} |")
        everywhere = [name for name in families if all(name in standing.ratios for standing in part)]
        means = {name: geometric_mean([standing.ratios[name] for standing in part]) for name in everywhere}
        shown = [f"**{means[name]}**" if name in means else "–" for name in families]
        lines.append(f"| **{kind}: geometric mean** | | | {' | '.join(shown)} |")
        seconds = [_mean_seconds(part, name) for name in families]
        lines.append(f"| {kind}: seconds per run | | | {' | '.join(seconds)} |")
    return "\n".join(lines) + "\n"


def _mean_seconds(part: list[Standing], family: str) -> str:
    seconds = [standing.seconds[family] for standing in part if family in standing.seconds]
    return f"{np.mean(seconds):.2f}" if seconds else "–"


_FARTHEST = 5.0
"""Larger ratios are drawn here: they are lost in any case."""


@final
@dataclass(frozen=True, slots=True)
class Whiskers:
    """A line of ± one standard error through each of the ratios, which are at the heights 0, 1, … plus `offset`."""

    offset: float
    lows: list[float]
    highs: list[float]

    def draw(self, axes: Axes) -> None:
        heights = [i + self.offset for i in range(len(self.lows))]
        axes.hlines(heights, self.lows, self.highs, color="black", linewidth=1.4, zorder=2.5)


def picture(found: list[Standing]) -> Picture:
    """One row per problem, sorted by the default's ratio; one mark per family, the default's a star."""
    families = families_of(found)
    given = looks(families)
    lowest = min((ratio.value for each in found for ratio in each.ratios.values()), default=1.0)
    charts = [
        Charts(
            (_chart(kind, part, families, given, max(0.1, min(0.5, 0.9 * lowest))),),
            columns=1,
            height=(0.9 if i else 1.6) + 0.34 * len(part),
            legend="" if i else "outside upper center",
            legend_columns=4,
        )
        for i, (kind, part) in enumerate(kinds_of(found))
    ]
    title = "The league: regret as a multiple of the best competitor's"
    return Picture(title, tuple(charts), f"{title}, for {', '.join(families)}", width=9.0)


def _chart(kind: str, part: list[Standing], families: list[str], given: dict[str, Look], low: float) -> Chart:
    rows = sorted(part, key=lambda each: each.ratios[DEFAULT].value if DEFAULT in each.ratios else 0.0)
    marks: list[Mark] = [Rule(1.0, "x", "", dashes=())]
    offsets = dict(zip(families, spread(len(families)), strict=True))
    for family in families:
        points = [(each.ratios[family].value, i) for i, each in enumerate(rows) if family in each.ratios]
        x, y = [min(value, _FARTHEST) for value, _ in points], [i + offsets[family] for _, i in points]
        marks.append(Points(x, y, given[family], family, best=family == DEFAULT))
    own = [each.ratios[DEFAULT] for each in rows if DEFAULT in each.ratios]
    if len(own) == len(rows):
        lows = [min(max(low, ratio.value - ratio.error), _FARTHEST) for ratio in own]
        marks.append(Whiskers(offsets[DEFAULT], lows, [min(ratio.value + ratio.error, _FARTHEST) for ratio in own]))
    label = f"final regret / best competitor's; {_FARTHEST:g} and more at the right edge"
    ticks = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 5.0)
    x_axis = Axis(label, "log", [tick for tick in ticks if tick >= low], low=0.95 * low, high=1.1 * _FARTHEST)
    return Chart(kind, marks, x_axis, Axis(names=[each.problem for each in rows], low=-0.7, high=len(rows) - 0.3))
