"""What iterative fits have in common: a report, warm starts, a predictor."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, NotConverged
from kernelbandits.kernels import Kernel, KernelExpansion
from kernelbandits.regression.base import Estimator, ExpansionPredictor
from kernelbandits.types import Array, ArrayLike


@final
@dataclass(frozen=True, slots=True)
class Convergence:
    """How an iterative fit went.

    Attributes:
        n: number of distinct points.
        iterations: how many were made.
        residual: ‖(K + ridge·I) a − y‖ / ‖y‖ at the end, computed anew.
        seconds: time of the fit.
        converged: whether it ended as its rule wants.
        reason: why it ended, in words.

    """

    n: int
    iterations: int
    residual: float
    seconds: float
    converged: bool
    reason: str

    def __str__(self) -> str:
        done = "converged" if self.converged else "did not converge"
        return (
            f"{done} ({self.reason}): {self.iterations} iterations, {self.seconds:.1f} s, "
            f"relative residual {self.residual:.1e}"
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class IterativePredictor(ExpansionPredictor):
    """f̂(z) = Σ_j a_j K(z, x_j), with the report of the iteration that gave the weights a."""

    function: KernelExpansion
    report: Convergence


class IterativeEstimator(Estimator[IterativePredictor]):
    """An estimator that improves weights step by step and may begin where another fit ended."""

    __slots__ = ()

    kernel: Kernel

    def _fit(self, X: Array, y: Array) -> IterativePredictor:
        return self._finish(X, *self._iterate(X, y, np.zeros(len(X))))

    def fit_from(self, start: IterativePredictor, X: ArrayLike, y: ArrayLike) -> IterativePredictor:
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
        return self._finish(points, *self._iterate(points, targets, weights))

    @abstractmethod
    def _iterate(self, X: Array, y: Array, start: Array) -> tuple[Array, Convergence]:
        """Weights a of shape (n,), beginning with `start`, and the report."""

    def _finish(self, X: Array, weights: Array, report: Convergence) -> IterativePredictor:
        if not report.converged:
            warnings.warn(f"{type(self).__name__} {report}", NotConverged, stacklevel=3)
        return IterativePredictor(KernelExpansion(self.kernel, X.copy(), weights), report)

    def without_data(self, dim: int) -> IterativePredictor:
        anywhere = np.eye(1, dim)  # a centre of weight 0; a unit vector is one that every kernel accepts
        report = Convergence(0, 0, 0.0, 0.0, True, "there is nothing to fit")
        return IterativePredictor(KernelExpansion(self.kernel, anywhere, np.zeros(1)), report)
