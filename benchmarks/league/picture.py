"""The league as a picture: for every problem the ratio of each family to the best competitor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from benchmarks.league.contenders import DEFAULT
from benchmarks.league.standings import Standing, families_of, kinds_of
from kernelbandits.reporting import Axis, Chart, Charts, Look, Mark, Picture, Points, Rule, looks, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
