"""Very many rounds on a budget of centres: regret against the exact posterior, time and memory against T and K."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.cases import Case
from benchmarks.measure import exponent, in_new_process, resident_peak
from kernelbandits import (
    Belief,
    BudgetedArms,
    CalibratedUCB,
    Gaussian,
    GaussianProcess,
    IndependentArms,
    LowRank,
    Policy,
    Synthetic,
    ThompsonSampling,
    play,
)

DIM, N_ARMS, SEEDS, COMPARED = 20, 10, range(5), 3000
MODEL = GaussianProcess(Gaussian(4.0) + 1.0, ridge=0.01)


def regret(policy: Policy, horizon: int, seed: int, n_arms: int = N_ARMS) -> float:
    """Return the regret of one run on the paper's low-rank design."""
    instance = Synthetic(LowRank(), n_arms=n_arms, dim=DIM).draw(np.random.default_rng(seed))
    return float(play(policy, instance, horizon, seed).regrets.sum())


def _contenders() -> Mapping[str, Callable[[], Any]]:
    def run(belief: Belief) -> float:
        return regret(CalibratedUCB(belief), COMPARED, seed=0)

    return {"ours": partial(run, BudgetedArms(MODEL)), "exact posteriors": partial(run, IndependentArms(MODEL))}


def _regret_ratio(policy: type[CalibratedUCB | ThompsonSampling]) -> float:
    budgeted, exact = (
        [regret(policy(belief), COMPARED, seed) for seed in SEEDS]
        for belief in (BudgetedArms(MODEL), IndependentArms(MODEL))
    )
    return sum(budgeted) / sum(exact)


def _costs(horizon: int, n_arms: int) -> tuple[float, float, float]:
    """Return the seconds, the megabytes of the whole process, and the regret of one run."""
    start = time.perf_counter()
    total = regret(CalibratedUCB(BudgetedArms(MODEL)), horizon, 0, n_arms)
    return time.perf_counter() - start, resident_peak() / 1e6, total


def _facts() -> Mapping[str, float]:
    facts = {
        f"regret of {policy.__name__} on a budget, relative to the exact posteriors, T = {COMPARED}, "
        f"{len(SEEDS)} seeds (goal ≤ 1.1)": _regret_ratio(policy)
        for policy in (CalibratedUCB, ThompsonSampling)
    }
    by_rounds = {horizon: in_new_process(_costs, horizon, N_ARMS) for horizon in (12_500, 25_000, 50_000, 100_000)}
    by_arms = {n_arms: in_new_process(_costs, 10_000, n_arms) for n_arms in (5, 10, 20, 40)}
    for name, costs in (("T", by_rounds), ("K (T = 10,000)", by_arms)):
        for size, (seconds, megabytes, total) in costs.items():
            goals = (" (goal < 600)", " (goal < 1000)") if size == 100_000 else ("", "")
            facts[f"seconds at {name} = {size:,}{goals[0]}"] = seconds
            facts[f"MB of the whole process at {name} = {size:,}{goals[1]}"] = megabytes
            facts[f"regret at {name} = {size:,}"] = total
        facts[f"exponent of seconds in {name}"] = exponent([*costs], [cost[0] for cost in costs.values()])
        facts[f"exponent of regret in {name}"] = exponent([*costs], [cost[2] for cost in costs.values()])
    return facts


def cases() -> Iterator[Case]:
    """Yield one case."""
    title = f"CalibratedUCB on BudgetedArms, K = {N_ARMS}, d = {DIM}, T = {COMPARED}, one thread"
    yield Case("budgeted", title, _contenders, facts=_facts)
