"""Standings: final regrets as multiples of the best competitor's, a pure function of the runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
import polars as pl

from benchmarks.league.contenders import DEFAULT
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
