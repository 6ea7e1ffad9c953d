"""Dot plots with one row per name: scores of arms, mean rewards, values with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite, nan

from kernelbandits.reporting.charts import Axis, Chart, Charts, Line, Mark, Points, Rule
from kernelbandits.reporting.sections import Picture
from kernelbandits.reporting.styles import Look

_MOST_ROWS, _LONGEST_NAME = 40, 40
_LOOK, _ENDS = Look(2, (), "o"), Look(2, (), "|")


def dot_rows(
    label: str,
    names: Sequence[str],
    values: Sequence[float],
    intervals: Sequence[tuple[float, float]] = (),
    *,
    best: int | None = None,
    at: float | None = None,
    low: float | None = None,
) -> Chart:
    """One row per name, the first at the top, with a dot at its value and a line over its interval.

    `best` is the row with a star, `at` a value that a dotted line marks; what is not finite is left out.
    `low` is where the axis of values begins.
    """
    marks: list[Mark] = [] if at is None else [Rule(at, "x")]
    for place, ends in enumerate(intervals):
        if all(map(isfinite, ends)):
            marks.append(Line([*ends], [place, place], _ENDS))
    shown = [value if isfinite(value) else nan for value in values]
    for place, value in enumerate(shown):
        marks.append(Points([value], [place], _LOOK, best=place == best))
    texts = [name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…" for name in names]
    return Chart("", marks, Axis(label, low=low), Axis(names=texts, low=len(names) - 0.5, high=-0.5))


def rows_picture(
    title: str,
    label: str,
    names: Sequence[str],
    values: Sequence[float],
    errors: Sequence[float] = (),
    *,
    best: int | None = None,
    low: float | None = None,
) -> Picture:
    """A picture of `dot_rows` alone, with lines of ± `errors`; of more than 40 rows the highest, and the best."""
    heights = [value if isfinite(value) else -inf for value in values]
    order = sorted(range(len(names)), key=lambda i: (i == best, heights[i]), reverse=True)
    kept = sorted(order[:_MOST_ROWS])
    label += f", {len(kept)} of {len(names)} rows" if len(kept) < len(names) else ""
    intervals = [(values[i] - errors[i], values[i] + errors[i]) for i in kept] if errors else []
    starred = None if best is None else kept.index(best)
    chart = dot_rows(label, [names[i] for i in kept], [values[i] for i in kept], intervals, best=starred, low=low)
    described = "; ".join(f"{names[i]}: {values[i]:.4g}" for i in kept)
    return Picture(title, (Charts((chart,), 1, 0.9 + 0.28 * len(kept)),), described, width=5.2)
