"""Pictures drawn with matplotlib, and files that are the same bytes for the same picture."""

from __future__ import annotations

from io import StringIO
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from kernelbandits.reporting.charts import Axis, Chart, Charts
from kernelbandits.reporting.files import replacing

if TYPE_CHECKING:
    from kernelbandits.reporting.sections import Picture

_LEGEND: dict[str, Any] = {"frameon": False, "handlelength": 3.4, "fontsize": 9}
_METADATA: dict[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None}}


def draw(picture: Picture) -> Figure:
    """The picture as a figure of matplotlib."""
    heights = [charts.height for charts in picture.charts]
    figure = Figure(figsize=(picture.width, sum(heights)), layout="constrained")
    bands = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)
    for charts, band in zip(picture.charts, bands.flat, strict=True):
        _draw_charts(charts, band)
    return figure


def save(picture: Picture | Figure, stem: Path) -> list[Path]:
    """Write the picture as PNG and SVG, the same bytes for the same picture; the files written."""
    figure = picture if isinstance(picture, Figure) else draw(picture)
    written = []
    for kind in _METADATA:
        path = stem.with_name(f"{stem.name}.{kind}")
        with replacing(path) as part:
            _write(figure, part, kind)
        written.append(path)
    return written


def svg(picture: Picture) -> str:
    """The picture as SVG text."""
    text = StringIO()
    _write(draw(picture), text, "svg")
    return text.getvalue()


def _write(figure: Figure, target: Any, kind: str) -> None:
    with mpl.rc_context({"svg.hashsalt": "kernelbandits"}):
        figure.savefig(target, format=kind, dpi=160, metadata=_METADATA[kind])


def _draw_charts(charts: Charts, figure: SubFigure) -> None:
    rows = ceil(len(charts.charts) / charts.columns)
    grid = figure.subplots(rows, charts.columns, squeeze=False, sharey=charts.share_y)
    for axes in grid.flat[len(charts.charts) :]:
        axes.set_axis_off()
    drawn = list(zip(charts.charts, grid.flat, strict=False))
    for chart, axes in drawn:
        for mark in chart.marks:
            mark.draw(axes)
    for chart, axes in drawn:  # once all marks are drawn: limits that are set would hold for all shared axes
        _finish(chart, axes)
    if charts.legend:
        handles: dict[str, Any] = {}
        for chart, axes in drawn:
            for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
                if not chart.legend:
                    handles.setdefault(name, handle)
        options = {"loc": charts.legend, "ncols": charts.legend_columns, **_LEGEND}
        figure.legend(handles.values(), handles.keys(), **options)


def _finish(chart: Chart, axes: Axes) -> None:
    axes.set_title(chart.title, fontsize=10)
    _set_axis(axes, "x", chart.x)
    _set_axis(axes, "y", chart.y)
    axes.set_axisbelow(True)
    axes.grid(visible=True, color="0.92", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    if chart.legend:
        beside = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}
        axes.legend(**((beside if chart.legend == "right" else {"loc": chart.legend}) | _LEGEND))


def _set_axis(axes: Axes, side: str, axis: Axis) -> None:
    axes.set(**{f"{side}label": axis.label})
    line = getattr(axes, f"{side}axis")
    if axis.scale != "linear":
        getattr(axes, f"set_{side}scale")(axis.scale, **({"linthresh": 1.0} if axis.scale == "symlog" else {}))
    if axis.low is not None or axis.high is not None:
        getattr(axes, f"set_{side}lim")(axis.low, axis.high)
    if axis.scale == "log":
        low, high = getattr(axes, f"get_{side}lim")()
        line.set_major_locator(LogLocator(subs=(1.0,) if high / low > 300.0 else (1.0, 2.0, 5.0)))
        line.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}" if value < 1 else f"{value:,.0f}"))
        line.set_minor_locator(NullLocator())
    if axis.ticks:
        line.set_ticks(list(axis.ticks), [f"{tick:g}" for tick in axis.ticks])
        line.set_minor_locator(NullLocator())
    if axis.names:
        line.set_ticks(range(len(axis.names)), axis.names)
        line.set_inverted(True)
