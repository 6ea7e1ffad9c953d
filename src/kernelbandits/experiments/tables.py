"""Tables for people: pure functions of results."""

from __future__ import annotations

import polars as pl
from rich.table import Table

from kernelbandits.experiments.results import Results


def regret_table(results: Results) -> Table:
    """Final regret, mean ± standard error: a row a method, a column a panel, the best of each panel in bold."""
    experiment = results.experiment
    summary = results.summary()
    best = dict(summary.group_by("panel").agg(pl.col("mean_regret").min()).iter_rows())
    cells = {(row["panel"], row["method"]): row for row in summary.iter_rows(named=True)}
    seeds = len(experiment.seeds)
    table = Table(
        title=f"{experiment.name}: regret after {experiment.horizon:,} rounds, mean of {seeds} seed{'s' * (seeds > 1)}"
        + (" ± standard error" if seeds > 1 else ""),
        title_justify="left",
    )
    table.add_column("method", no_wrap=True)
    for panel in experiment.panels:
        table.add_column(panel.name, justify="right")
    for method in experiment.methods:
        row = []
        for panel in experiment.panels:
            cell = cells.get((panel.name, method))
            text = "–" if cell is None else _number(cell["mean_regret"], cell["standard_error"])
            is_best = cell is not None and cell["mean_regret"] == best[panel.name]
            row.append(f"[bold]{text}[/bold]" if is_best else text)
        table.add_row(method, *row)
    return table


def _number(mean: float, error: float | None) -> str:
    return f"{mean:.1f}" if error is None else f"{mean:.1f} ± {error:.1f}"
