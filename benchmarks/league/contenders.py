"""Who plays in the league, and where."""

from __future__ import annotations

from pathlib import Path

import kernelbandits as kb
from benchmarks.league.worlds import (
    LinearRewards,
    RawUnits,
    RepeatedContexts,
    SparsePurchases,
    StarRatings,
    UselessContexts,
)
from kernelbandits.environments import Classification, Environment, StudentNoise
from kernelbandits.experiments import load_experiment
from kernelbandits.paper import data_sets


def worlds() -> dict[str, Environment]:
    """The worlds by name: the paper's panels, and those with what real rewards are like."""
    panels: dict[str, Environment] = {panel.name: panel.environment for panel in load_experiment("figure-1").panels}
    return panels | {
        "linear": LinearRewards(),
        "linear, d = 1": LinearRewards(dim=1),
        "linear, d = 500": LinearRewards(n_arms=3, dim=500),
        "sparse purchases": SparsePurchases(),
        "useless contexts": UselessContexts(),
        "star ratings": StarRatings(),
        "repeated contexts": RepeatedContexts(),
        "raw units": RawUnits(),
        "heavy tails": kb.Synthetic(kb.LowRank(), noise=StudentNoise(2.5), noise_std=0.1),
        "noise × 100": kb.Synthetic(kb.LowRank(), noise_std=1.0),
        "K = 2": kb.Synthetic(kb.LowRank(), n_arms=2),
        "K = 100": kb.Synthetic(kb.LowRank(), n_arms=100),
        "d = 20": kb.Synthetic(kb.LowRank(), dim=20),
        "d = 500": kb.Synthetic(kb.LowRank(), dim=500),
    }


def tables(folder: Path) -> dict[str, Environment]:
    """The tables by name, with one arm per class; those whose files are in the folder."""
    found: dict[str, Environment] = {data.name: data.environment(folder) for data in data_sets.FROM_FOLDER}
    found |= {name: Classification(str(folder / f"{name}.csv.gz"), "class") for name in ("letter", "satellite")}
    return {name: table for name, table in found.items() if Path(table.path).is_file()}  # type: ignore[attr-defined]


def contenders(n_arms: int, dim: int, horizon: int) -> dict[str, kb.Policy]:
    """The policies by name. EtC explores for max(d, 5K) rounds, but at most for half of all; d where 5K = d."""
    n_explore = min(max(dim, 5 * n_arms), horizon // 2)
    return {
        "default": kb.default_policy(),
        "ThompsonSampling": kb.ThompsonSampling(),
        "LinearUCB": kb.LinearUCB(alpha=1.0, ridge=float(dim)),
        "LinearTS": kb.LinearThompsonSampling(ridge=float(dim)),
        "LinearTS, 0.3": kb.LinearThompsonSampling(scale=0.3, ridge=float(dim)),
        "EtC": kb.paper.methods(dim, n_explore)["EtC"],
        "Uniform": kb.Uniform(),
    }
