"""How the cost of fits grows with the number of points, centres and features: times, memory, fitted exponents."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from threadpoolctl import threadpool_limits

from benchmarks.cases import Case
from benchmarks.iterative import data
from benchmarks.measure import exponent, nothing, peak_bytes
from kernelbandits import FixedSteps, Gaussian, GradientDescent, KernelRidge, Nystrom
from kernelbandits.regression.iterative import KernelProduct

DIM = 100
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


def _seconds(fits: list[Fit], repeats: int = 3) -> list[float]:
    """Return the least processor time of each, in turns: other load affects that least."""
    seconds = [[_processor_time(fit) for fit in fits] for _ in range(repeats)]
    return [min(own) for own in zip(*seconds, strict=True)]


def _processor_time(run: Fit) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _bytes(fits: list[Fit]) -> list[float]:
    return [float(peak_bytes(fit)) for fit in fits]


def _exact_facts() -> Mapping[str, float]:
    seconds = _curve(
        "seconds of an exact fit in N",
        "3",
        {n: _exact(n) for n in (10_000, 14_000, 20_000)},
        partial(_seconds, repeats=2),
    )
    return seconds | _curve("bytes of an exact fit in N", "2", {n: _exact(n) for n in (2000, 4000, 8000)}, _bytes)


def _large_facts() -> Mapping[str, float]:
    by_rows = {n: _nystrom(n) for n in (25_000, 50_000, 100_000, 200_000)}
    by_centers = {m: _nystrom(20_000, m) for m in (250, 500, 1000, 2000)}
    by_features = {d: _nystrom(20_000, 500, d) for d in (50, 200, 800)}
    points = (4000, 8000, 16_000)
    return {
        **_curve("seconds of a Nyström fit in N, M = 500", "1", by_rows, _seconds),
        **_curve("bytes of a Nyström fit in N, M = 500", "0", by_rows, _bytes),
        **_curve("seconds of a Nyström fit in M, N = 20,000", "1 to 2", by_centers, _seconds),
        **_curve("bytes of a Nyström fit in M, N = 20,000", "0 to 2", by_centers, _bytes),
        **_curve("seconds of a Nyström fit in d, N = 20,000, M = 500", "0 to 1", by_features, _seconds),
        **_curve("seconds of a matrix-free product in N", "2", {n: _product(n) for n in points}, _seconds),
        **_curve("bytes of a matrix-free fit in N", "1", {n: _iteration(n) for n in points}, _bytes),
    }


def cases() -> Iterator[Case]:
    """Yield two cases, which take a few minutes each."""
    yield Case("growth-exact", "how the cost of exact fits grows", nothing, facts=_exact_facts)
    yield Case("growth-large", "how the cost of Nyström and matrix-free fits grows", nothing, facts=_large_facts)
