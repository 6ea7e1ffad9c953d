"""Pairs (context, arm) as points of one kernel, so that a process over all arms is an ordinary Gaussian process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel
from kernelbandits.kernels.base import Features
from kernelbandits.linalg.segments import Segments
from kernelbandits.types import Array, IntArray


def pair(context: Array, arm: int) -> Array:
    """One pair as a row: the context, then the number of the arm; shape (d + 1,)."""
    return np.append(context, float(arm))


def pairs(contexts: Array) -> Array:
    """The context of every arm with its number, from (…, K, d) to (…, K, d + 1)."""
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
class PairKernel(Kernel):
    """K((x, i), (z, j)) = B_ij K(x, z) for points made by `pairs`; `covariance` is B, shape (K, K).

    It holds an array, so it is not a spec: beliefs make it from specs.
    """

    __slots__ = ("covariance", "kernel")

    def __init__(self, kernel: Kernel, covariance: Array) -> None:
        self.kernel = kernel
        self.covariance = covariance

    def left(self, X: Array) -> Features:
        return (*self.kernel.left(X[:, :-1]), X[:, -1:])

    def right(self, Z: Array) -> Features:
        return (*self.kernel.right(Z[:, :-1]), Z[:, -1:])

    def evaluate(self, left: Features, right: Features) -> Array:
        values = self.kernel.evaluate(left[:-1], right[:-1])
        values *= self.covariance[_arms(left)][:, _arms(right)]
        return values

    def evaluate_each(self, lefts: Sequence[Features], right: Features, out: Segments) -> None:
        self.kernel.evaluate_each([left[:-1] for left in lefts], right[:-1], out)
        rows = np.concatenate([left[-1].ravel() for left in lefts]).astype(np.int64)
        out.values *= self.covariance[rows, _arms(right).repeat(out.sizes)]

    def diagonal(self, X: Array) -> Array:
        values: Array = self.kernel.diagonal(X[:, :-1]) * self.covariance.diagonal()[_arms((X[:, -1:],))]
        return values

    @property
    def stationary(self) -> bool:
        return False

    @property
    def n_geometries(self) -> int:
        return self.kernel.n_geometries + 1

    @property
    def geometry(self) -> None:
        return None

    def profile(self, t: Array, order: int = 0) -> NoReturn:
        raise InvalidArgument("a kernel over pairs of context and arm has no single profile; ask the contexts' kernel")


def _arms(features: Features) -> IntArray:
    return features[-1][:, 0].astype(np.int64)
