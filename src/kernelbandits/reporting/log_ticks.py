"""Ticks of a logarithmic axis: as many round numbers as have room.

Imported where something is drawn, because it needs matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, floor, inf, log10
from typing import final

from matplotlib.axis import Axis as DrawnAxis
from matplotlib.ticker import Locator, MaxNLocator

_WITHIN_A_DECADE = ((1, 2, 5), (1, 3), (1,))
_EVENLY = (5, 4, 3, 2)
_LABEL, _LETTERS = 1.3, 6
"""Width of a label of so many letters with the gap beside it, in units of what matplotlib takes for a label."""


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
