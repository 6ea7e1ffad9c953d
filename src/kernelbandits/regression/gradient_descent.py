"""Gradient descent in the RKHS with early stopping."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.kernels import Kernel
from kernelbandits.regression.cost import ASSUMED_ITERATIONS, Cost
from kernelbandits.regression.iterative import IterativeEstimator
from kernelbandits.regression.products import POWER_ITERATIONS, KernelProduct, largest_eigenvalue, products_cost
from kernelbandits.regression.report import FitReport
from kernelbandits.regression.stopping import HeldOut, Stopping
from kernelbandits.reporting.progress import Progress
from kernelbandits.specs import CountFromZero, NonNegative
from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True)
class GradientDescent(IterativeEstimator):
    """a ← a + η (y − (K + ridge·I) a) from 0, with η = 1/(largest eigenvalue of K + ridge·I).

    After t steps an eigenvector of K with eigenvalue μ is fitted up to (1 − η μ)^t, large eigenvalues first, so that
    stopping early regularises like a ridge of about 1/(η t). The largest eigenvalue comes from the power iteration. A
    step costs O(N² d), less for the panels of K that fit into `memory` bytes and are kept. `seed` makes the choice of
    held-out rows repeatable.

    >>> fit = GradientDescent(Gaussian(), FixedSteps(200)).fit([[0.0], [3.0]], [1.0, 2.0])
    >>> fit.mean([[0.0], [3.0]]).round(6)
    array([1., 2.])
    """

    kernel: Kernel
    stopping: Stopping = HeldOut()
    ridge: NonNegative = 0.0
    memory: CountFromZero = 500_000_000
    seed: CountFromZero = 0

    def cost(self, n: int, d: int) -> Cost:
        descents = [
            products_cost(POWER_ITERATIONS + steps, share * n, d, self.memory)
            for share, steps in self.stopping.foreseen(ASSUMED_ITERATIONS)
        ]
        return Cost(
            operations=sum(descent.operations for descent in descents),
            kernel_values=sum(descent.kernel_values for descent in descents),
            bytes=max(descent.bytes for descent in descents) + 16.0 * n * (d + 2),
        )

    def _iterate(self, X: Array, y: Array, start: Array) -> tuple[Array, FitReport]:
        rng = np.random.default_rng(self.seed)

        def descend(rows: IntArray) -> Iterator[Array]:
            return self._descend(X[rows], y[rows], start[rows])

        stop = self.stopping.decide(self.kernel, X, y, descend, rng)
        descent = self._descend(X, y, start)
        weights = next(descent)
        with Progress("gradient descent", stop.steps) as progress:
            for step in range(stop.steps):
                weights = next(descent)
                progress.show(step)
        residual = y - KernelProduct(self.kernel, X, self.ridge, 0)(weights)
        relative = float(np.linalg.norm(residual)) / (float(np.linalg.norm(y)) or 1.0)
        n = len(X)
        return weights, FitReport(
            n, "gradient descent", n, n, relative, iterations=stop.steps, converged=stop.met, reason=stop.reason
        )

    def _descend(self, X: Array, y: Array, start: Array) -> Iterator[Array]:
        product = KernelProduct(self.kernel, X, self.ridge, self.memory)
        step = 1.0 / (largest_eigenvalue(product, len(X), np.random.default_rng(self.seed)) or 1.0)
        a = start.copy()
        while True:
            yield a
            a = a + step * (y - product(a))
