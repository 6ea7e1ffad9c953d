"""How matplotlib draws an axis: scale, limits, names, and as many ticks as have room on a logarithmic one.

Imported where something is drawn, because it needs matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, inf, log10
from typing import final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis as DrawnAxis
from matplotlib.ticker import FuncFormatter, Locator, MaxNLocator, NullLocator

from kernelbandits.reporting import styles
from kernelbandits.reporting.charts import Axis, Side, literal

_WITHIN_A_DECADE = ((1, 2, 5), (1, 3), (1,))
_EVENLY = (5, 4, 3, 2)
_LABEL, _LETTERS = 1.3, 6
"""Width of a label of so many letters with the gap beside it, in units of what matplotlib takes for a label."""


def set_axis(axes: Axes, side: Side, axis: Axis) -> None:
    """Give the axis `side` its label, scale, limits and ticks; what it shows is drawn already."""
    axes.set(**{f"{side}label": literal(axis.label)})
    line = getattr(axes, f"{side}axis")
    if axis.scale != "linear":
        getattr(axes, f"set_{side}scale")(axis.scale, **({"linthresh": 1.0} if axis.scale == "symlog" else {}))
    if axis.low is not None or axis.high is not None:
        set_limits = getattr(axes, f"set_{side}lim")
        set_limits(axis.low, axis.high)
        if not axis.names:  # move the limits that were given a little out, so that markers on them are whole
            transform = line.get_transform()
            ends = transform.transform(np.array(getattr(axes, f"get_{side}lim")()))
            room = styles.ROOM * (ends[1] - ends[0]) * np.array([-(axis.low is not None), axis.high is not None])
            set_limits(*transform.inverted().transform(ends + room))
    if axis.scale == "log":
        line.set_major_locator(LogTicks())
        line.set_major_formatter(FuncFormatter(lambda value, _: tick_label(value)))
        line.set_minor_locator(NullLocator())
    if axis.scale == "symlog":
        line.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.12g}"))
    if axis.ticks:
        line.set_ticks(list(axis.ticks), [f"{tick:g}" for tick in axis.ticks])
        line.set_minor_locator(NullLocator())
    if axis.names:
        line.set_ticks(range(len(axis.names)), list(map(literal, axis.names)))
        line.set_inverted(True)


def log_ticks(low: float, high: float, room: float) -> list[float]:
    """1, 2, 5 or 1, 3 of every decade, or every n-th power of ten: the most of which `room` would fit side by side.

    An axis within a decade on which fewer than two of these are visible has round numbers at equal distances instead.
    """
    low, high = min(low, high), max(low, high)
    apart = log10(high / low) / max(room, 1.0)
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    choices = [[part * 10.0**power for power in powers for part in parts] for parts in _WITHIN_A_DECADE]
    choices += [[10.0**power for power in powers if power % step == 0] for step in range(2, len(powers))]
    choices += [list(map(float, MaxNLocator(n).tick_values(low, high))) for n in _EVENLY if high < 10.0 * low]
    seen = [[tick for tick in ticks if low <= tick <= high] for ticks in choices]
    several = [ticks for ticks in seen if len(ticks) > 1]
    fitting = (ticks for ticks in several if _nearest(ticks) >= apart * _length(ticks))
    return next(fitting, min(several, key=len, default=seen[0]))


def tick_label(tick: float) -> str:
    """1,000 or 0.05."""
    return f"{tick:,.12g}"


def _length(ticks: Sequence[float]) -> float:
    """How much longer the longest label is than the one that there is room for."""
    return max(1.0, max(len(tick_label(tick)) for tick in ticks) / _LETTERS)


def _nearest(ticks: Sequence[float]) -> float:
    return min((log10(b / a) for a, b in pairwise(ticks)), default=inf)


@final
class LogTicks(Locator):
    """Finds `log_ticks` for the length that the axis has when it is drawn."""

    axis: DrawnAxis  # given by matplotlib before it asks for ticks

    def __call__(self) -> list[float]:
        return self.tick_values(*self.axis.get_view_interval())

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        return log_ticks(vmin, vmax, self.axis.get_tick_space() / _LABEL)
