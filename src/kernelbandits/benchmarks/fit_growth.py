"""How the cost of fits grows with the number of points, centres and features: times, memory, fitted exponents."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from threadpoolctl import threadpool_limits

from kernelbandits import FixedSteps, Gaussian, GradientDescent, KernelRidge, Nystrom
from kernelbandits.benchmarks.cases import Case
from kernelbandits.benchmarks.iterative import data
from kernelbandits.benchmarks.measure import exponent, nothing, peak_bytes

DIM = 100
Fit = Callable[[], Any]


def _exact(n: int) -> Fit:
    X, y = data(n, DIM)
    return lambda: KernelRidge(Gaussian(), 1.0).fit(X, y)


def _nystrom(n: int, n_centers: int = 500, dim: int = DIM) -> Fit:
    X, y = data(n, dim)
    return lambda: Nystrom(Gaussian(), 1.0, n_centers).fit(X, y)


def _steps(n: int, steps: int) -> Fit:
    """Matrix-free products and nothing else: what an iteration of conjugate gradients costs."""
    X, y = data(n, DIM)
    return lambda: GradientDescent(Gaussian(), FixedSteps(steps), memory=0).fit(X, y)


def _seconds(run: Fit, repeats: int = 1) -> float:
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _curve(name: str, theory: str, sizes: tuple[int, ...], cost: Callable[[int], float]) -> dict[str, float]:
    """The cost at every size, and the slope between them."""
    with threadpool_limits(1):
        costs = [cost(size) for size in sizes]
    facts = {f"{name} at {size:,}": value for size, value in zip(sizes, costs, strict=True)}
    return facts | {f"exponent of {name} (theory: {theory})": exponent([*sizes], costs)}


def _exact_facts() -> Mapping[str, float]:
    return _curve("seconds of an exact fit in N", "3", (4000, 8000, 16_000), lambda n: _seconds(_exact(n))) | _curve(
        "bytes of an exact fit in N", "2", (1000, 2000, 4000), lambda n: float(peak_bytes(_exact(n)))
    )


def _large_facts() -> Mapping[str, float]:
    rows, points = (25_000, 50_000, 100_000, 200_000), (4000, 8000, 16_000)

    def per_step(n: int) -> float:
        return (_seconds(_steps(n, 4), 2) - _seconds(_steps(n, 1), 2)) / 3.0

    return {
        **_curve("seconds of a Nyström fit in N, M = 500", "1", rows, lambda n: _seconds(_nystrom(n), 3)),
        **_curve("bytes of a Nyström fit in N, M = 500", "0", rows, lambda n: float(peak_bytes(_nystrom(n)))),
        **_curve(
            "seconds of a Nyström fit in M, N = 20,000",
            "2, and 3 from M = N on",
            (250, 500, 1000, 2000),
            lambda m: _seconds(_nystrom(20_000, m), 2),
        ),
        **_curve(
            "seconds of a Nyström fit in d, N = 20,000, M = 500",
            "0 to 1",
            (50, 200, 800),
            lambda d: _seconds(_nystrom(20_000, 500, d), 2),
        ),
        **_curve("seconds of one matrix-free product in N", "2", points, per_step),
        **_curve("bytes of a matrix-free fit in N", "1", points, lambda n: float(peak_bytes(_steps(n, 1)))),
    }


def cases() -> Iterator[Case]:
    """Two cases, each a few minutes."""
    yield Case("growth-exact", "how the cost of exact fits grows", nothing, facts=_exact_facts)
    yield Case("growth-large", "how the cost of Nyström and matrix-free fits grows", nothing, facts=_large_facts)
