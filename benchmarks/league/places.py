"""Where the league is played: worlds that are drawn, tables with one arm per class, and logs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import kernelbandits as kb
from benchmarks.league.drawn import Drawn
from benchmarks.league.logged import Logged, open_bandit
from benchmarks.league.near_repeats import NearRepeats
from benchmarks.league.worlds import (
    LinearRewards,
    RawUnits,
    RepeatedContexts,
    SparsePurchases,
    StarRatings,
    UselessContexts,
)
from kernelbandits.environments import Classification, Environment
from kernelbandits.experiments import load_experiment
from kernelbandits.paper import beyond, data_sets

WORLD_ROUNDS = 2000
TABLE_ROUNDS = 1500  # ISOLET has 1,560 rows, and each is shown once


def worlds() -> list[Drawn]:
    """The paper's panels, the same with one change each, and worlds with what real rewards are like."""
    panels = [*load_experiment("figure-1").panels, *beyond.misspecified(WORLD_ROUNDS)]
    smooth: dict[str, Environment] = {panel.name: panel.environment for panel in panels}
    smooth |= {
        "d = 1": kb.Synthetic(kb.LowRank(), dim=1),
        "d = 5": kb.Synthetic(kb.LowRank(), dim=5),
        "K = 5": kb.Synthetic(kb.LowRank(), n_arms=5),
        "linear, d = 1": LinearRewards(dim=1),
        "linear, d = 5": LinearRewards(dim=5),
        "linear, d = 20": LinearRewards(),
        "linear, d = 100": LinearRewards(dim=100),
        "linear, d = 500": LinearRewards(n_arms=3, dim=500),
        "sparse purchases": SparsePurchases(),
        "sparse purchases, d = 30": SparsePurchases(n_arms=3, dim=30),
        "star ratings": StarRatings(),
        "raw units": RawUnits(),
    }
    coins: dict[str, Environment] = {
        "useless contexts": UselessContexts(),
        "repeated contexts": RepeatedContexts(),
        "near repeats": NearRepeats(),
    }
    found = [Drawn(name, "worlds", environment, WORLD_ROUNDS) for name, environment in smooth.items()]
    return found + [Drawn(name, "worlds", environment, WORLD_ROUNDS, coins=True) for name, environment in coins.items()]


def tables(folder: Path | None, out: Path) -> list[Drawn]:
    """The digits, which are written to `out`, and the tables of the folder that are there.

    Contexts are standardised: every number has mean 0 and variance 1 (pixels and sounds share one unit), and all are
    multiplied such that ‖x‖²/d averages 1. MNIST and ISOLET are played on their first 100 principal components.
    """
    data_sets.write_digits(out)
    found = {data_sets.DIGITS.name: data_sets.DIGITS.environment(out)}
    if folder is not None:
        found |= {data.name: data.environment(folder) for data in data_sets.FROM_FOLDER}
        found |= {name: Classification(str(folder / f"{name}.csv.gz"), "class") for name in ("letter", "satellite")}
    return [
        Drawn(name, "tables", _standardised(table), TABLE_ROUNDS, coins=True)
        for name, table in found.items()
        if Path(table.path).is_file()
    ]


def logs(folder: Path | None) -> list[Logged]:
    """The random logs of Open Bandit that are in the folder."""
    if folder is None:
        return []
    files = {f"Open Bandit, {shop}": folder / f"obd_random_{shop}.csv.gz" for shop in ("men", "women")}
    return [Logged(name, open_bandit(path)) for name, path in files.items() if path.is_file()]


def _standardised(table: Classification) -> Classification:
    """The same with points whose mean squared norm is d."""
    return replace(table, encoding=replace(cast("kb.Encoding", table.encoding), level=1.0))
