"""`IterativeEstimator`: warm starts, and a warning when an iteration does not converge."""

from __future__ import annotations

import time
import warnings
from abc import abstractmethod
from dataclasses import replace

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, NotConverged
from kernelbandits.kernels import KernelExpansion
from kernelbandits.regression.dual import DualEstimator, DualPredictor
from kernelbandits.regression.report import FitReport, count_duplicates
from kernelbandits.types import Array, ArrayLike


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
        known = start.function.centers
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
