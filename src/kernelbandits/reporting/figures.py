"""Figures: line styles, a plain frame, and files that are the same bytes for the same picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kernelbandits.reporting.files import replacing
from kernelbandits.reporting.styles import COLOURS, look


def style(i: int) -> dict[str, Any]:
    """The i-th of the line styles, told apart by colour, dash and marker."""
    chosen = look(i)
    return {
        "color": COLOURS[chosen.colour],
        "linestyle": (0, chosen.dashes) if chosen.dashes else "-",
        "marker": chosen.marker,
        "markersize": 4.5,
        "linewidth": 1.4,
    }


def plain(axes: Axes) -> None:
    """A pale grid behind the curves, and no frame at the top and the right."""
    axes.set_axisbelow(True)
    axes.grid(visible=True, color="0.92", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


def save(figure: Figure, stem: Path) -> list[Path]:
    """Write the picture as PNG and SVG, the same bytes for the same picture; the files written."""
    written = []
    for suffix, metadata in ((".png", {"Software": None}), (".svg", {"Date": None})):
        path = stem.with_name(stem.name + suffix)
        with mpl.rc_context({"svg.hashsalt": "kernelbandits"}), replacing(path) as part:
            figure.savefig(part, format=suffix[1:], dpi=160, metadata=metadata)
        written.append(path)
    return written
