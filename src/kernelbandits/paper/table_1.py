"""The paper's Table 1: the eight methods on ads of Avazu, or on the synthetic stand-in, beside the paper's figures."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

import polars as pl

from kernelbandits import paper
from kernelbandits.environments import Avazu, AvazuDesign, AvazuStandIn, OwnContexts, SharedContexts
from kernelbandits.errors import InvalidArgument, counted
from kernelbandits.experiments import Experiment, Panel, Results, RunOptions, report_experiment
from kernelbandits.kernels import Gaussian
from kernelbandits.regression import KernelRidge
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

GROUPS = {
    "kernel EtC": ("EtC", "EtC-Ridge"),
    "linear EtC": ("EtC-Linear", "EtC-Linear-Ridge"),
    "CGP-UCB": ("CGP-UCB", "CGP-UCB-Ridgeless", "CGP-UCB-Scaled", "CGP-UCB-Scaled-Ridgeless"),
}
"""The paper's order: every method of a group has less regret than every method of the next."""

READINGS: Mapping[str, AvazuDesign] = {
    # One user and site for all ads, oracles as scikit-learn fits them: the figures nearest to the paper's.
    "closest": AvazuDesign(),
    # A context X⁽ⁱ⁾(t) for every arm, and the kernel of the synthetic study for the oracles too.
    "literal": AvazuDesign(contexts=OwnContexts(), oracle=KernelRidge(Gaussian(gamma=4.0), ridge=0.1)),
}
"""What the paper leaves open, settled in two ways."""

_CONTEXTS = {"per-arm": OwnContexts(), "shared": SharedContexts()}


def report(options: RunOptions, data: Path | None = None, **own: Any) -> None:
    """Play the study on the rows of `data`, or on the stand-in when None; `own` are the options of `design`."""
    chosen = design(**own)
    environment = AvazuStandIn(design=chosen) if data is None else Avazu(str(data), chosen)
    study = options.part_of(experiment(environment, horizon=options.horizon))
    report_experiment(study, options, lambda results: [comparison(results)], findings, frames)


def design(
    reading: str = "closest",
    arms: str = "id",
    contexts: str | None = None,
    dim: int = 100,
    level: float = 0.5,
    drop: tuple[str, ...] = (),
) -> AvazuDesign:
    """How impressions become a bandit, from the options of the command; `contexts` None means those of the reading."""
    chosen = READINGS[reading]
    shown = chosen.contexts if contexts is None else _CONTEXTS[contexts]
    return replace(chosen, arm_column=arms, contexts=shown, dim=dim, level=level, drop=drop)


def experiment(environment: Avazu | AvazuStandIn, seeds: int | None = None, horizon: int | None = None) -> Experiment:
    """All eight methods; half of the rounds are exploration, as in the paper (T = 3000, T₀ = 1500)."""
    rounds = HORIZON if horizon is None else horizon
    if rounds < 2:
        raise InvalidArgument(f"table-1: the horizon must be at least 2, as half of it is exploration; got {rounds}")
    n_explore = rounds // 2
    rows = "synthetic stand-in (no Avazu data)" if environment.impressions().synthetic else "Avazu"
    methods = paper.methods(environment.design.dim, n_explore)
    panel = Panel(f"{rows}, arms by {environment.design.arm_column}", environment, methods, mark=n_explore)
    title = f"The paper's study of ads on: {rows}"
    return Experiment("table-1", (panel,), rounds, tuple(range(seeds or SEEDS)), title, columns=1)


def beside_the_paper(results: Results) -> pl.DataFrame:
    """The summary with `paper_regret`, `paper_standard_error` and `relative_error` = ours / paper's − 1.

    Regret grows with the rounds, so the error is null unless as many were played as in the paper.
    """
    printed = pl.DataFrame(
        [(method, *both) for method, both in PAPER.items()],
        schema=["method", "paper_regret", "paper_standard_error"],
        orient="row",
    )
    error = pl.col("mean_regret") / pl.col("paper_regret") - 1.0
    comparable = results.experiment.horizon == HORIZON
    return (
        results.summary()
        .join(printed, on="method", how="left", maintain_order="left")
        .with_columns(relative_error=error if comparable else pl.lit(None, pl.Float64))
    )


def frames(results: Results) -> dict[str, pl.DataFrame]:
    """The files of results, with the paper's figures in the summary."""
    return {**results.frames(), "summary.csv": beside_the_paper(results)}


def comparison(results: Results) -> Table:
    """Our regret and the paper's with the relative error, and ratios to CGP-UCB: one row per method, best in bold."""
    [panel] = results.experiment.panels
    rows = beside_the_paper(results).to_dicts()
    unit = {row["method"]: row["mean_regret"] for row in rows}.get(YARDSTICK)
    best = min(row["mean_regret"] for row in rows)
    figures = ("method", panel.name, "paper: Avazu, 3,000 rounds, 5 seeds", "relative error")
    names = (*figures, f"ratio to {YARDSTICK}", "paper's ratio")
    horizon, seeds = results.experiment.horizon, len(results.experiment.seeds)
    return Table(
        "Beside the paper",
        tuple(Column(name, numeric=i > 0) for i, name in enumerate(names)),
        tuple(
            (
                Entry(row["method"]),
                Entry(_number(row["mean_regret"], row["standard_error"]), best=row["mean_regret"] == best),
                Entry(_number(row["paper_regret"], row["paper_standard_error"])),
                Entry("–" if row["relative_error"] is None else _percent(row["relative_error"])),
                Entry("–" if unit is None else f"{row['mean_regret'] / unit:.3f}"),
                Entry(f"{row['paper_regret'] / PAPER[YARDSTICK][0]:.3f}"),
            )
            for row in rows
        ),
        f"Regret after {horizon:,} rounds, mean of {counted(seeds, 'seed')}{' ± standard error' * (seeds > 1)}",
    )


def findings(results: Results) -> list[str]:
    """How close figures, ranks and order of groups are to the paper's, one finding per line."""
    rows = beside_the_paper(results)
    lines = [_nearness(dict(rows.drop_nulls("relative_error").select("method", "relative_error").iter_rows()))]
    if len(rows) > 1:
        correlation = rows.select(pl.corr("mean_regret", "paper_regret", method="spearman")).item()
        lines.append(f"rank correlation with the paper (Spearman): {correlation:.2f} over {len(rows)} methods")
    regrets = dict(rows.select("method", "mean_regret").iter_rows())
    groups = {name: [regrets[method] for method in group if method in regrets] for name, group in GROUPS.items()}
    played = {name: group for name, group in groups.items() if group}
    if len(played) > 1:
        kept = all(max(less) < min(more) for less, more in pairwise(played.values()))
        lines.append(f"the paper's order of groups, {' < '.join(played)}: {'kept' if kept else 'not kept'}")
    return lines


def _nearness(errors: Mapping[str, float]) -> str:
    """Say how large the relative errors of these methods are."""
    if not errors:
        return f"no relative errors: the paper's figures are after {HORIZON:,} rounds"
    near = sum(abs(error) <= 0.1 for error in errors.values())
    size = sqrt(sum(error**2 for error in errors.values()) / len(errors))
    farthest = max(errors, key=lambda method: abs(errors[method]))
    return (
        f"within 10 % of the paper: {near} of {counted(len(errors), 'method')}; root mean square error "
        f"{100 * size:.1f} %, largest {_percent(errors[farthest])} ({farthest})"
    )


def _number(mean: float, error: float | None) -> str:
    return f"{mean:.1f}" if error is None else f"{mean:.1f} ± {error:.1f}"


def _percent(error: float) -> str:
    return f"{100 * error:+.1f} %"
