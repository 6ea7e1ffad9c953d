"""Marks that explain a chart: grey bands and short remarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from kernelbandits.reporting import styles
from kernelbandits.reporting.charts import Side, label

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@final
@dataclass(frozen=True, slots=True)
class Shade:
    """A grey band across the chart between two values of the axis `side`."""

    low: float
    high: float
    side: Side
    label: str = ""

    def draw(self, axes: Axes) -> None:
        across: Any = axes.axvspan if self.side == "x" else axes.axhspan
        across(self.low, self.high, color=styles.SHADE, lw=0, zorder=0, label=label(self.label))


@final
@dataclass(frozen=True, slots=True)
class Remark:
    """A short text at a height y; `x` is a fraction of the width, where it begins if that is below ½, else ends."""

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
