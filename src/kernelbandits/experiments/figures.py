"""Pictures: pure functions of results."""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from kernelbandits.environments.metrics import mean_and_standard_error
from kernelbandits.experiments.grid import Panel
from kernelbandits.experiments.results import Results
from kernelbandits.reporting.figures import plain, style
from kernelbandits.reporting.styles import places


def regret_curves(results: Results) -> Figure:
    """Mean cumulative regret against the round, one panel an environment, bands of one standard error."""
    experiment = results.experiment
    columns = min(experiment.columns, len(experiment.panels))
    rows = ceil(len(experiment.panels) / columns)
    width = max(3.7 * columns + 0.3, 5.0)
    legend_columns = int(width / 2.25)  # inches for the longest of the paper's names
    legend_rows = ceil((len(experiment.methods) + 1) / legend_columns)
    figure = Figure(figsize=(width, 2.7 * rows + 0.4 + 0.25 * legend_rows), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    styles = {method: style(place) for method, place in places(experiment.methods).items()}
    for i, axes in enumerate(grid.flat):
        if i >= len(experiment.panels):
            axes.set_axis_off()
            continue
        _draw_panel(axes, results, experiment.panels[i], styles)
        if i % columns == 0:
            axes.set_ylabel("cumulative regret")
        if i + columns >= len(experiment.panels):
            axes.set_xlabel("round")
    handles = [Line2D([], [], label=method, **style) for method, style in styles.items()]
    if any(panel.mark for panel in experiment.panels):
        handles.append(Line2D([], [], color="0.45", linestyle=":", linewidth=1.0, label="end of exploration"))
    figure.legend(
        handles=handles,
        loc="outside upper center",
        ncols=legend_columns,
        frameon=False,
        handlelength=3.4,
        fontsize=9,
    )
    return figure


def _draw_panel(axes: Axes, results: Results, panel: Panel, styles: dict[str, dict[str, Any]]) -> None:
    horizon = results.experiment.horizon
    rounds = np.arange(1, horizon + 1)
    for i, method in enumerate(panel.methods):
        mean, error = mean_and_standard_error(results.curves(panel.name, method))
        # Markers stand at different rounds for different methods, so that curves on top of each other show both.
        first = int(horizon * (0.12 + 0.1 * i / len(panel.methods)))
        spots = (min(first, horizon - 1), max(1, horizon // 6))
        axes.plot(rounds, mean, markevery=spots, **styles[method])
        if np.isfinite(error).all():
            axes.fill_between(rounds, mean - error, mean + error, color=styles[method]["color"], alpha=0.15, lw=0)
    if panel.mark:
        axes.axvline(panel.mark, color="0.45", linestyle=":", linewidth=1.0)
    axes.set_title(panel.name, fontsize=10)
    axes.set_xlim(0, horizon)
    axes.set_ylim(bottom=0)
    plain(axes)
