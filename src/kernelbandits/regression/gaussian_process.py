"""Gaussian-process regression: mean, standard deviation, log-determinant; an observation is appended in O(n²)."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import NamedTuple, final

import numpy as np

from kernelbandits import checks
from kernelbandits.kernels import Kernel, KernelExpansion
from kernelbandits.linalg import Appended, InverseFactor
from kernelbandits.regression.base import Cost, Estimator, FitReport, UncertainPredictor
from kernelbandits.regression.dual import exact_cost, refuse_too_large
from kernelbandits.specs import Positive
from kernelbandits.types import Array, ArrayLike


class Outlook(NamedTuple):
    """A posterior at one point x: v = L⁻¹ K(X, x), the mean of f(x), and its variance before and after the data."""

    whitened: Array
    mean: float
    prior: float
    variance: float


@final
@dataclass(slots=True, eq=False)  # not frozen: one is made per observation, and that would take twice as long
class Posterior(UncertainPredictor):
    """GP(0, K) given n observations y = f(x) + noise of variance `ridge`. `extend` returns a new posterior.

    With A = K(X, X) + ridge·I = L Lᵀ: mean(z) = vᵀ L⁻¹y and var(z) = K(z, z) − ‖v‖², where v = L⁻¹ K(X, z).

    Attributes:
        points: the points in the first n rows, followed by unused rows.
        whitened_targets: L⁻¹ y in the first n entries, followed by unused ones.
        log_det: ln det(K(X, X) + ridge·I).
        last: the newest row of L; None before the first `extend`.
        floored: number of pivots that were lost in rounding and set to their rounding error.

    """

    kernel: Kernel
    ridge: float
    factor: InverseFactor
    points: Array
    whitened_targets: Array
    log_det: float
    last: Appended | None = None
    floored: int = 0

    @property
    def n(self) -> int:
        """Number of observations."""
        return self.factor.n

    @property
    def dim(self) -> int:
        return int(self.points.shape[1])

    @property
    def X(self) -> Array:  # noqa: N802
        """The observed points, shape (n, d)."""
        return self.points[: self.n]

    @property
    def expansion(self) -> KernelExpansion:
        return KernelExpansion(self.kernel, self.X, self.factor.unwhiten(self.whitened_targets[: self.n]))

    @property
    def report(self) -> FitReport:
        return FitReport(self.n, "cholesky", self.n, self.n, floored=self.floored)

    @property
    def information_gain(self) -> float:
        """½ ln det(I + K(X, X)/ridge)."""
        return 0.5 * (self.log_det - self.factor.n * log(self.ridge))

    def whiten(self, Z: Array) -> Array:
        """V = L⁻¹ K(X, z) for every row of Z, shape (n, m)."""
        if not self.n:
            return np.zeros((0, len(Z)))
        return self.factor.whiten(self.kernel.block(self.X, Z))

    def _mean(self, Z: Array) -> Array:
        return self.whitened_targets[: self.n] @ self.whiten(Z)

    def _mean_and_std(self, Z: Array) -> tuple[Array, Array]:
        V = self.whiten(Z)
        variance = self.kernel.diagonal(Z) - np.einsum("ij,ij->j", V, V)
        return self.whitened_targets[: self.n] @ V, np.sqrt(np.maximum(variance, 0.0))

    def extend(self, x: ArrayLike, y: float) -> Posterior:
        """The posterior after one more observation, in O(n² + n d)."""
        point = checks.finite_array("x", x, (self.dim,), "one point")
        return self._extend(point, checks.reward(y), self.at(point))

    def at(self, x: Array) -> Outlook:
        """What the posterior says about f at one point x, shape (d,), without checks."""
        row = x[np.newaxis]
        whitened = self.whiten(row)[:, 0]
        prior = float(self.kernel.diagonal(row)[0])
        mean = float(self.whitened_targets[: self.n] @ whitened)
        return Outlook(whitened, mean, prior, prior - float(whitened @ whitened))

    def _extend(self, x: Array, y: float, outlook: Outlook) -> Posterior:
        """`extend` without checks, given the outlook at x."""
        whitened, mean, prior, variance = outlook
        ridge, n, free = self.ridge, self.factor.n, self.factor.is_newest
        factor, last = self.factor.append(whitened, prior + ridge, variance + ridge)
        points, targets = self.points, self.whitened_targets
        if not free or n == len(points):
            points, targets = _enlarged(points, n), _enlarged(targets, n)
        points[n] = x
        targets[n] = (y - mean) / last.pivot
        log_det, floored = self.log_det + 2.0 * log(last.pivot), self.floored + last.floored
        return Posterior(self.kernel, ridge, factor, points, targets, log_det, last, floored)


def _enlarged(array: Array, n: int) -> Array:
    """A copy of the first n rows with room for more, because the array is full or a successor owns its next row."""
    larger = np.zeros((max(16, 2 * n), *array.shape[1:]))
    larger[:n] = array[:n]
    return larger


@final
@dataclass(frozen=True, slots=True)
class GaussianProcess(Estimator[Posterior]):
    """GP(0, K) with noise variance `ridge` (the paper's λ²); `fit` returns a `Posterior`.

    >>> posterior = GaussianProcess(Gaussian(), ridge=1.0).fit([[0.0]], [1.0])
    >>> posterior.mean([[0.0]]), posterior.std([[0.0]]).round(4)
    (array([0.5]), array([0.7071]))
    """

    kernel: Kernel
    ridge: Positive = 1.0

    def _fit(self, X: Array, y: Array) -> Posterior:
        refuse_too_large(X, self.ridge)
        A = self.kernel.gram(X)
        A[np.diag_indices_from(A)] += self.ridge
        factor = InverseFactor.of(A)
        if factor is not None:
            return Posterior(self.kernel, self.ridge, factor, X.copy(), factor.whiten(y), factor.log_det)
        posterior = self.without_data(X.shape[1])  # the ridge is below the rounding error of K: append one by one
        for x, target in zip(X, y, strict=True):
            posterior = posterior._extend(x, float(target), posterior.at(x))
        return posterior

    def without_data(self, dim: int) -> Posterior:
        """The prior, as a posterior without observations."""
        return Posterior(self.kernel, self.ridge, InverseFactor.empty(), np.zeros((0, dim)), np.zeros(0), 0.0)

    def cost(self, n: int, d: int) -> Cost:
        return exact_cost(n, d, 2 / 3)  # the inverse of the factor takes another third
