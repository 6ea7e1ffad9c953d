"""`Estimator`, a frozen spec whose `fit` returns a `Predictor`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from kernelbandits import checks
from kernelbandits.kernels import KernelExpansion
from kernelbandits.regression.cost import Cost
from kernelbandits.regression.report import FitReport
from kernelbandits.specs import Spec
from kernelbandits.types import Array, ArrayLike


class Predictor(ABC):
    """A fitted function on R^d."""

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


class ExpansionPredictor(Predictor):
    """A predictor that is a kernel expansion.

    Attributes:
        function: f̂(z) = Σ_j a_j K(z, x_j).

    """

    __slots__ = ()

    function: KernelExpansion

    @property
    def expansion(self) -> KernelExpansion:
        return self.function

    @property
    def dim(self) -> int:
        return int(self.function.centers.shape[1])

    @property
    def weights(self) -> Array:
        """The weights a, shape (n,)."""
        return self.function.coefficients

    def _mean(self, Z: Array) -> Array:
        return self.function(Z)


P = TypeVar("P", bound=Predictor, covariant=True)


class Estimator(Spec, ABC, Generic[P]):
    """A method of regression. Frozen; `fit` does not change it."""

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
