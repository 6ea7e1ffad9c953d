"""Which estimator to use for a problem of a given size, and what it costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil, log, sqrt
from typing import TypeAlias, final

from kernelbandits.errors import InvalidArgument, TooLarge
from kernelbandits.kernels import Gaussian, Kernel
from kernelbandits.linalg import available_memory, memory_text
from kernelbandits.regression.base import Cost, Estimator, Predictor
from kernelbandits.regression.conjugate_gradient import ConjugateGradient
from kernelbandits.regression.dual import KernelRidge, MinNormInterpolator
from kernelbandits.regression.nystrom import Nystrom
from kernelbandits.specs import Count, NonNegative, conform

EXACT_MOST = 20_000
"""Most points for the exact solver, which takes about a minute for them."""
ITERATIVE_MOST = 100_000
"""Most points for an interpolator by conjugate gradients, whose iteration is N²."""
FEWEST_CENTERS, MOST_CENTERS = 500, 2000

MakeEstimator: TypeAlias = Callable[[Kernel], Estimator[Predictor]]


def estimate(estimator: Estimator[Predictor], n: int, d: int) -> Cost:
    """What fitting n points with d features costs.

    Args:
        estimator: what would be fitted; its data are not needed.
        n: number of points.
        d: number of features.

    >>> [round(estimate(way, 100_000, 20).bytes / 1e9, 1) for way in (KernelRidge(Gaussian()), Nystrom(Gaussian()))]
    [104.0, 0.1]

    See also `solver_for`, `Solver`, `Cost`.
    """
    return estimator.cost(conform(n, Count, "n"), conform(d, Count, "d"))


@final
@dataclass(frozen=True, slots=True)
class Solver:
    """A choice of estimator: call it with a kernel.

    Attributes:
        make: the estimator for a kernel.
        reason: the rule that chose it, in words.
        cost: what a fit of that size costs, in time and memory.

    >>> solver = solver_for(100, 5, ridge=0.1)
    >>> solver.reason, solver(Gaussian())
    ('exact: 100 points are at most 20000, and the matrix fits', KernelRidge(kernel=Gaussian(gamma=1.0), ridge=0.1))

    See also `solver_for`, `estimate`, `Cost`.
    """

    make: MakeEstimator
    reason: str
    cost: Cost

    def __call__(self, kernel: Kernel) -> Estimator[Predictor]:
        """The estimator with this kernel."""
        return self.make(kernel)

    def __str__(self) -> str:
        return f"{self.reason}; {self.cost}"


def solver_for(n: int, d: int, ridge: float, memory: float | None = None) -> Solver:
    """Choose an estimator for n points with d features within `memory` bytes (None: half of what is available).

    - Up to 20,000 points, if its N² doubles fit: exact (`MinNormInterpolator` for ridge = 0, `KernelRidge` above 0).
    - Else for ridge = 0 and up to 100,000 points, if its preconditioner fits: `ConjugateGradient`, which interpolates.
    - Else `Nystrom` with M = √N ln N centres, at least 500, at most 2,000, and no more than fit.

    Args:
        n: number of points.
        d: number of features.
        ridge: what is added to the diagonal of the Gram matrix, the paper's λ²; 0 asks for an interpolator.
        memory: bytes that a fit may take; None for half of what is available.

    >>> solver_for(1_000_000, 50, ridge=1.0, memory=1e9)(Gaussian(gamma=4.0))
    Nystrom(kernel=Gaussian(gamma=4.0), ridge=1.0, n_centers=2000, centers=UniformCenters(), seed=0)

    See also `Solver`, `estimate`.
    """
    conform(n, Count, "n")
    conform(d, Count, "d")
    conform(ridge, NonNegative, "ridge")
    most = 0.5 * available_memory() if memory is None else float(memory)
    if not most > 0:
        raise InvalidArgument(f"memory must be a number of bytes above 0; got {memory!r}")

    def solver(make: MakeEstimator, reason: str) -> Solver:
        return Solver(make, reason, make(Gaussian()).cost(n, d))

    exact: MakeEstimator = partial(KernelRidge, ridge=ridge) if ridge else MinNormInterpolator
    if n <= EXACT_MOST and exact(Gaussian()).cost(n, d).bytes <= most:
        return solver(exact, f"exact: {n} points are at most {EXACT_MOST}, and the matrix fits")
    least = ConjugateGradient(Gaussian(), memory=0).cost(n, d).bytes
    if not ridge and n <= ITERATIVE_MOST and least <= most:
        kept = int(min(500_000_000, most - least))
        reason = f"conjugate gradients: an interpolator of {n} points, at most {ITERATIVE_MOST}"
        return solver(partial(ConjugateGradient, ridge=ridge, memory=kept), reason)
    n_centers = wanted = min(n, MOST_CENTERS, max(FEWEST_CENTERS, ceil(sqrt(n) * log(n))) if n > 1 else 1)
    while n_centers and Nystrom(Gaussian(), ridge, n_centers).cost(n, d).bytes > most:
        n_centers = n_centers * 3 // 4
    if not n_centers:
        raise TooLarge(
            f"no solver for {n} points with {d} features fits into {memory_text(most)} of memory; allow more"
        )
    reason = f"Nyström with {n_centers} centres: {n} points" + (" and little memory" if n_centers < wanted else "")
    return solver(partial(Nystrom, ridge=ridge, n_centers=n_centers), reason)
