"""Pairs (context, arm) as points of one kernel, so that a process over all arms is an ordinary Gaussian process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from kernelbandits.kernels import Combination, Geometry, Kernel, MappedGeometry
from kernelbandits.linalg import Segments
from kernelbandits.types import Array, IntArray


def pair(context: Array, arm: int) -> Array:
    """The context followed by the number of the arm, shape (d + 1,)."""
    return np.append(context, float(arm))


def pairs(contexts: Array) -> Array:
    """Append the number of the arm to the context of each arm: from shape (…, K, d) to (…, K, d + 1)."""
    *before, n_arms, dim = contexts.shape
    rows = np.empty((*before, n_arms, dim + 1))
    rows[..., :dim] = contexts
    rows[..., dim] = np.arange(n_arms)
    return rows


def pairs_of(arms: list[int], contexts: list[Array]) -> Array:
    """Contexts given arm by arm, arrays of shape (n, d), each with its arm's number, as one array (N, d + 1)."""
    numbers = np.repeat(np.array(arms, dtype=np.float64), [len(X) for X in contexts])
    return np.column_stack([np.concatenate(contexts), numbers])


@final
class PairKernel(Combination):
    """K((x, i), (z, j)) = B_ij K(x, z) for points made by `pairs`; `covariance` is B, shape (K, K).

    It holds an array, so it is not a spec: beliefs make it from specs.
    """

    __slots__ = ("_geometries", "covariance", "kernel")

    def __init__(self, kernel: Kernel, covariance: Array) -> None:
        self.kernel = kernel
        self.covariance = covariance
        self._geometries = (*map(_Contexts, kernel.geometries), _Arms(covariance))

    @property
    def geometries(self) -> tuple[Geometry, ...]:
        return self._geometries

    def _values(self, t: Sequence[Array], order: int) -> Array:
        values = self.kernel._values(t[:-1], order)
        values *= t[-1]
        return values


@final
class _Contexts(MappedGeometry):
    """A geometry of the contexts in pairs."""

    __slots__ = ("mapped",)

    def __init__(self, mapped: Geometry) -> None:
        self.mapped = mapped

    def _map(self, X: Array) -> Array:
        return X[:, :-1]

    def diagonal(self, X: Array) -> Array:
        return self.mapped.diagonal(X[:, :-1])


@final
class _Arms(Geometry):
    """t = B_ij for the arms i and j in pairs. The features are the numbers of the arms, shape (n, 1)."""

    stationary = False
    __slots__ = ("_covariance",)

    def __init__(self, covariance: Array) -> None:
        self._covariance = covariance

    def left(self, X: Array, out: Array | None = None) -> Array:
        if out is None:
            return X[:, -1:]
        out[:] = X[:, -1:]
        return out

    def right(self, Z: Array) -> Array:
        return Z[:, -1:]

    def evaluate(self, left: Array, right: Array) -> Array:
        return self._covariance[_numbers(left)][:, _numbers(right)]

    def evaluate_each(self, lefts: Sequence[Array], right: Array, out: Segments) -> None:
        rows = np.concatenate([left.ravel() for left in lefts]).astype(np.int64)
        out.values[:] = self._covariance[rows, _numbers(right).repeat(out.sizes)]

    def diagonal(self, X: Array) -> Array:
        values: Array = self._covariance.diagonal()[_numbers(X[:, -1:])]
        return values


def _numbers(features: Array) -> IntArray:
    return features[:, 0].astype(np.int64)
