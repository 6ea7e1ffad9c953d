"""What a fit will cost, before it is begun: operations counted by formula, at the speed that this machine shows now."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, singledispatch
from math import ceil
from typing import NamedTuple, final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.linalg import blas_threads, memory
from kernelbandits.regression.base import Estimator, Predictor
from kernelbandits.regression.conjugate_gradient import ConjugateGradient
from kernelbandits.regression.dual import GRAM_COPIES, KernelRidge, MinNormInterpolator
from kernelbandits.regression.gaussian_process import GaussianProcess
from kernelbandits.regression.gradient_descent import GradientDescent
from kernelbandits.regression.nystrom import Nystrom
from kernelbandits.regression.products import POWER_ITERATIONS

ITERATIONS = 30
"""Iterations that the estimates for conjugate gradients and for early stopping assume; the data decide, later."""


@final
@dataclass(frozen=True, slots=True)
class Cost:
    """Time and memory of a fit, within a factor of about two.

    Attributes:
        seconds: time, with the threads that BLAS may use now.
        bytes: memory at the peak, beside the data.

    """

    seconds: float
    bytes: float

    def __str__(self) -> str:
        return f"about {_duration(self.seconds)}, {memory.words(self.bytes)} of memory"


class Work(NamedTuple):
    """Operations of BLAS, kernel values, and bytes."""

    operations: float
    kernel_values: float
    bytes: float


def estimate(estimator: Estimator[Predictor], n: int, d: int) -> Cost:
    """What fitting n points with d features will cost: counted operations over measured speed.

    >>> estimate(KernelRidge(Gaussian()), 100_000, 20).bytes > 8e10
    True
    """
    checks.whole("n", n, at_least=1)
    checks.whole("d", d, at_least=1)
    work, speed = _work(estimator, n, d), _speed(blas_threads())
    seconds = work.operations / speed.operations + work.kernel_values / speed.kernel_values
    return Cost(seconds, work.bytes)


class Speed(NamedTuple):
    """Per second: operations of a matrix product, and exponentials."""

    operations: float
    kernel_values: float


@cache
def _speed(threads: int) -> Speed:
    A = np.ones((768, 768))
    values = np.full(2**18, -0.5)
    product, exponentials = (min(_seconds(run) for _ in range(3)) for run in (lambda: A @ A, lambda: np.exp(values)))
    return Speed(2.0 * 768**3 / product, len(values) / (1.5 * exponentials))  # half as much again for the other passes


def _seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


@singledispatch
def _work(estimator: object, n: int, d: int) -> Work:
    raise InvalidArgument(f"no estimate of cost is known for {type(estimator).__name__}")


@_work.register(MinNormInterpolator)
@_work.register(KernelRidge)
def _exact(estimator: object, n: int, d: int) -> Work:
    return Work(n**2 * (d + 2) + n**3 / 3, n**2 / 2, GRAM_COPIES * 8.0 * n**2)


@_work.register(GaussianProcess)
def _posterior(estimator: object, n: int, d: int) -> Work:
    return Work(n**2 * (d + 2) + 2 * n**3 / 3, n**2 / 2, GRAM_COPIES * 8.0 * n**2)


@_work.register(Nystrom)
def _nystrom(estimator: Nystrom, n: int, d: int) -> Work:
    m = min(estimator.n_centers, n)
    return Work(n * m * (2 * (d + 2) + m) + 5 * m**3 / 3, n * m, estimator.memory(n, d))


@_work.register(ConjugateGradient)
def _conjugate_gradient(estimator: ConjugateGradient, n: int, d: int) -> Work:
    work = _products(ITERATIONS, n, d, estimator.memory)
    return work._replace(bytes=estimator.least_memory(n, d) + work.bytes)


@_work.register(GradientDescent)
def _gradient_descent(estimator: GradientDescent, n: int, d: int) -> Work:
    works = [
        _products(POWER_ITERATIONS + steps, share * n, d, estimator.memory)
        for share, steps in estimator.stopping.foreseen(ITERATIONS)
    ]
    operations, values, kept = zip(*works, strict=True)
    return Work(sum(operations), sum(values), max(kept) + 16.0 * n * (d + 2))


def _products(times: int, n: float, d: int, most: float) -> Work:
    """K v so many times, where panels of K that fit into `most` bytes are kept and the others made again."""
    kept = min(float(most), 4.0 * n**2)
    made = 1 + (times - 1) * (1.0 - kept / (4.0 * n**2))
    return Work(made * n**2 * (d + 2) + times * 2 * n**2, made * n**2 / 2, kept)


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.2g} s"
    return f"{ceil(seconds / 60)} min" if seconds < 6000 else f"{seconds / 3600:.3g} h"
