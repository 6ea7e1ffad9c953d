"""What a fit costs, before it begins: operations are counted by formula and divided by the speed of this machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import ceil
from timeit import repeat
from typing import final

import numpy as np

from kernelbandits.linalg import blas_threads, memory_text

ASSUMED_ITERATIONS = 30
"""Iterations that a cost assumes for conjugate gradients and for early stopping, where the data decide."""


@final
@dataclass(frozen=True, slots=True)
class Cost:
    """Time and memory of a fit, within a factor of about two.

    Attributes:
        operations: floating-point operations of matrix products and factorisations.
        kernel_values: kernel values to compute.
        bytes: memory at the peak, without the data.

    """

    operations: float
    kernel_values: float
    bytes: float

    @property
    def seconds(self) -> float:
        """Time, with the number of threads that BLAS may use now."""
        operations, kernel_values = _per_second(blas_threads())
        return self.operations / operations + self.kernel_values / kernel_values

    def __str__(self) -> str:
        return f"about {_duration(self.seconds)}, {memory_text(self.bytes)} of memory"


def exact_cost(n: int, d: int, cubic: float = 1 / 3) -> Cost:
    """The cost of factoring the matrix of n points in `cubic` · n³ operations."""
    return Cost(n**2 * (d + 2) + cubic * n**3, n**2 / 2, 1.3 * 8.0 * n**2)


@cache
def _per_second(threads: int) -> tuple[float, float]:
    """Operations of a matrix product, and kernel values, per second on this number of threads."""
    A, values = np.ones((768, 768)), np.full(2**18, -0.5)
    product = min(repeat(lambda: A @ A, number=1, repeat=3))
    exponentials = min(repeat(lambda: np.exp(values), number=1, repeat=3))
    return 2.0 * 768**3 / product, len(values) / (1.5 * exponentials)  # 1.5: the other passes over a block


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.2g} s"
    return f"{ceil(seconds / 60)} min" if seconds < 6000 else f"{seconds / 3600:.3g} h"
