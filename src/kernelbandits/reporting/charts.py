"""Charts as data, marks on two axes, and how matplotlib draws them. It is imported only when something is drawn."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, final

import numpy as np

from kernelbandits.reporting import styles
from kernelbandits.reporting.files import replacing
from kernelbandits.reporting.styles import COLOURS, Look
from kernelbandits.types import Array, ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from kernelbandits.reporting.sections import Picture

_LONGEST_LINE = 50  # of titles and legends, in characters
_METADATA: dict[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None}}


Side = Literal["x", "y"]


def label(text: str) -> str:
    """A text for a title or legend in short lines. A legend would leave out what begins with "_"."""
    text = f" {text}" if text.startswith("_") else text
    return "\n".join(wrap(text, _LONGEST_LINE, drop_whitespace=False))


Drawn: TypeAlias = "Axes | list[Axes]"
"""What `plot` returns: one chart gives one object of matplotlib, several a list."""


class Mark(Protocol):
    """Something drawn on the axes of a chart."""

    def draw(self, axes: Axes) -> None:
        """Draw it."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line through points with a band of ± `error`, and markers at every `step`-th point from `first` on."""

    x: ArrayLike
    y: ArrayLike
    look: Look
    label: str = ""
    error: Array | None = None
    first: int = 0
    step: int = 1

    def draw(self, axes: Axes) -> None:
        colour, dashes = COLOURS[self.look.colour], self.look.dashes
        x, y = np.asarray(self.x), np.asarray(self.y)
        axes.plot(
            x,
            y,
            color=colour,
            linestyle=(0, dashes) if dashes else "-",
            marker=self.look.marker,
            markevery=(self.first, self.step),
            label=label(self.label),
            **styles.LINE,
        )
        if self.error is not None and np.isfinite(self.error).all():
            low = np.where(y > 0, np.maximum(y - self.error, 1e-3 * y), y - self.error)  # for logarithmic axes
            band: dict[str, Any] = {
                "facecolor": (colour, styles.BAND),
                "edgecolor": (colour, styles.BAND_EDGE),
                "linewidth": 0.6,
            }
            axes.fill_between(x, low, y + self.error, **band)


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
            label=label(self.label),
        )


@final
@dataclass(frozen=True, slots=True)
class Rule:
    """A reference line across the chart, at a value of the axis `side`."""

    at: float
    side: Side
    label: str = ""
    dashes: tuple[float, ...] = (1, 1.65)
    colour: str = styles.QUIET

    def draw(self, axes: Axes) -> None:
        style: Any = (0, self.dashes) if self.dashes else "-"
        across = axes.axvline if self.side == "x" else axes.axhline
        across(self.at, color=self.colour, linestyle=style, linewidth=1.2, label=label(self.label))


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

    def draw(self, axes: Axes, side: Side) -> None:
        """Give the axis `side` its label, scale, limits and ticks; what it shows is drawn already."""
        from matplotlib.ticker import FuncFormatter, NullLocator

        axes.set(**{f"{side}label": self.label})
        line = getattr(axes, f"{side}axis")
        if self.scale != "linear":
            getattr(axes, f"set_{side}scale")(self.scale, **({"linthresh": 1.0} if self.scale == "symlog" else {}))
            line.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.12g}"))
        if self.low is not None or self.high is not None:
            set_limits = getattr(axes, f"set_{side}lim")
            set_limits(self.low, self.high)
            if not self.names:  # move the limits that were given a little out, so that markers on them are whole
                transform = line.get_transform()
                ends = transform.transform(np.array(getattr(axes, f"get_{side}lim")()))
                room = styles.ROOM * (ends[1] - ends[0]) * np.array([-(self.low is not None), self.high is not None])
                set_limits(*transform.inverted().transform(ends + room))
        if self.scale == "log":
            from kernelbandits.reporting.log_ticks import LogTicks

            line.set_major_locator(LogTicks())
            line.set_minor_locator(NullLocator())
        if self.ticks:
            line.set_ticks(list(self.ticks), [f"{tick:g}" for tick in self.ticks])
            line.set_minor_locator(NullLocator())
        if self.names:
            line.set_ticks(range(len(self.names)), list(self.names))
            line.set_inverted(True)


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
    """Charts in rows of `columns`; `height` is in inches, and `share_y` gives all of them the same y axis.

    `legend` is the place of one legend of all charts that have none inside, such as "outside upper center".
    """

    charts: Sequence[Chart]
    columns: int
    height: float
    share_y: bool = False
    legend: str = ""
    legend_columns: int = 3

    def draw(self, figure: SubFigure) -> None:
        """Draw the charts and their legend."""
        rows = ceil(len(self.charts) / self.columns)
        grid = figure.subplots(rows, self.columns, squeeze=False, sharey=self.share_y)
        for axes in grid.flat[len(self.charts) :]:
            axes.set_axis_off()
        drawn = list(zip(self.charts, grid.flat, strict=False))
        for chart, axes in drawn:
            for mark in chart.marks:
                mark.draw(axes)
        for chart, axes in drawn:  # once all marks are drawn: limits that are set would hold for all shared axes
            axes.set_title(label(chart.title), fontsize=10)
            chart.x.draw(axes, "x")
            chart.y.draw(axes, "y")
            axes.set_axisbelow(True)
            axes.grid(visible=True, color=styles.FRAME, linewidth=0.6)
            axes.spines[["top", "right"]].set_visible(False)
            if chart.legend:
                beside = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
                axes.legend(**((beside if chart.legend == "right" else {"loc": chart.legend}) | styles.LEGEND))
        if self.legend:
            handles: dict[str, Any] = {}
            for chart, axes in drawn:
                for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
                    if not chart.legend:
                        handles.setdefault(name, handle)
            place: dict[str, Any] = {"loc": self.legend, "ncols": self.legend_columns}
            figure.legend(handles.values(), handles.keys(), **place, **styles.LEGEND)


def draw(picture: Picture, new_figure: Callable[..., Figure] | None = None) -> Figure:
    """The picture as a figure of matplotlib; unless `new_figure` makes one, no window and no notebook knows of it."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    heights = [charts.height for charts in picture.charts]
    # Before the context begins: with its first figure, pyplot changes settings that must stay.
    figure = (new_figure or Figure)(figsize=(picture.width, sum(heights)), layout="constrained")
    with mpl.rc_context({"text.parse_math": False}):  # dollars begin no formula
        bands = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)
        for charts, band in zip(picture.charts, bands.flat, strict=True):
            charts.draw(band)
    return figure


def plot(picture: Picture) -> Drawn:
    """Draw the picture with the current backend of pyplot, which shows it in a notebook; returns its axes."""
    from matplotlib import pyplot

    axes = draw(picture, pyplot.figure).axes
    return axes[0] if len(axes) == 1 else axes


def save(picture: Picture | Figure, stem: Path) -> list[Path]:
    """Write the picture as PNG and SVG; returns the files written."""
    from matplotlib.figure import Figure

    figure = picture if isinstance(picture, Figure) else draw(picture)
    paths = []
    for kind in _METADATA:
        paths.append(stem.with_name(f"{stem.name}.{kind}"))
        with replacing(paths[-1]) as part:
            write_figure(figure, part, kind)
    return paths


def write_figure(figure: Figure, target: Any, kind: str) -> None:
    """Write the figure to a path or stream as "png" or "svg", the same bytes for the same picture."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "kernelbandits"}), warnings.catch_warnings():
        # A name in a script that the font lacks is shown as boxes; nobody can do anything about a warning.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font", UserWarning)
        figure.savefig(target, format=kind, dpi=160, metadata=_METADATA[kind])
