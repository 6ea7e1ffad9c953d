"""How cost grows with rounds, arms, points, centres and features: times, memory, fitted exponents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.cases import Case
from benchmarks.iterative import data
from benchmarks.measure import exponent, peak_bytes, processor_seconds, seconds
from benchmarks.ucb import POLICY
from kernelbandits import (
    ExploreThenCommit,
    FixedSteps,
    Gaussian,
    GradientDescent,
    KernelRidge,
    LowRank,
    MinNormInterpolator,
    Nystrom,
    Synthetic,
    replay,
)
from kernelbandits.regression.iterative import KernelProduct

DIM = 100
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


def _policy_facts() -> Mapping[str, float]:
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


Fit = Callable[[], Any]
Costs = Callable[[list[Fit]], list[float]]


def _exact(n: int) -> Fit:
    X, y = data(n, DIM)
    return lambda: KernelRidge(Gaussian(), 1.0).fit(X, y)


def _nystrom(n: int, n_centers: int = 500, dim: int = DIM) -> Fit:
    X, y = data(n, dim)
    return lambda: Nystrom(Gaussian(), 1.0, n_centers).fit(X, y)


def _product(n: int) -> Fit:
    """K v without storing K: the work of one iteration of conjugate gradients."""
    X, y = data(n, DIM)
    product = KernelProduct(Gaussian(), X, 0.0, memory=0)
    return lambda: product(y)


def _iteration(n: int) -> Fit:
    X, y = data(n, DIM)
    return lambda: GradientDescent(Gaussian(), FixedSteps(1), memory=0).fit(X, y)


def _curve(name: str, theory: str, fits: Mapping[int, Fit], cost: Costs) -> dict[str, float]:
    """Return the cost at every size, and the exponent."""
    with threadpool_limits(1):
        costs = cost(list(fits.values()))
    facts = {f"{name} at {size:,}": value for size, value in zip(fits, costs, strict=True)}
    return facts | {f"exponent of {name} (theory: {theory})": exponent([*fits], costs)}


def _least_seconds(fits: list[Fit], repeats: int = 3) -> list[float]:
    """Return the least processor time of each, in turns: other load affects that least."""
    seconds = [[processor_seconds(fit) for fit in fits] for _ in range(repeats)]
    return [min(own) for own in zip(*seconds, strict=True)]


def _bytes(fits: list[Fit]) -> list[float]:
    return [float(peak_bytes(fit)) for fit in fits]


def _exact_facts() -> Mapping[str, float]:
    seconds = _curve(
        "seconds of an exact fit in N",
        "3",
        {n: _exact(n) for n in (10_000, 14_000, 20_000)},
        partial(_least_seconds, repeats=2),
    )
    return seconds | _curve("bytes of an exact fit in N", "2", {n: _exact(n) for n in (2000, 4000, 8000)}, _bytes)


def _large_facts() -> Mapping[str, float]:
    by_rows = {n: _nystrom(n) for n in (25_000, 50_000, 100_000, 200_000)}
    by_centers = {m: _nystrom(20_000, m) for m in (250, 500, 1000, 2000)}
    by_features = {d: _nystrom(20_000, 500, d) for d in (50, 200, 800)}
    points = (4000, 8000, 16_000)
    return {
        **_curve("seconds of a Nyström fit in N, M = 500", "1", by_rows, _least_seconds),
        **_curve("bytes of a Nyström fit in N, M = 500", "0", by_rows, _bytes),
        **_curve("seconds of a Nyström fit in M, N = 20,000", "1 to 2", by_centers, _least_seconds),
        **_curve("bytes of a Nyström fit in M, N = 20,000", "0 to 2", by_centers, _bytes),
        **_curve("seconds of a Nyström fit in d, N = 20,000, M = 500", "0 to 1", by_features, _least_seconds),
        **_curve("seconds of a matrix-free product in N", "2", {n: _product(n) for n in points}, _least_seconds),
        **_curve("bytes of a matrix-free fit in N", "1", {n: _iteration(n) for n in points}, _bytes),
    }


def cases() -> Iterator[Case]:
    """Yield the exponents of policies as one case, and two of fits, which take a few minutes each."""
    yield Case("growth", "how cost grows with T, K, d and n", facts=_policy_facts)
    yield Case("growth-exact", "how the cost of exact fits grows", facts=_exact_facts)
    yield Case("growth-large", "how the cost of Nyström and matrix-free fits grows", facts=_large_facts)
