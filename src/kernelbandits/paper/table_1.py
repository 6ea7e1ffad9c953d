"""The paper's Table 1: the eight methods on ads of Avazu, or on the synthetic stand-in, with the paper's figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from kernelbandits import paper
from kernelbandits.environments import Avazu, AvazuDesign, AvazuStandIn, OwnContexts, SharedContexts
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import Experiment, Panel, Results, reporting
from kernelbandits.experiments.order import Order
from kernelbandits.experiments.report import Cell, Column, Table as ReportTable

HORIZON = 3000
SEEDS = 5
YARDSTICK = "CGP-UCB"

PAPER = {
    # Final regret after 3,000 rounds with its standard error over 5 seeds, as printed.
    "EtC": (524.8, 3.4),
    "EtC-Ridge": (520.8, 1.7),
    "EtC-Linear": (562.1, 1.2),
    "EtC-Linear-Ridge": (554.3, 2.9),
    "CGP-UCB": (665.1, 0.3),
    "CGP-UCB-Ridgeless": (665.0, 1.0),
    "CGP-UCB-Scaled": (669.6, 2.4),
    "CGP-UCB-Scaled-Ridgeless": (650.6, 0.8),
}

_CONTEXTS = {"per-arm": OwnContexts(), "shared": SharedContexts()}


def design(
    arms: str = "id", contexts: str = "per-arm", dim: int = 100, level: float = 0.5, drop: tuple[str, ...] = ()
) -> AvazuDesign:
    """How impressions become a bandit, from the options of the command."""
    return AvazuDesign(arms, _CONTEXTS[contexts], dim, level, drop)


def experiment(environment: Avazu | AvazuStandIn, seeds: int | None = None, horizon: int | None = None) -> Experiment:
    """All eight methods; half of the rounds are exploration, as in the paper (T = 3000, T₀ = 1500)."""
    rounds = HORIZON if horizon is None else horizon
    if rounds < 2:
        raise InvalidArgument(f"table-1: the horizon must be at least 2, half of it to explore; got {rounds}")
    n_explore = rounds // 2
    rows = "synthetic stand-in (no Avazu data)" if environment.impressions().synthetic else "Avazu"
    methods = paper.methods(environment.design.dim, n_explore)
    panel = Panel(f"{rows}, arms by {environment.design.arm_column}", environment, methods, mark=n_explore)
    title = f"The paper's study of ads on: {rows}"
    return Experiment("table-1", (panel,), rounds, tuple(range(seeds or SEEDS)), title, columns=1)


def comparison(results: Results) -> list[tuple[str, str, str, str, str]]:
    """A row a method: its name, our regret and ratio to CGP-UCB, the paper's regret and ratio."""
    summary = {row["method"]: row for row in results.summary().iter_rows(named=True)}
    level = summary[YARDSTICK]["mean_regret"] if YARDSTICK in summary else None
    return [
        (
            method,
            _number(row["mean_regret"], row["standard_error"]),
            "–" if level is None else f"{row['mean_regret'] / level:.3f}",
            _number(*PAPER[method]),
            f"{PAPER[method][0] / PAPER[YARDSTICK][0]:.3f}",
        )
        for method, row in summary.items()
    ]


def headings(results: Results) -> tuple[str, ...]:
    """Over the columns of `comparison`."""
    [panel] = results.experiment.panels
    return ("method", panel.name, f"ratio to {YARDSTICK}", "paper: Avazu, 3,000 rounds, 5 seeds", "paper's ratio")


def _caption(results: Results) -> str:
    horizon, n_seeds = results.experiment.horizon, len(results.experiment.seeds)
    error = " ± standard error" if n_seeds > 1 else ""
    return f"regret after {horizon:,} rounds, mean of {n_seeds} seed{'s' * (n_seeds > 1)}{error}"


def _best(results: Results) -> str:
    method: str = results.summary().sort("mean_regret")["method"][0]
    return method


def table(results: Results) -> Table:
    """Final regret beside the paper's, for a terminal; the best in bold."""
    shown = Table(title=Text(f"table-1: {_caption(results)}"), title_justify="left")
    first, *others = headings(results)
    shown.add_column(first, no_wrap=True)
    for heading in others:
        shown.add_column(Text(heading), justify="right")
    best = _best(results)
    for method, ours, *rest in comparison(results):
        shown.add_row(method, Text(ours, "bold" if method == best else ""), *rest)
    return shown


def section(results: Results) -> ReportTable:
    """The same for the report."""
    columns = tuple(Column(name, numeric=place > 0) for place, name in enumerate(headings(results)))
    best = _best(results)
    rows = tuple(
        tuple(Cell(text, best=method == best and place == 1) for place, text in enumerate((method, *texts)))
        for method, *texts in comparison(results)
    )
    return ReportTable("Beside the paper", columns, rows, _caption(results).capitalize())


def _number(mean: float, error: float | None) -> str:
    return f"{mean:.1f}" if error is None else f"{mean:.1f} ± {error:.1f}"


def carry_out(order: Order, data: Path | None = None, **options: Any) -> None:
    """Play the study on the rows of `data`, or on the stand-in when None; `options` are those of `design`."""
    chosen = design(**options)
    environment = AvazuStandIn(design=chosen) if data is None else Avazu(str(data), chosen)
    part = order.part_of(experiment(environment, horizon=order.horizon))
    reporting.carry_out(part, order, table, sections=lambda results: [section(results)])
