"""Which points a Nyström approximation, or a preconditioner, is built on: one object a way of choosing them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import blas, lapack

from kernelbandits.kernels import Kernel
from kernelbandits.linalg import EPS, TINY, pieces
from kernelbandits.regression.pivoted_cholesky import greedy_pivots, random_pivots
from kernelbandits.specs import Count, Spec
from kernelbandits.types import Array, IntArray

_ROWS = 1024


class Centers(Spec, ABC):
    """How to choose centres. Frozen; chance comes in with `rng`."""

    __slots__ = ()

    @abstractmethod
    def select(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        """At most n centres for points X of shape (N, d), as fresh rows, shape (≤ n, d)."""


def _some(X: Array, n: int, rng: np.random.Generator) -> Array:
    """N rows drawn without replacement in their old order; all of them where there are not more."""
    return X.copy() if n >= len(X) else X[np.sort(rng.choice(len(X), n, replace=False))]


@final
@dataclass(frozen=True, slots=True)
class UniformCenters(Centers):
    """Rows drawn uniformly, without replacement: no look at the data, O(n)."""

    def select(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        return _some(X, n, rng)


@final
@dataclass(frozen=True, slots=True)
class LeverageCenters(Centers):
    """Rows drawn with probability proportional to their approximate ridge leverage scores.

    ℓ_i(λ) = (K (K + λI)⁻¹)_ii says how much of its own prediction a row makes. With λ = tr(K)/n they add up to n at
    most. They are estimated from a uniform pilot S of s rows as (K(x_i, x_i) − k_iSᵀ (K_SS + λ (s/N) I)⁻¹ k_iS) / λ,
    where λ (s/N) is tr(K_SS)/n. O(N s (s + d)) time.
    """

    pilot: Count = 500

    def select(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        if n >= len(X):
            return X.copy()
        scores = self._scores(kernel, X, n, rng)
        return X[np.sort(rng.choice(len(X), n, replace=False, p=scores / scores.sum()))]

    def _scores(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        """The estimates ℓ̂ up to a common factor, shape (N,); above 0, because every row keeps a chance."""
        pilot = _some(X, self.pilot, rng)
        A = kernel.gram(pilot)
        A[np.diag_indices_from(A)] += max(float(np.trace(A)) / n, TINY)
        factor, _ = lapack.dpotrf(A, lower=0)
        right, scores = kernel.right(pilot), np.empty(len(X))
        for rows in pieces(len(X), _ROWS):
            diagonal = kernel.diagonal(X[rows])
            whitened = blas.dtrsm(1.0, factor, kernel.evaluate(kernel.left(X[rows]), right).T, trans_a=1, overwrite_b=1)
            scores[rows] = np.maximum(diagonal - np.einsum("ij,ij->j", whitened, whitened), EPS * diagonal + TINY)
        return scores


@final
@dataclass(frozen=True, slots=True)
class KMeansCenters(Centers):
    """Centres of gravity of n clusters by Lloyd's iterations on a uniform sample of `sample` rows for each centre.

    They are no rows of the data. O(iterations · sample · n² d) time, sample · n · d doubles of memory.
    """

    iterations: Count = 10
    sample: Count = 10

    def select(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        if n >= len(X):
            return X.copy()
        rows = _some(X, self.sample * n, rng)
        centers = _some(rows, n, rng)
        for _ in range(self.iterations):
            centers = _means(rows, _nearest(rows, centers), centers)
        return centers


def _nearest(X: Array, centers: Array) -> IntArray:
    """The number of the nearest centre for every row."""
    half_norms = 0.5 * np.einsum("ij,ij->i", centers, centers)
    nearest = np.empty(len(X), dtype=np.int64)
    for rows in pieces(len(X), _ROWS):
        nearest[rows] = (half_norms - X[rows] @ centers.T).argmin(axis=1)
    return nearest


def _means(X: Array, cluster: IntArray, old: Array) -> Array:
    """The mean of every cluster; an empty one keeps its old centre."""
    order = np.argsort(cluster, kind="stable")
    filled, starts, counts = np.unique(cluster[order], return_index=True, return_counts=True)
    means = old.copy()
    means[filled] = np.add.reduceat(X[order], starts, axis=0) / counts[:, np.newaxis]
    return means


@final
@dataclass(frozen=True, slots=True)
class PivotedCenters(Centers):
    """Pivots of a randomly pivoted Cholesky factorisation (Chen, Epperly, Tropp & Webber 2023), in blocks.

    Each pivot is drawn with probability proportional to what the pivots before it leave of the diagonal, K(x, x) −
    k_Sᵀ K_SS⁻¹ k_S: rare regions get their centres, crowded ones no more than they need. Blocks of pivots are proposed
    at once and thinned by rejection, which leaves the distribution that of one pivot at a time.

    Works on a uniform sample of `candidates` rows (at least 2n), because it holds candidates · n doubles.
    """

    candidates: Count = 10_000

    def select(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        rows = _some(X, max(self.candidates, 2 * n), rng)
        return rows[random_pivots(kernel, rows, n, rng)]


@final
@dataclass(frozen=True, slots=True)
class GreedyCenters(Centers):
    """Pivots of partial Cholesky with complete pivoting: always the row that the ones before explain least.

    Works on a uniform sample of `candidates` rows (at least 2n), because it holds candidates · n doubles.
    """

    candidates: Count = 10_000

    def select(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        rows = _some(X, max(self.candidates, 2 * n), rng)
        return rows[greedy_pivots(kernel, rows, n)]


__all__ = [
    "Centers",
    "GreedyCenters",
    "KMeansCenters",
    "LeverageCenters",
    "PivotedCenters",
    "UniformCenters",
]
