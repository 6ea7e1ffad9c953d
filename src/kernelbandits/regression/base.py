"""What all methods of regression share: an `Estimator` is fitted and returns a `Predictor` with a `FitReport`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cache
from math import ceil, isnan, nan
from timeit import repeat
from typing import Generic, TypeVar, final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import counted
from kernelbandits.kernels import KernelExpansion
from kernelbandits.linalg import blas_threads, memory_text
from kernelbandits.specs import Spec
from kernelbandits.types import Array, ArrayLike

ASSUMED_ITERATIONS = 30
"""Iterations that a cost assumes for conjugate gradients and for early stopping, where the data decide."""


@final
@dataclass(frozen=True, slots=True)
class FitReport:
    """A record of one fit. A number that a method does not compute is NaN.

    Attributes:
        n: rows of data.
        method: how the system was solved: "cholesky", or "eigen" where the matrix was too close to singular, …
        size: number of unknowns: n, or the number of centres used.
        rank: rank used; less than `size` if repeated rows were merged or eigenvalues taken as zero.
        residual: (K + ridge·I) a − y relative to y: largest entries for an exact fit, norms for an iterative one; for
            Nyström the root mean square of y − f̂(x) relative to that of y.
        condition: estimate of the condition number, ∞ for a singular matrix; for Nyström that of K_MM.
        cutoff: eigenvalues up to this were taken as zero, or centres left out because the others leave at most this
            squared RKHS distance to them; 0 if there were none.
        duplicates: rows that repeat an earlier row exactly; Nyström and Gaussian-process fits do not count them.
        left_out: selected centres that the others span; leaving them out does not change the span.
        raised: points of a Gaussian process whose noise was raised above the ridge, to what arithmetic resolves.
        noise: the largest such noise, a variance; 0 if there is none.
        floored: pivots of a Gaussian process that were lost in rounding and raised.
        iterations: number of iterations; 0 for a direct fit.
        seconds: wall time of an iterative fit; 0 for a direct one.
        converged: whether an iterative fit ended as its stopping rule wants; True for a direct fit.
        reason: why an iterative fit ended, in words.

    >>> print(MinNormInterpolator(Gaussian()).fit([[0.0], [0.0], [1.0]], [1.0, 3.0, 2.0]).report)
    cholesky: 3 rows, condition inf, residual 3.3e-01, rank 2 of 3, 1 duplicate row

    See also `Estimator`, `NystromPredictor`, `Posterior`.
    """

    n: int
    method: str
    size: int
    rank: int
    residual: float = nan
    condition: float = nan
    cutoff: float = 0.0
    duplicates: int = 0
    left_out: int = 0
    raised: int = 0
    noise: float = 0.0
    floored: int = 0
    iterations: int = 0
    seconds: float = 0.0
    converged: bool = True
    reason: str = ""

    @property
    def exact(self) -> bool:
        """Whether the system had full rank, so that its solution is unique."""
        return self.rank == self.size

    def __str__(self) -> str:
        ending = "converged" if self.converged else "did not converge"
        cut = f" (eigenvalues up to {self.cutoff:.1e} cut)" if self.cutoff else ""
        parts = [
            (f"{self.iterations} iterations, {self.seconds:.1f} s", self.reason),
            (counted(self.n, "row"), True),
            (f"condition {self.condition:.1e}", not isnan(self.condition)),
            (f"residual {self.residual:.1e}", not isnan(self.residual)),
            (f"rank {self.rank} of {self.size}{'' if self.left_out else cut}", not self.exact),
            (counted(self.duplicates, "duplicate row"), self.duplicates),
            (f"{self.left_out} centres left out (spanned by the others up to {self.cutoff:.1e})", self.left_out),
            (f"noise raised above the ridge at {self.raised} points, to at most {self.noise:.1e}", self.raised),
            (f"{self.floored} floored pivots", self.floored),
        ]
        text = ", ".join(part for part, said in parts if said)
        return f"{self.method} {ending} ({self.reason}): {text}" if self.reason else f"{self.method}: {text}"


@final
@dataclass(frozen=True, slots=True)
class Cost:
    """Time and memory of a fit, within a factor of about two.

    Attributes:
        operations: floating-point operations of matrix products and factorisations.
        kernel_values: kernel values to compute.
        bytes: memory at the peak, without the data.

    >>> round(estimate(KernelRidge(Gaussian()), 1000, 10).bytes / 1e6, 1)  # megabytes
    10.4

    See also `solver_for`, `estimate`, `Solver`.
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


