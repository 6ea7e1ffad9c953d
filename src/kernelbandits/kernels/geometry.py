"""How two points become the one number t that a kernel's profile is applied to. The paper's 1/d scaling lives here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.types import Array


class Geometry(ABC):
    """t(x, z) for blocks of points. Every answer is a fresh array that the caller may overwrite."""

    __slots__ = ()

    @abstractmethod
    def block(self, X: Array, Z: Array) -> Array:
        """T for every pair, shape (n, m)."""

    @abstractmethod
    def symmetric(self, X: Array) -> Array:
        """T for every pair of one set, shape (n, n): exactly symmetric, and `diagonal` on its diagonal."""

    @abstractmethod
    def diagonal(self, X: Array) -> Array:
        """t(x, x) for every row, shape (n,)."""


def _squared_norms(X: Array) -> Array:
    norms: Array = np.einsum("ij,ij->i", X, X)
    return norms


@final
@dataclass(frozen=True, slots=True)
class InnerProduct(Geometry):
    """t = ⟨x, z⟩ / d."""

    def block(self, X: Array, Z: Array) -> Array:
        t: Array = X @ Z.T
        t /= X.shape[1]
        return t

    def symmetric(self, X: Array) -> Array:
        t: Array = X @ X.T  # numpy recognises the product with its own transpose: syrk, half the work, symmetric
        t /= X.shape[1]
        np.fill_diagonal(t, self.diagonal(X))
        return t

    def diagonal(self, X: Array) -> Array:
        t: Array = _squared_norms(X) / X.shape[1]
        return t


@final
@dataclass(frozen=True, slots=True)
class Radial(Geometry):
    """t = ‖x − z‖² / d, from ‖x‖² + ‖z‖² − 2⟨x, z⟩ so that the work is one matrix product.

    Where the difference is below the rounding error of the two norms it says nothing, not even its sign: there t is
    0. So t is never negative, and a point is at distance exactly 0 from its copy.
    """

    def block(self, X: Array, Z: Array) -> Array:
        d = X.shape[1]
        return _distances(X @ (Z * (2.0 / d)).T, _squared_norms(X) / d, _squared_norms(Z) / d, d)

    def symmetric(self, X: Array) -> Array:
        d = X.shape[1]
        scaled = X * np.sqrt(2.0 / d)
        x = _squared_norms(X) / d
        t = _distances(scaled @ scaled.T, x, x, d)
        np.fill_diagonal(t, 0.0)
        return t

    def diagonal(self, X: Array) -> Array:
        return np.zeros(len(X))


_ROWS = 64  # rows at a time, so that the sums of norms stay in the cache


def _distances(products: Array, x: Array, z: Array, d: int) -> Array:
    """x_i + z_j − p_ij in place of the products p, and 0 where that is below its rounding error.

    Adding the norms first keeps a symmetric block symmetric to the last bit.
    """
    tolerance = 4.0 * np.finfo(np.float64).eps * np.sqrt(d)
    for start in range(0, len(products), _ROWS):
        rows = products[start : start + _ROWS]
        norms = x[start : start + _ROWS, np.newaxis] + z
        np.subtract(norms, rows, out=rows)
        norms *= tolerance
        np.copyto(rows, 0.0, where=rows < norms)
    return products


@final
@dataclass(frozen=True, slots=True)
class Spherical(Geometry):
    """t = ⟨x, z⟩ / (‖x‖‖z‖), which is ⟨x, z⟩ / d on the sphere of radius √d where Schoenberg kernels are defined."""

    max_dim: int

    def block(self, X: Array, Z: Array) -> Array:
        return np.clip(self._project(X) @ self._project(Z).T, -1.0, 1.0)

    def symmetric(self, X: Array) -> Array:
        unit = self._project(X)
        t = np.clip(unit @ unit.T, -1.0, 1.0)
        np.fill_diagonal(t, 1.0)
        return t

    def diagonal(self, X: Array) -> Array:
        self._project(X)
        return np.ones(len(X))

    def _project(self, X: Array) -> Array:
        if X.shape[1] > self.max_dim:
            raise InvalidArgument(
                f"this Schoenberg kernel is positive definite up to dim={self.max_dim}; "
                f"got points with {X.shape[1]} features"
            )
        norms = np.sqrt(_squared_norms(X))
        if not norms.all():
            raise InvalidArgument(
                f"a Schoenberg kernel lives on the sphere: row {int(np.argmin(norms))} is the zero vector, "
                "which has no direction. Drop it or add a constant feature."
            )
        return X / norms[:, np.newaxis]
