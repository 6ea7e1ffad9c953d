"""Gaussian-process regression: mean, standard deviation, log-determinant; an observation is appended in O(n²).

A variance K(x, x) − ‖W k‖² has a rounding error of about EPS √n ‖W‖ with ‖W‖² ≤ 1/noise, in units of K(x, x). Where
that exceeds the noise, pivots are lost and errors grow from one observation to the next. So the noise at a point x is
the ridge, but at least 2⁻²⁸ K(x, x), which exceeds the error for any n whose matrix fits into memory. A Cholesky
factorisation does not depend on the unit of each row, so it is the prior variance of each single point that counts.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import log
from typing import NamedTuple, final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, RidgeTooSmall
from kernelbandits.kernels import Kernel, KernelExpansion
from kernelbandits.linalg import Appended, InverseFactor, enlarged
from kernelbandits.regression.base import Cost, Estimator, FitReport, UncertainPredictor
from kernelbandits.regression.dual import exact_cost, refuse_too_large
from kernelbandits.reporting import Drawn, facts_html, plot
from kernelbandits.specs import Positive
from kernelbandits.types import Array, ArrayLike

RESOLVED = 2.0**-28
"""Smallest noise, as a share of the prior variance."""

_INDEFINITE = 2.0**-10  # a variance below minus this share of the prior variance is not due to rounding
_FAR_ABOVE = 100.0  # noise that exceeds the ridge by this factor is worth a warning


class Outlook(NamedTuple):
    """A posterior at one point x: v = L⁻¹ K(X, x), the mean of f(x), and its variance before and after the data."""

    whitened: Array
    mean: float
    prior: float
    variance: float


class Repairs(NamedTuple):
    """What rounding demanded of a posterior."""

    raised: int = 0  # number of points whose noise is above the ridge
    noise: float = 0.0  # the largest such noise
    log_excess: float = 0.0  # Σ ln(noise / ridge) over these points
    floored: int = 0  # number of pivots that were lost in rounding and raised


_NONE = Repairs()


@final
@dataclass(slots=True, eq=False)  # not frozen: one is made per observation, and that would take twice as long
class Posterior(UncertainPredictor):
    """GP(0, K) given n observations y = f(x) + noise of variance `ridge`. `extend` returns a new posterior.

    With A = K(X, X) + ridge·I = L Lᵀ: mean(z) = vᵀ L⁻¹y and var(z) = K(z, z) − ‖v‖², where v = L⁻¹ K(X, z). A ridge
    below 2⁻²⁸ K(x, x) is raised to that at the point x; `repairs` and `report` tell, and a warning if that is much.

    Attributes:
        points: shape (≥ n, d): the points in the first n rows, followed by unused rows; `X` has the points alone.
        whitened_targets: L⁻¹ y in the first n entries, followed by unused ones.
        log_det: ln det(K(X, X) + ridge·I).
        last: the newest row of L; None before the first `extend`.
        repairs: what rounding demanded.
        kernel: the kernel K(x, z).
        ridge: noise variance.
        factor: L⁻¹, kept inverted.

    >>> posterior = GaussianProcess(Gaussian(), ridge=1.0).fit(np.zeros((1, 2)), np.array([3.0]))
    >>> posterior.mean(np.zeros((1, 2))), posterior.extend(np.ones(2), 1.0).n
    (array([1.5]), 2)

    See also `Estimator`, `DualPredictor`, `NystromPredictor`, `FitReport`.
    """

    kernel: Kernel
    ridge: float
    factor: InverseFactor
    points: Array
    whitened_targets: Array
    log_det: float
    last: Appended | None = None
    repairs: Repairs = _NONE

    def __repr__(self) -> str:
        return f"Posterior(n={self.n}, d={self.dim}, kernel={self.kernel}, ridge={self.ridge:.4g})"

    def _repr_html_(self) -> str:
        facts = {"observations": f"{self.n:,}", "features": str(self.dim), "kernel": str(self.kernel)}
        facts |= {"ridge": f"{self.ridge:.4g}", "information gain": f"{self.information_gain:.4g}"}
        return facts_html("Posterior", facts | {"fit": str(self.report)})

    def plot(self) -> Drawn:
        """Draw mean ± 2 standard deviations along the main direction of the points with pyplot; returns the axes."""
        from kernelbandits.regression.posterior_picture import posterior_picture

        return plot(posterior_picture(self))

    def _validate(self) -> None:
        if self.points.ndim != 2 or self.whitened_targets.ndim != 1 or not self.ridge > 0.0:
            raise InvalidArgument("the points of a posterior are not a matrix, or its targets not a vector")
        if not self.factor.n <= len(self.points) == len(self.whitened_targets):
            raise InvalidArgument(f"a posterior has fewer than {self.factor.n} points or targets")
        if self.last is not None and self.last.row.shape != (self.factor.n - 1,):
            raise InvalidArgument("the last row of a posterior is not that of its factor")

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
        raised, noise, _, floored = self.repairs
        return FitReport(self.n, "cholesky", self.n, self.n, raised=raised, noise=noise, floored=floored)

    @property
    def information_gain(self) -> float:
        """½ ln det(I + K(X, X)/ridge)."""
        return 0.5 * (self.log_det - self.factor.n * log(self.ridge) - self.repairs.log_excess)

    def whiten(self, Z: Array) -> Array:
        """v = L⁻¹ K(X, z) for every row z of Z, shape (n, m)."""
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
        if variance < -_INDEFINITE * prior:
            raise InvalidArgument(
                f"the kernel is not positive definite at these points: the variance at a point is {variance:.3g}, with "
                f"{prior:.3g} before any observation; check {self.kernel} with kernelbandits.testing.check_kernel"
            )
        ridge, n, free, repairs = self.ridge, self.factor.n, self.factor.is_newest, self.repairs
        noise = ridge
        if ridge < RESOLVED * prior:
            noise = RESOLVED * prior
            repairs = _raised(repairs, ridge, np.array([noise]))
        factor, last = self.factor.append(whitened, variance, noise)
        if last.floored:
            repairs = repairs._replace(floored=repairs.floored + 1)
        points, targets = self.points, self.whitened_targets
        if not free or n == len(points):  # a successor owns the next row, or there is none
            points, targets = enlarged(points, n), enlarged(targets, n)
        points[n] = x
        targets[n] = (y - mean) / last.pivot
        return Posterior(
            self.kernel, ridge, factor, points, targets, self.log_det + 2.0 * log(last.pivot), last, repairs
        )


def _raised(repairs: Repairs, ridge: float, noise: Array) -> Repairs:
    """The repairs with more points, whose noise was raised above the ridge; warns of the first far above it."""
    largest, known = float(noise.max()), _FAR_ABOVE * ridge
    if repairs.noise <= known < largest:
        warnings.warn(
            f"the ridge {ridge:g} is below what arithmetic resolves next to a prior variance of "
            f"{largest / RESOLVED:.3g}: noise of variance {largest:.3g} is assumed instead. Centre and standardise "
            "the features, or use a larger ridge.",
            RidgeTooSmall,
            stacklevel=4,
        )
    excess = repairs.log_excess + float(np.log(noise).sum()) - len(noise) * log(ridge)
    return Repairs(repairs.raised + len(noise), max(repairs.noise, largest), excess, repairs.floored)


@final
@dataclass(frozen=True, slots=True)
class GaussianProcess(Estimator[Posterior]):
    """GP(0, K) with noise variance `ridge` (the paper's λ²); `fit` returns a `Posterior`.

    Attributes:
        kernel: the kernel K(x, z).
        ridge: noise variance in the square of the unit of y, the paper's λ²; raised where it is below 2⁻²⁸ K(x, x).

    >>> posterior = GaussianProcess(Gaussian(), ridge=1.0).fit([[0.0]], [1.0])
    >>> posterior.mean([[0.0]]), posterior.std([[0.0]]).round(4)
    (array([0.5]), array([0.7071]))

    See also `Estimator`, `KernelRidge`, `Nystrom`, `ConjugateGradient`.
    """

    kernel: Kernel
    ridge: Positive = 1.0

    def _fit(self, X: Array, y: Array) -> Posterior:
        refuse_too_large(X, self.ridge)
        return self._fit_gram(self.kernel.gram(X), X, y)

    def _fit_gram(self, A: Array, X: Array, y: Array) -> Posterior:
        """`_fit` to points whose Gram matrix A is known; it is overwritten."""
        noise = np.maximum(self.ridge, RESOLVED * A.diagonal())
        A[np.diag_indices_from(A)] += noise
        factor = InverseFactor.of(A)
        if factor is not None:
            above = noise[noise > self.ridge]
            repairs = _raised(_NONE, self.ridge, above) if len(above) else _NONE
            whitened = factor.whiten(y)
            return Posterior(self.kernel, self.ridge, factor, X.copy(), whitened, factor.log_det, None, repairs)
        posterior = self.without_data(X.shape[1])  # too close to singular to be factored at once
        for x, target in zip(X, y, strict=True):
            posterior = posterior._extend(x, float(target), posterior.at(x))
        return posterior

    def without_data(self, dim: int) -> Posterior:
        """The prior, as a posterior without observations."""
        return Posterior(self.kernel, self.ridge, InverseFactor.empty(), np.zeros((0, dim)), np.zeros(0), 0.0)

    def cost(self, n: int, d: int) -> Cost:
        return exact_cost(n, d, 2 / 3)  # the inverse of the factor takes another third
