"""How arms are related: a covariance matrix B of shape (K, K), so that Cov(f⁽ⁱ⁾(x), f⁽ʲ⁾(z)) = B_ij K(x, z)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Gaussian, Kernel
from kernelbandits.specs import Range, Spec
from kernelbandits.types import Array

Share = Annotated[float, Range("a number from 0 to 1", lambda v: 0 <= v <= 1)]
_ROUNDING = 1e-10


class ArmCovariance(Spec, ABC):
    """How arms are related: the covariances of their reward functions at one context.

    >>> [float(each.matrix(2)[0, 1]) for each in (Exchangeable(0.0), Exchangeable(0.5), CommonFunction())]
    [0.0, 0.5, 1.0]

    See also `JointArms`, `CommonFunction`, `Exchangeable`.
    """

    __slots__ = ()

    @abstractmethod
    def matrix(self, n_arms: int) -> Array:
        """B for K arms, symmetric and positive semi-definite, shape (K, K)."""


@final
@dataclass(frozen=True, slots=True)
class CommonFunction(ArmCovariance):
    """B = 11ᵀ: all arms have one reward function, only their contexts differ.

    Reference: Valko et al. 2013.

    >>> CommonFunction().matrix(2)
    array([[1., 1.],
           [1., 1.]])

    See also `JointArms`, `ArmCovariance`, `Exchangeable`, `GivenSimilarity`.
    """

    def matrix(self, n_arms: int) -> Array:
        return np.ones((n_arms, n_arms))


@final
@dataclass(frozen=True, slots=True)
class Exchangeable(ArmCovariance):
    """B = w·11ᵀ + (1 − w)·I: f⁽ⁱ⁾ = √w g + √(1 − w) h⁽ⁱ⁾ with a common g and one h⁽ⁱ⁾ per arm.

    w = `weight` is the correlation of any two arms: 0 for independent arms, 1 for one common function.

    Attributes:
        weight: w, the correlation of any two arms, from 0 to 1.

    >>> Exchangeable(0.25).matrix(2)
    array([[1.  , 0.25],
           [0.25, 1.  ]])

    See also `JointArms`, `CommonFunction`, `GivenSimilarity`, `ArmFeatures`.
    """

    weight: Share = 0.5

    def matrix(self, n_arms: int) -> Array:
        return self.weight + (1.0 - self.weight) * np.eye(n_arms)


@final
@dataclass(frozen=True, slots=True)
class GivenSimilarity(ArmCovariance):
    """B entry by entry, as nested lists (`array.tolist()`): K rows of K numbers.

    Reference: Krause & Ong 2011, products of a kernel over arms and one over contexts.

    Attributes:
        entries: B, shape (K, K), symmetric and positive semi-definite; B_ii multiplies the prior variance of arm i.

    >>> GivenSimilarity([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 2.0]]).matrix(3)[0]
    array([1. , 0.9, 0. ])

    See also `JointArms`, `Exchangeable`, `ArmFeatures`, `CommonFunction`.
    """

    entries: tuple[tuple[float, ...], ...]

    def _validate(self) -> None:
        B = _rows("GivenSimilarity: entries", self.entries)
        if B.shape[0] != B.shape[1] or not np.allclose(B, B.T, rtol=_ROUNDING):
            raise InvalidArgument(f"GivenSimilarity: entries must be a symmetric matrix; got shape {B.shape}, {B}")
        smallest = float(np.linalg.eigvalsh(B)[0])
        if smallest < -_ROUNDING * max(float(np.abs(B).max()), 1.0):
            raise InvalidArgument(
                "GivenSimilarity: entries must be positive semi-definite, as covariances are; "
                f"got the eigenvalue {smallest:.3g}. Use smaller off-diagonal entries."
            )

    def matrix(self, n_arms: int) -> Array:
        return _rows("GivenSimilarity: entries", self.entries, n_arms)


@final
@dataclass(frozen=True, slots=True)
class ArmFeatures(ArmCovariance):
    """B_ij = K(aᵢ, aⱼ) for one vector of features per arm, as nested lists of K rows.

    Reference: Krause & Ong 2011.

    Attributes:
        features: shape (K, q), one row per arm; not the features of contexts.
        kernel: the kernel of two rows of `features`.

    >>> ArmFeatures([[0.0], [0.0], [3.0]], Gaussian()).matrix(3).round(3)[0]
    array([1., 1., 0.])

    See also `JointArms`, `GivenSimilarity`, `Exchangeable`.
    """

    features: tuple[tuple[float, ...], ...]
    kernel: Kernel = Gaussian()

    def _validate(self) -> None:
        _rows("ArmFeatures: features", self.features)

    def matrix(self, n_arms: int) -> Array:
        return self.kernel(_rows("ArmFeatures: features", self.features, n_arms))


def _rows(name: str, rows: tuple[tuple[float, ...], ...], n_arms: int | None = None) -> Array:
    if n_arms not in (None, len(rows)):
        raise InvalidArgument(
            f"{name} must have one row per arm; got {len(rows)} rows for a problem with {n_arms} arms"
        )
    return checks.finite_array(name, rows, (None, None), "one row per arm, all of one length")
