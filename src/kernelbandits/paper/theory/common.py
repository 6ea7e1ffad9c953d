"""What the parts share: the paper's designs, means over seeds, curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from kernelbandits.environments import ApproximateLowRank, Covariance, LowRank, SpectralDecay
from kernelbandits.reporting.figures import plain, style

DESIGNS: Mapping[str, Covariance] = {
    "low-rank": LowRank(),
    "approximate low-rank": ApproximateLowRank(),
    "spectral decay": SpectralDecay(),
}


def over_seeds(frame: pl.DataFrame, keys: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    """Mean of each value and its standard error `…_se` per group of keys, groups in the order of appearance."""
    count = pl.len().sqrt()
    columns = [
        column
        for value in values
        for column in (pl.col(value).mean(), (pl.col(value).std(ddof=1) / count).alias(f"{value}_se"))
    ]
    return frame.group_by(keys, maintain_order=True).agg(columns)


def curve(axes: Axes, rows: pl.DataFrame, x: str, y: str, place: int, label: str, **more: Any) -> None:
    """One line of a panel in the style of that place, with a band of one standard error where it is known."""
    look = style(place) | {"label": label} | more
    at, mean = rows[x].to_numpy(), rows[y].to_numpy()
    axes.plot(at, mean, **look)
    if f"{y}_se" in rows.columns and rows[f"{y}_se"].null_count() == 0:
        error = rows[f"{y}_se"].to_numpy()
        low = np.maximum(mean - error, 1e-3 * mean)  # a logarithmic axis has no place for 0
        axes.fill_between(at, low, mean + error, color=look["color"], alpha=0.15, lw=0)


def counted(n: int, thing: str) -> str:
    """1 seed, 2 seeds."""
    return f"{n} {thing}{'s' * (n != 1)}"


def finish(axes: Axes, title: str, x: str, y: str = "", *, ticks: Sequence[float] = (), log: str = "") -> None:
    """Title, labels, grid; `log` names the logarithmic axes, whose ticks are plain numbers."""
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if "x" in log:
        axes.set_xscale("log")
    if ticks:
        axes.set_xticks(list(ticks), [f"{tick:g}" for tick in ticks])
        axes.xaxis.set_minor_locator(NullLocator())
    if "y" in log:
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        wide = high / low > 300.0
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0,) if wide else (1.0, 2.0, 5.0)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}" if value < 1 else f"{value:,.0f}"))
        axes.yaxis.set_minor_locator(NullLocator())
    plain(axes)
