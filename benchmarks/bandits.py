"""Decisions from rows of a table, beside what the agent itself costs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.cases import Case
from benchmarks.measure import in_new_process, resident_peak, seconds
from kernelbandits import Bandit, LinearUCB, Policy, default_policy, load

OFFERS = ("none", "5pct", "10pct", "free delivery")
N_LOGGED, N_SHOWN, N_REWARDS = 3000, 500, 100_000
LIMIT = 150e-6  # seconds above the agent's own decision


def table_of(n: int, seed: int) -> pl.DataFrame:
    """Return 30 numbers in raw units, some missing, and 6 categories."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for j in range(30):
        numbers = pl.Series(np.exp(rng.standard_normal(n) + j % 10))
        columns[f"number {j}"] = numbers.set(pl.Series(rng.random(n) < 0.05), None) if j % 4 == 0 else numbers
    for j in range(6):
        columns[f"category {j}"] = rng.choice(list("abcdefg"), n)
    return pl.DataFrame(columns)


@cache
def fitted_bandit(policy: Policy) -> Bandit:
    """Return a bandit with this policy that has learned a log of 3,000 purchases."""
    rng = np.random.default_rng(1)
    spent = np.where(rng.random(N_LOGGED) < 0.16, rng.lognormal(3.0, 0.5, N_LOGGED), 0.0)
    log = table_of(N_LOGGED, 0).with_columns(offer=pl.Series(rng.choice(OFFERS, N_LOGGED)), spent=pl.Series(spent))
    return Bandit(OFFERS, policy=policy).fit(log, arm="offer", reward="spent")


def _decisions() -> Mapping[str, Callable[[], Any]]:
    bandit = fitted_bandit(LinearUCB())
    agent, encoder = bandit._ready()
    rows = list(table_of(N_SHOWN, 2).iter_rows(named=True))
    points = [encoder.transform(row) for row in rows]
    return {
        "ours": lambda: [bandit.choose(row) and None for row in rows],
        "the agent alone": lambda: [agent.choose(point) and None for point in points],
    }


def _above_the_agent() -> Mapping[str, float]:
    made = _decisions()
    ours, agent = (min(seconds(made[name]) for _ in range(5)) for name in ("ours", "the agent alone"))
    return {f"microseconds above the agent (goal ≤ {LIMIT * 1e6:.0f})": (ours - agent) / N_SHOWN * 1e6}


def _saved() -> Mapping[str, float]:
    """Seconds to save and load the default bandit after many rewards; then the growth of memory in a new process."""
    agent, encoder = fitted_bandit(default_policy())._ready()
    rng = np.random.default_rng(4)
    points = encoder.transform(table_of(N_REWARDS, 4))
    arms = rng.integers(len(OFFERS), size=N_REWARDS)
    agent.observe_batch(points, arms, points[:, 0] * arms + rng.standard_normal(N_REWARDS))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.kb"
        saving = min(seconds(lambda: fitted_bandit(default_policy()).save(path)) for _ in range(3))
        size, loading = path.stat().st_size / 1e6, min(seconds(lambda: load(path)) for _ in range(3))
        grown = in_new_process(_grown, path)
    return {
        "seconds to save after 100,000 rewards (goal ≤ 1)": saving,
        "seconds to load (goal ≤ 1)": loading,
        "file in MB": size,
        "memory that loading and saving take, in MB (goal ≤ 300)": grown,
    }


def _grown(path: Path) -> float:
    before = resident_peak()
    load(path).save(path)
    return (resident_peak() - before) / 1e6


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield Case("bandit-choose", "decisions for rows of 36 columns", _decisions, facts=_above_the_agent)
    yield Case("bandit-save", "the default bandit after 100,000 rewards", facts=_saved)
