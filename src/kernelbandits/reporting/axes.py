"""Axes as data: scale, limits, ticks, names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, final

import numpy as np

from kernelbandits.reporting import styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Side = Literal["x", "y"]


def literal(text: str) -> str:
    """The text as matplotlib shows it letter by letter: dollars begin no formula."""
    return text.replace("$", r"\$")


@final
@dataclass(frozen=True, slots=True)
class Axis:
    """One axis. "symlog" is linear below 1; empty `ticks` are chosen automatically; None leaves a limit to the data.

    `names` are texts instead of the numbers 0, 1, …; the first one is at the top.
    """

    label: str = ""
    scale: Literal["linear", "log", "symlog"] = "linear"
    ticks: Sequence[float] = ()
    names: Sequence[str] = ()
    low: float | None = None
    high: float | None = None


def set_axis(axes: Axes, side: Side, axis: Axis) -> None:
    """Give the axis `side` its label, scale, limits and ticks; what it shows is drawn already."""
    from matplotlib.ticker import FuncFormatter, NullLocator

    from kernelbandits.reporting.log_ticks import LogTicks, tick_label

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
