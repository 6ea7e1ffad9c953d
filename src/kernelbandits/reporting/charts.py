"""Charts as data: marks on two axes. `kernelbandits.reporting.figures` draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, final

import numpy as np

from kernelbandits.reporting.styles import COLOURS, Look
from kernelbandits.types import Array, ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GREY = "0.45"
DOTTED: tuple[float, ...] = (1, 1.65)
Side = Literal["x", "y"]


class Mark(Protocol):
    """Something drawn on the axes of a chart."""

    def draw(self, axes: Axes) -> None:
        """Draw it."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line through points, with a band of ± `error` where that is known.

    Markers are drawn at every `step`-th point from `first` on.
    """

    x: ArrayLike
    y: ArrayLike
    look: Look
    label: str = ""
    error: Array | None = None
    first: int = 0
    step: int = 1

    def draw(self, axes: Axes) -> None:
        colour, dashes = COLOURS[self.look.colour], self.look.dashes
        axes.plot(
            np.asarray(self.x),
            np.asarray(self.y),
            color=colour,
            linestyle=(0, dashes) if dashes else "-",
            marker=self.look.marker,
            markersize=4.5,
            linewidth=1.4,
            markevery=(self.first, self.step),
            label=self.label,
        )
        if self.error is not None and np.isfinite(self.error).all():
            y = np.asarray(self.y)
            low = np.where(y > 0, np.maximum(y - self.error, 1e-3 * y), y - self.error)  # for logarithmic axes
            axes.fill_between(np.asarray(self.x), low, y + self.error, color=colour, alpha=0.15, lw=0)


@final
@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Markers without a line; `best` makes them stand out. Without points, only the label is shown in the legend."""

    x: ArrayLike
    y: ArrayLike
    look: Look
    label: str = ""
    best: bool = False

    def draw(self, axes: Axes) -> None:
        colour = COLOURS[self.look.colour]
        axes.plot(
            np.asarray(self.x),
            np.asarray(self.y),
            linestyle="none",
            marker="*" if self.best else self.look.marker,
            markersize=13 if self.best else 6,
            color=colour,
            markeredgecolor="black" if self.best else colour,
            alpha=1.0 if self.best else 0.75,
            zorder=3 if self.best else 2,
            label=self.label,
        )


@final
@dataclass(frozen=True, slots=True)
class Rule:
    """A reference line across the chart, at a value of the axis `side`."""

    at: float
    side: Side
    label: str = ""
    dashes: tuple[float, ...] = DOTTED
    colour: str = GREY

    def draw(self, axes: Axes) -> None:
        across = {"x": axes.axvline, "y": axes.axhline}[self.side]
        style = (0, self.dashes) if self.dashes else "-"
        across(self.at, color=self.colour, linestyle=style, linewidth=1.2, label=self.label)


@final
@dataclass(frozen=True, slots=True)
class Shade:
    """A grey band across the chart between two values of the axis `side`."""

    low: float
    high: float
    side: Side
    label: str = ""

    def draw(self, axes: Axes) -> None:
        across: Any = getattr(axes, {"x": "axvspan", "y": "axhspan"}[self.side])
        across(self.low, self.high, color="0.9", lw=0, zorder=0, label=self.label)


@final
@dataclass(frozen=True, slots=True)
class Remark:
    """A short text at a height y, `x` being a fraction of the width: set from the left below ½, else to the right."""

    text: str
    x: float
    y: float
    below: bool = False

    def draw(self, axes: Axes) -> None:
        axes.annotate(
            self.text,
            (self.x, self.y),
            xycoords=("axes fraction", "data"),
            xytext=(0, -3 if self.below else 3),
            textcoords="offset points",
            ha="left" if self.x < 0.5 else "right",
            va="top" if self.below else "bottom",
            fontsize=8,
            color="0.35",
        )


@final
@dataclass(frozen=True, slots=True)
class Axis:
    """One axis.

    Attributes:
        label: its name.
        scale: "linear", "log" or "symlog" (linear below 1).
        ticks: where numbers stand; chosen by themselves when empty.
        names: texts instead of the numbers, for the values 0, 1, …; the first one is at the top.
        low: the smallest value shown; None leaves it to the data.
        high: the largest value shown.

    """

    label: str = ""
    scale: Literal["linear", "log", "symlog"] = "linear"
    ticks: Sequence[float] = ()
    names: Sequence[str] = ()
    low: float | None = None
    high: float | None = None


@final
@dataclass(frozen=True, slots=True)
class Chart:
    """Marks on two axes. `legend` is matplotlib's name of a place inside, "right" for beside it, "" for none."""

    title: str
    marks: Sequence[Mark]
    x: Axis = Axis()
    y: Axis = Axis()
    legend: str = ""


@final
@dataclass(frozen=True, slots=True)
class Charts:
    """Charts side by side, in rows of `columns`.

    Attributes:
        charts: from the left to the right, then downwards.
        columns: how many stand in a row.
        height: inches, legend included.
        share_y: whether all have the same y axis.
        legend: place of one legend of all charts that have none inside, such as "outside upper center"; "" for none.
        legend_columns: entries side by side in it.

    """

    charts: Sequence[Chart]
    columns: int
    height: float
    share_y: bool = False
    legend: str = ""
    legend_columns: int = 3