class Predictor(ABC):
    """A fitted function on R^d: `mean` predicts, and `report` says how the fit went.

    >>> fit = KernelRidge(Gaussian(), ridge=1.0).fit([[0.0], [9.0]], [2.0, 4.0])
    >>> fit.mean([[0.0], [9.0], [99.0]]).round(3), fit.report.method
    (array([1., 2., 0.]), 'cholesky')

    See also `Estimator`, `GradientDescent`, `DualPredictor`, `Posterior`.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of features d."""

    @property
    @abstractmethod
    def report(self) -> FitReport:
        """What happened in the fit."""

    @property
    @abstractmethod
    def expansion(self) -> KernelExpansion | None:
        """The function as Σ_j a_j K(·, x_j), if it is one; then several arms can be evaluated together."""

    def mean(self, Z: ArrayLike) -> Array:
        """Predictions at the rows of Z, shape (m,)."""
        return self._mean(checks.points("Z", Z, dim=self.dim))

    @abstractmethod
    def _mean(self, Z: Array) -> Array:
        """`mean` without checks."""

    def _rehearse(self) -> None:
        """Predict, to see whether a loaded predictor works; not with points of more than 64 MB."""
        if self.dim <= 2**23:
            for ask in (self.mean, getattr(self, "std", self.mean)):
                ask(np.zeros((1, self.dim)))


class UncertainPredictor(Predictor):
    """A predictor with a standard deviation."""

    __slots__ = ()

    def std(self, Z: ArrayLike) -> Array:
        """Standard deviation of f at the rows of Z, shape (m,), without the noise of a new reward."""
        return self.mean_and_std(Z)[1]

    def mean_and_std(self, Z: ArrayLike) -> tuple[Array, Array]:
        """`mean` and `std` at the rows of Z, both of shape (m,)."""
        return self._mean_and_std(checks.points("Z", Z, dim=self.dim))

    @abstractmethod
    def _mean_and_std(self, Z: Array) -> tuple[Array, Array]:
        """`mean_and_std` without checks."""


P = TypeVar("P", bound=Predictor, covariant=True)


class Estimator(Spec, ABC, Generic[P]):
    """A method of regression. Frozen; `fit` does not change it, so one estimator serves all arms.

    >>> estimator = KernelRidge(Gaussian(), ridge=1.0)
    >>> [estimator.fit([[0.0]], [y]).mean([[0.0]]).round(3).item() for y in (2.0, 4.0)]
    [1.0, 2.0]

    See also `MinNormInterpolator`, `KernelRidge`.
    """

    __slots__ = ()

    def fit(self, X: ArrayLike, y: ArrayLike) -> P:
        """The predictor fitted to points X, shape (n, d), and targets y, shape (n,)."""
        points = checks.points("X", X)
        targets = checks.targets("y", y, len(points))
        return self._fit(points, targets)

    @abstractmethod
    def _fit(self, X: Array, y: Array) -> P:
        """`fit` without checks. The predictor copies what it keeps of X and y."""

    @abstractmethod
    def without_data(self, dim: int) -> P:
        """The prediction before any observation: 0 everywhere."""

    @abstractmethod
    def cost(self, n: int, d: int) -> Cost:
        """What a fit to n points with d features costs."""
