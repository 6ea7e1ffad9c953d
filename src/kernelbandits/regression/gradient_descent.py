"""Gradient descent in the RKHS, regularised by stopping early, and the rules for when to stop."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np

from kernelbandits.kernels import Kernel, KernelExpansion
from kernelbandits.linalg import TINY
from kernelbandits.regression.base import ASSUMED_ITERATIONS, Cost, FitReport
from kernelbandits.regression.iterative import POWER_ITERATIONS, IterativeEstimator, KernelProduct, products_cost
from kernelbandits.reporting.progress import Progress
from kernelbandits.specs import Count, CountFromZero, NonNegative, Probability, Spec
from kernelbandits.types import Array, IntArray

_KEPT = 2**24  # largest block that is kept between steps, in doubles: 128 MiB

Descend: TypeAlias = Callable[[IntArray], Iterator[Array]]
"""Row numbers → an endless iterator over the weights after step 0, 1, 2 … of the descent on those rows."""
Stop: TypeAlias = tuple[int, bool, str]
"""The number of steps, whether the rule was met, and why, in words."""


class Stopping(Spec, ABC):
    """A rule for the number of steps. Frozen; randomness comes from `rng`.

    >>> x, noise = np.linspace(0.0, 3.0, 50)[:, None], np.random.default_rng(0).normal(size=50)
    >>> for stopping in (FixedSteps(3), HeldOut(patience=5)):
    ...     GradientDescent(Gaussian(), stopping).fit(x, noise).report.reason
    '3 steps were asked for'
    'the held-out error has not fallen for 5 steps'

    See also `GradientDescent`, `HeldOut`, `FixedSteps`.
    """

    __slots__ = ()

    @abstractmethod
    def decide(self, kernel: Kernel, X: Array, y: Array, descend: Descend, rng: np.random.Generator) -> Stop:
        """The number of steps for points X of shape (n, d) and targets y of shape (n,)."""

    @abstractmethod
    def foreseen(self, usual: int) -> list[tuple[float, int]]:
        """The expected descents of a fit as (share of the rows, steps), with `usual` steps if the data decide."""


@final
@dataclass(frozen=True, slots=True)
class FixedSteps(Stopping):
    """A fixed number of steps.

    Attributes:
        steps: how many; the fewer, the smoother the fit.

    >>> x = np.array([[0.0], [0.1]])
    >>> for steps in (1, 1000):  # the mean comes first, the difference of two near points late
    ...     GradientDescent(Gaussian(), FixedSteps(steps)).fit(x, [1.0, 2.0]).mean(x).round(2)
    array([1.5, 1.5])
    array([1., 2.])

    See also `GradientDescent`, `HeldOut`, `Stopping`.
    """

    steps: Count

    def foreseen(self, usual: int) -> list[tuple[float, int]]:
        return [(1.0, self.steps)]

    def decide(self, kernel: Kernel, X: Array, y: Array, descend: Descend, rng: np.random.Generator) -> Stop:
        return self.steps, True, f"{self.steps} steps were asked for"


@final
@dataclass(frozen=True, slots=True)
class HeldOut(Stopping):
    """The number of steps with the least squared error on a `fraction` of the rows, held out from a first descent.

    A second descent, on all rows, takes that number of steps.

    Attributes:
        fraction: share of the rows that is held out, but at least one row.
        patience: the first descent ends after this many steps without improvement; then the rule is met.
        max_steps: the first descent takes at most this many steps; if it gets there, the fit warns with `NotConverged`.

    >>> x = np.linspace(0.0, 3.0, 50)[:, None]
    >>> GradientDescent(Gaussian(), HeldOut(patience=5)).fit(x, np.sin(x[:, 0])).report.converged
    True

    See also `GradientDescent`, `Stopping`, `FixedSteps`.
    """

    fraction: Probability = 0.2
    patience: Count = 20
    max_steps: Count = 2000

    def foreseen(self, usual: int) -> list[tuple[float, int]]:
        return [(1.0 - self.fraction, min(usual + self.patience, self.max_steps)), (1.0, min(usual, self.max_steps))]

    def decide(self, kernel: Kernel, X: Array, y: Array, descend: Descend, rng: np.random.Generator) -> Stop:
        n_out = max(1, round(self.fraction * len(X)))
        if n_out >= len(X):
            return 1, True, "there are too few rows to hold any out"
        order = rng.permutation(len(X))
        out, rows = np.sort(order[:n_out]), np.sort(order[n_out:])
        # K at the held-out rows is kept only if it is small.
        K = kernel.block(X[out], X[rows]) if len(out) * len(rows) <= _KEPT else None
        best, least = 0, np.inf
        for step, weights in enumerate(descend(rows)):
            predicted = KernelExpansion(kernel, X[rows], weights)(X[out]) if K is None else K @ weights
            error = float(np.mean((y[out] - predicted) ** 2))
            if error < least:
                best, least = step, error
            if step - best >= self.patience:
                return best, True, f"the held-out error has not fallen for {self.patience} steps"
            if step >= self.max_steps:
                break
        return best, False, f"max_steps = {self.max_steps} is reached and the held-out error still falls"


@final
@dataclass(frozen=True, slots=True)
class GradientDescent(IterativeEstimator):
    """a ← a + η (y − (K + ridge·I) a) from 0, with η = 1/(largest eigenvalue of K + ridge·I).

    After t steps an eigenvector of K with eigenvalue μ is fitted up to (1 − η μ)^t, large eigenvalues first, so that
    stopping early regularises like a ridge of about 1/(η t). The largest eigenvalue comes from the power iteration. A
    step costs O(N² d).

    Attributes:
        kernel: the kernel K(x, z).
        stopping: the rule for the number of steps.
        ridge: what is added to the diagonal of the Gram matrix, the paper's λ²; 0, the default, leaves all to stopping.
        memory: bytes that may hold parts of the Gram matrix from one step to the next, which are then faster.
        seed: seeds the choice of held-out rows, and the start of the power iteration.

    >>> fit = GradientDescent(Gaussian(), FixedSteps(200)).fit([[0.0], [3.0]], [1.0, 2.0])
    >>> fit.mean([[0.0], [3.0]]).round(6)
    array([1., 2.])

    See also `Estimator`, `ConjugateGradient`, `Predictor`, `DualPredictor`.
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
        n, rng = len(X), np.random.default_rng(self.seed)
        steps, met, reason = self.stopping.decide(
            self.kernel, X, y, lambda rows: self._descend(X[rows], y[rows], start[rows]), rng
        )
        descent = self._descend(X, y, start)
        weights = next(descent)
        with Progress("gradient descent", steps) as progress:
            for step in range(steps):
                weights = next(descent)
                progress.show(step)
        residual = y - KernelProduct(self.kernel, X, self.ridge, 0)(weights)
        relative = float(np.linalg.norm(residual)) / (float(np.linalg.norm(y)) or 1.0)
        return weights, FitReport(n, "gradient descent", n, n, relative, iterations=steps, converged=met, reason=reason)

    def _descend(self, X: Array, y: Array, start: Array) -> Iterator[Array]:
        product = KernelProduct(self.kernel, X, self.ridge, self.memory)
        largest = product.largest_eigenvalue(np.random.default_rng(self.seed))
        step = 1.0 / largest if largest > TINY else 1.0
        a = start.copy()
        while True:
            yield a
            a = a + step * (y - product(a))
