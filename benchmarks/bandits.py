"""Decisions from rows of a table, and scores of a whole table, beside what the agent itself costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from benchmarks.cases import Case, Goal
from benchmarks.measure import seconds
from kernelbandits import Bandit, LinearUCB, Policy, default_policy

OFFERS = ("none", "5pct", "10pct", "free delivery")
N_LOGGED, N_SHOWN, N_SCORED = 3000, 500, 8192
LIMIT = 150e-6  # seconds above the agent's own decision


def _table(n: int, seed: int) -> pl.DataFrame:
    """30 numbers in raw units, some missing, and 6 categories."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for j in range(30):
        numbers = pl.Series(np.exp(rng.standard_normal(n) + j % 10))
        columns[f"number {j}"] = numbers.set(pl.Series(rng.random(n) < 0.05), None) if j % 4 == 0 else numbers
    for j in range(6):
        columns[f"category {j}"] = rng.choice(list("abcdefg"), n)
    return pl.DataFrame(columns)


@cache
def _bandit(policy: Policy) -> Bandit:
    rng = np.random.default_rng(1)
    spent = np.where(rng.random(N_LOGGED) < 0.16, rng.lognormal(3.0, 0.5, N_LOGGED), 0.0)
    log = _table(N_LOGGED, 0).with_columns(offer=pl.Series(rng.choice(OFFERS, N_LOGGED)), spent=pl.Series(spent))
    return Bandit(OFFERS, policy=policy).fit(log, arm="offer", reward="spent")


def _decisions() -> Mapping[str, Callable[[], Any]]:
    bandit = _bandit(LinearUCB())
    agent, encoder = bandit._ready()
    rows = list(_table(N_SHOWN, 2).iter_rows(named=True))
    points = [encoder.transform(row) for row in rows]
    return {
        "ours": lambda: [bandit.choose(row) and None for row in rows],
        "the agent alone": lambda: [agent.choose(point) and None for point in points],
    }


def _above_the_agent() -> Mapping[str, float]:
    made = _decisions()
    ours, agent = (min(seconds(made[name]) for _ in range(5)) for name in ("ours", "the agent alone"))
    return {f"microseconds above the agent (goal ≤ {LIMIT * 1e6:.0f})": (ours - agent) / N_SHOWN * 1e6}


def _scores() -> Mapping[str, Callable[[], Any]]:
    bandit = _bandit(default_policy())
    agent, encoder = bandit._ready()
    table = _table(N_SCORED, 3)
    points = encoder.transform(table)
    model = agent._learner._tracker._model  # type: ignore[attr-defined]

    def bare_products() -> None:
        """Features of all rows and their products with every arm's matrix; no encoding, probabilities or frame."""
        for start in range(0, N_SCORED, 1024):
            psi = model._features.of(points[start : start + 1024])
            for precision in model._P:
                np.vecdot(psi @ precision, psi)

    return {"ours": lambda: bandit.score(table), "bare products": bare_products}


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield Case("bandit-choose", "decisions for rows of 36 columns", _decisions, facts=_above_the_agent)
    yield Case(
        "bandit-score",
        f"scores of {N_SCORED:,} rows by the default policy",
        _scores,
        goals=(Goal("bare products", 0.5),),
    )
