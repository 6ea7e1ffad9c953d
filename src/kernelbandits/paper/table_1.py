"""The paper's Table 1: the eight methods on ads of Avazu, or on the synthetic stand-in, beside the paper's figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kernelbandits import paper
from kernelbandits.environments import Avazu, AvazuDesign, AvazuStandIn, OwnContexts, SharedContexts
from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments import Experiment, Panel, Results, RunOptions, counted, report_experiment
from kernelbandits.reporting import Column, Entry, Table

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


def report(options: RunOptions, data: Path | None = None, **own: Any) -> None:
    """Play the study on the rows of `data`, or on the stand-in when None; `own` are the options of `design`."""
    chosen = design(**own)
    environment = AvazuStandIn(design=chosen) if data is None else Avazu(str(data), chosen)
    study = options.part_of(experiment(environment, horizon=options.horizon))
    report_experiment(study, options, sections=lambda results: [comparison(results)])


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


def comparison(results: Results) -> Table:
    """Our regret and its ratio to CGP-UCB beside the paper's: one row per method, the best in bold."""
    [panel] = results.experiment.panels
    summary = {row["method"]: row for row in results.summary().iter_rows(named=True)}
    unit = summary[YARDSTICK]["mean_regret"] if YARDSTICK in summary else None
    best = min(row["mean_regret"] for row in summary.values())
    names = ("method", panel.name, f"ratio to {YARDSTICK}", "paper: Avazu, 3,000 rounds, 5 seeds", "paper's ratio")
    horizon, seeds = results.experiment.horizon, len(results.experiment.seeds)
    return Table(
        "Beside the paper",
        tuple(Column(name, numeric=i > 0) for i, name in enumerate(names)),
        tuple(
            (
                Entry(method),
                Entry(_number(row["mean_regret"], row["standard_error"]), best=row["mean_regret"] == best),
                Entry("–" if unit is None else f"{row['mean_regret'] / unit:.3f}"),
                Entry(_number(*PAPER[method])),
                Entry(f"{PAPER[method][0] / PAPER[YARDSTICK][0]:.3f}"),
            )
            for method, row in summary.items()
        ),
        f"Regret after {horizon:,} rounds, mean of {counted(seeds, 'seed')}{' ± standard error' * (seeds > 1)}",
    )


def _number(mean: float, error: float | None) -> str:
    return f"{mean:.1f}" if error is None else f"{mean:.1f} ± {error:.1f}"
