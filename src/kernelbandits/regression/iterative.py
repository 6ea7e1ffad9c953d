"""Iterative estimators: warm starts, a warning when an iteration does not converge, products with a matrix not held."""

import time
import warnings
from abc import abstractmethod
from dataclasses import replace

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, NotConverged
from kernelbandits.kernels import Kernel, KernelExpansion
from kernelbandits.linalg import pieces
from kernelbandits.regression.base import Cost, FitReport
from kernelbandits.regression.dual import DualEstimator, DualPredictor, count_duplicates
from kernelbandits.types import Array, ArrayLike

POWER_ITERATIONS = 20
_PANEL = 512


class IterativeEstimator(DualEstimator):
    """An estimator that improves its weights step by step and can continue from another fit."""

    __slots__ = ()

    def _fit(self, X: Array, y: Array) -> DualPredictor:
        return self._fit_from(np.zeros(len(X)), X, y)

    def fit_from(self, start: DualPredictor, X: ArrayLike, y: ArrayLike) -> DualPredictor:
        """`fit` with a warm start: the rows of X must begin with those that `start` was fitted to; new ones begin at 0.

        Kernel, ridge and targets may differ from those of `start`.
        """
        points = checks.points("X", X, dim=start.dim)
        targets = checks.targets("y", y, len(points))
        known = start.expansion.centers
        if len(known) > len(points) or not np.array_equal(points[: len(known)], known):
            raise InvalidArgument(
                f"the rows of X must begin with the {len(known)} rows that `start` was fitted to, in their order; "
                "use fit(X, y) for other data"
            )
        weights = np.zeros(len(points))
        weights[: len(known)] = start.weights
        return self._fit_from(weights, points, targets)

    def _fit_from(self, start: Array, X: Array, y: Array) -> DualPredictor:
        """`fit_from` without checks, given the weights to start from, shape (n,)."""
        began, n = time.monotonic(), len(X)
        weights, report = self._iterate(X, y, start)
        report = replace(report, n=n, size=n, duplicates=count_duplicates(X), seconds=time.monotonic() - began)
        if not report.converged:
            warnings.warn(str(report), NotConverged, stacklevel=3)
        return DualPredictor(KernelExpansion(self.kernel, X.copy(), weights), report)

    @abstractmethod
    def _iterate(self, X: Array, y: Array, start: Array) -> tuple[Array, FitReport]:
        """The weights a of shape (n,), from `start` on, and a report of the iteration."""


class KernelProduct:
    """v ↦ K(X, X) v + ridge · v for one set of points, in O(N² d) time and O(N d) memory plus the panels kept.

    K is symmetric, so a panel below the diagonal is computed once and used twice. As many of the first panels as fit
    into `memory` bytes are kept for the next product.
    """

    def __init__(self, kernel: Kernel, X: Array, ridge: float, memory: float) -> None:
        self._kernel, self._ridge = kernel, ridge
        self._left, self._right = kernel.left(X), kernel.right(X)
        self._diagonal = kernel.diagonal(X)
        self._slices = list(pieces(len(X), _PANEL))
        self._room = memory
        self._kept: dict[tuple[int, int], Array] = {}

    def __call__(self, v: Array) -> Array:
        """The product, shape (N,)."""
        total: Array = self._ridge * v
        for i, rows in enumerate(self._slices):
            for j in range(i):
                columns = self._slices[j]
                K = self._panel(i, j)
                total[rows] += K @ v[columns]
                total[columns] += v[rows] @ K
            total[rows] += self._panel(i, i) @ v[rows]
        return total

    def _panel(self, i: int, j: int) -> Array:
        kept = self._kept.get((i, j))
        if kept is not None:
            return kept
        rows, columns = self._slices[i], self._slices[j]
        K = self._kernel.evaluate([f[rows] for f in self._left], [f[columns] for f in self._right])
        if i == j:
            np.fill_diagonal(K, self._diagonal[rows])
        if K.nbytes <= self._room:
            self._room -= K.nbytes
            self._kept[i, j] = K
        return K

    def largest_eigenvalue(self, rng: np.random.Generator) -> float:
        """The largest eigenvalue of K + ridge·I by the power iteration, too small by a few per cent at most."""
        v = rng.random(len(self._diagonal)) + 0.5  # the top eigenvector of a kernel matrix rarely changes sign
        value, norm = 0.0, float(np.linalg.norm(v))
        for _ in range(POWER_ITERATIONS):
            v /= norm
            image = self(v)
            value, v, norm = float(v @ image), image, float(np.linalg.norm(image))
            if not norm:  # K is 0, or so small that the norm underflows
                break
        return value


def products_cost(times: int, n: float, d: int, memory: float) -> Cost:
    """The cost of `times` products with a matrix of n points, if `memory` bytes of panels are kept."""
    kept = min(float(memory), 4.0 * n**2)
    made = 1 + (times - 1) * (1.0 - kept / (4.0 * n**2))
    return Cost(made * n**2 * (d + 2) + times * 2 * n**2, made * n**2 / 2, kept)
