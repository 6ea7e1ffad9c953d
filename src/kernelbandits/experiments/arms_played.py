"""How often each method played each arm, where arms have names."""

from __future__ import annotations

import polars as pl

from kernelbandits.experiments.grid import Experiment
from kernelbandits.reporting import Column, Entry, Table


def arms_played(experiment: Experiment, rounds: pl.DataFrame) -> pl.DataFrame:
    """One row per panel, method and arm: the arm's number and name, and the share of all rounds in which it was played.

    Panels whose arms only have numbers are left out. `rounds` is the frame of `Results`.
    """
    columns = {"panel": pl.String, "method": pl.String, "arm": pl.Int64, "name": pl.String, "share": pl.Float64}
    rows = []
    for panel in experiment.panels:
        names = panel.environment.arm_names()
        for method in panel.methods if names else ():
            played = rounds.filter((pl.col("panel") == panel.name) & (pl.col("method") == method))["arm"]
            shares = ((played == arm).sum() / len(played) for arm in range(len(names)))
            rows += [(panel.name, method, arm, *each) for arm, each in enumerate(zip(names, shares, strict=True))]
    return pl.DataFrame(rows, schema=columns, orient="row")


def arms_sections(experiment: Experiment, rounds: pl.DataFrame) -> list[Table]:
    """One table per panel with named arms: one row per arm, one column per method."""
    tables = []
    for (panel,), rows in arms_played(experiment, rounds).group_by("panel", maintain_order=True):
        by_arm = rows.pivot("method", index=["arm", "name"], values="share")
        entries = ((Entry(name), *(Entry(f"{share:.1%}") for share in shares)) for _, name, *shares in by_arm.rows())
        columns = (Column("arm", numeric=False), *(Column(method) for method in by_arm.columns[2:]))
        caption = "The share of all rounds of all seeds in which each method played it."
        tables.append(Table(f"Arms played: {panel}", columns, tuple(entries), caption))
    return tables
