"""What an estimator is: a frozen spec whose `fit` returns a predictor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from kernelbandits import checks
from kernelbandits.kernels import KernelExpansion
from kernelbandits.specs import Spec
from kernelbandits.types import Array, ArrayLike


class Predictor(ABC):
    """A fitted function on R^d."""

    __slots__ = ()

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of features d."""

    def mean(self, Z: ArrayLike) -> Array:
        """Predictions at the rows of Z, shape (m,)."""
        return self._mean(checks.points("Z", Z, dim=self.dim))

    @property
    @abstractmethod
    def expansion(self) -> KernelExpansion | None:
        """The function as Σ_j a_j K(·, x_j), if it is one; then several arms can be evaluated together."""

    @abstractmethod
    def _mean(self, Z: Array) -> Array:
        """Predictions for an array that was checked already, shape (m,)."""


class ExpansionPredictor(Predictor):
    """A predictor that is a kernel expansion and nothing else.

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
    """How to get from data to a predictor. Frozen; `fit` does not change it."""

    __slots__ = ()

    def fit(self, X: ArrayLike, y: ArrayLike) -> P:
        """The predictor learnt from points X, shape (n, d), and targets y, shape (n,)."""
        points = checks.points("X", X)
        targets = checks.targets("y", y, len(points))
        return self._fit(points, targets)

    @abstractmethod
    def _fit(self, X: Array, y: Array) -> P:
        """`fit` for arrays that were checked already. They stay the caller's: what the predictor keeps, it copies."""

    @abstractmethod
    def without_data(self, dim: int) -> P:
        """The prediction before any observation: 0 everywhere."""
