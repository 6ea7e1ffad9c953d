"""The league as a picture: for every problem the ratio of each family to the best competitor."""

from __future__ import annotations

from benchmarks.league.contenders import DEFAULT
from benchmarks.league.standings import Standing, families_of, kinds_of
from kernelbandits.reporting import Axis, Chart, Charts, Look, Mark, Picture, Points, Rule, looks

_FARTHEST = 5.0
"""Larger ratios are drawn here: they are lost in any case."""


def picture(found: list[Standing]) -> Picture:
    """One row per problem, sorted by the default's ratio; one mark per family, the default's a star."""
    families = families_of(found)
    given = looks(families)
    lowest = min((ratio.value for each in found for ratio in each.ratios.values()), default=1.0)
    charts = [
        Charts((_chart(kind, part, families, given, min(0.5, lowest)),), 1, 1.1 + 0.23 * len(part), legend=legend)
        for legend, (kind, part) in zip(("outside upper center", ""), kinds_of(found), strict=False)
    ]
    title = "The league: regret as a multiple of the best competitor's"
    return Picture(title, tuple(charts), f"{title}, for {', '.join(families)}", width=9.0)


def _chart(kind: str, part: list[Standing], families: list[str], given: dict[str, Look], low: float) -> Chart:
    rows = sorted(part, key=lambda each: each.ratios[DEFAULT].value if DEFAULT in each.ratios else 0.0)
    marks: list[Mark] = [Rule(1.0, "x", "", dashes=())]
    for family in families:
        points = [(each.ratios[family].value, i) for i, each in enumerate(rows) if family in each.ratios]
        x, y = [min(value, _FARTHEST) for value, _ in points], [i for _, i in points]
        marks.append(Points(x, y, given[family], family, best=family == DEFAULT))
    label = f"final regret / best competitor's; {_FARTHEST:g} and more at the right edge"
    x_axis = Axis(label, "log", ticks=(0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 5.0), low=0.9 * low, high=1.1 * _FARTHEST)
    return Chart(kind, marks, x_axis, Axis(names=[each.problem for each in rows]))
