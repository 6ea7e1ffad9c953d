"""How cost grows: fitted exponents of time and memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.measure import exponent, nothing, peak_bytes, seconds
from benchmarks.ucb import POLICY
from kernelbandits import ExploreThenCommit, Gaussian, LowRank, MinNormInterpolator, Synthetic, replay

HORIZONS = (500, 1000, 2000, 4000)


def _ucb_balanced(horizon: int, n_arms: int = 20, dim: int = 100) -> Callable[[], Any]:
    """A run in which all arms are played equally often, because all have the same norm."""
    instance = Synthetic(LowRank(), n_arms=n_arms, dim=dim, n_bumps=50).draw(np.random.default_rng(0))
    problem = replace(instance.problem(horizon), reward_norms=np.full(n_arms, 10.0))
    rounds = instance.rounds(horizon, np.random.default_rng(1))
    return lambda: replay(POLICY, problem, rounds, np.random.default_rng(2))


def _seconds(run: Callable[[], Any]) -> float:
    run()
    return float(np.median([seconds(run) for _ in range(3)]))


def _etc(n_explore: int) -> Callable[[], Any]:
    instance = Synthetic(LowRank(), n_arms=4, n_bumps=20).draw(np.random.default_rng(0))
    rounds, problem = instance.rounds(n_explore + 1, np.random.default_rng(1)), instance.problem()
    policy = ExploreThenCommit(MinNormInterpolator(Gaussian(4.0)), n_explore)
    return lambda: replay(policy, problem, rounds, np.random.default_rng(2))


def _facts() -> Mapping[str, float]:
    runs = [_ucb_balanced(horizon) for horizon in HORIZONS]
    times, memory = [_seconds(run) for run in runs], [float(peak_bytes(run)) for run in runs]
    arms, dims = (5, 10, 20, 40), (50, 100, 200, 400)
    fits = (1000, 2000, 4000)
    return {
        "exponent of time in T, CGP-UCB, 500–4000 rounds, balanced arms (goal ≤ 2.3)": exponent([*HORIZONS], times),
        "exponent of peak memory in T (data and factors; the rounds are given)": exponent([*HORIZONS], memory),
        "MiB at T = 4000": memory[-1] / 2**20,
        "exponent of time in K at T = 1000": exponent([*arms], [_seconds(_ucb_balanced(1000, n_arms=k)) for k in arms]),
        "exponent of time in d at T = 1000": exponent([*dims], [_seconds(_ucb_balanced(1000, dim=d)) for d in dims]),
        "exponent of EtC's time in T₀, 4 arms": exponent([*fits], [_seconds(_etc(n)) for n in fits]),
    }


def cases() -> Iterator[Case]:
    """Yield all exponents as one case."""
    yield Case("growth", "how cost grows with T, K, d and n", nothing, facts=_facts)
