"""How the centres of a Nyström approximation or a preconditioner are chosen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import blas, lapack

from kernelbandits.kernels import Kernel, Radial
from kernelbandits.linalg import EPS, TINY, MatrixRows, greedy_pivots, pieces, random_pivots
from kernelbandits.specs import Count, Spec
from kernelbandits.types import Array, IntArray

_ROWS = 1024


class Centers(Spec, ABC):
    """A way of choosing centres. Frozen; randomness comes from `rng`.

    Of ten rows, one is far from the others. How many of 100 draws of two centres have it?

    >>> X = np.array([[0.0]] * 9 + [[3.0]])
    >>> def found(way):
    ...     return sum(3.0 in way.select(Gaussian(), X, 2, np.random.default_rng(seed)) for seed in range(100))
    >>> found(UniformCenters()) < found(LeverageCenters()) < found(PivotedCenters())
    True

    See also `Nystrom`, `UniformCenters`, `LeverageCenters`.
    """

    __slots__ = ()

    @abstractmethod
    def select(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        """At least one and at most n centres for points X of shape (N, d), as a new array of shape (≤ n, d)."""


def _some(X: Array, n: int, rng: np.random.Generator) -> Array:
    """A uniform sample of n rows without replacement, in their old order; all rows if there are at most n."""
    return X.copy() if n >= len(X) else X[np.sort(rng.choice(len(X), n, replace=False))]


@final
@dataclass(frozen=True, slots=True)
class UniformCenters(Centers):
    """Rows drawn uniformly without replacement, in O(n).

    >>> fit = Nystrom(Gaussian(), 0.1, n_centers=2, centers=UniformCenters()).fit(np.eye(5), np.ones(5))
    >>> fit.centers.shape
    (2, 5)

    See also `Nystrom`, `Centers`, `LeverageCenters`, `KMeansCenters`.
    """

    def select(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        return _some(X, n, rng)


@final
@dataclass(frozen=True, slots=True)
class LeverageCenters(Centers):
    """Rows drawn with probability proportional to their approximate ridge leverage scores.

    ℓ_i(λ) = (K (K + λI)⁻¹)_ii is the weight of y_i in the prediction at x_i. With λ = tr(K)/n the scores sum to at most
    n. They are estimated from a uniform pilot S of s rows as (K(x_i, x_i) − k_iSᵀ (K_SS + λ (s/N) I)⁻¹ k_iS) / λ,
    where λ (s/N) is tr(K_SS)/n. O(N s (s + d)) time.

    Attributes:
        pilot: s, the rows of a uniform sample that the scores are estimated from.

    >>> x = np.linspace(0.0, 3.0, 500)[:, None]
    >>> estimator = Nystrom(Gaussian(), 1e-3, n_centers=20, centers=LeverageCenters(pilot=100))
    >>> estimator.fit(x, np.sin(x[:, 0])).mean([[0.5], [1.5]]).round(2)  # sin 0.5 and sin 1.5
    array([0.48, 1.  ])

    See also `Nystrom`, `UniformCenters`, `KMeansCenters`, `PivotedCenters`.
    """

    pilot: Count = 500

    def select(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        if n >= len(X):
            return X.copy()
        pilot = _some(X, self.pilot, rng)
        A = kernel.gram(pilot)
        A[np.diag_indices_from(A)] += max(float(np.trace(A)) / n, TINY)
        factor, _ = lapack.dpotrf(A, lower=0)
        right, scores = kernel.right(pilot), np.empty(len(X))  # up to a factor; positive, so that all rows can be drawn
        for rows in pieces(len(X), _ROWS):
            diagonal = kernel.diagonal(X[rows])
            whitened = blas.dtrsm(1.0, factor, kernel.evaluate(kernel.left(X[rows]), right).T, trans_a=1, overwrite_b=1)
            scores[rows] = np.maximum(diagonal - np.einsum("ij,ij->j", whitened, whitened), EPS * diagonal + TINY)
        return X[np.sort(rng.choice(len(X), n, replace=False, p=scores / scores.sum()))]


@final
@dataclass(frozen=True, slots=True)
class KMeansCenters(Centers):
    """Means of n clusters, by Lloyd's iterations on a uniform sample of `sample` rows per centre.

    They are not rows of the data. O(iterations · sample · n² d) time, sample · n · d doubles of memory.

    Attributes:
        iterations: how often rows are assigned to their nearest mean, and the means computed again.
        sample: how many rows per centre the iterations use; all rows if there are fewer.

    >>> estimator = Nystrom(Gaussian(), 0.1, n_centers=2, centers=KMeansCenters())
    >>> estimator.fit([[0.0], [1.0], [10.0], [11.0]], np.ones(4)).centers
    array([[ 0.5],
           [10.5]])

    See also `Nystrom`, `LeverageCenters`, `PivotedCenters`, `GreedyCenters`.
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
    """The number of the nearest centre of each row."""
    geometry, nearest = Radial(), np.empty(len(X), dtype=np.int64)
    right = geometry.right(centers)
    for rows in pieces(len(X), _ROWS):
        nearest[rows] = geometry.evaluate(geometry.left(X[rows]), right).argmin(axis=1)
    return nearest


def _means(X: Array, cluster: IntArray, old: Array) -> Array:
    """The mean of each cluster; an empty one keeps its old centre."""
    order = np.argsort(cluster, kind="stable")
    filled, starts, counts = np.unique(cluster[order], return_index=True, return_counts=True)
    means = old.copy()
    means[filled] = np.add.reduceat(X[order], starts, axis=0) / counts[:, np.newaxis]
    return means


@final
@dataclass(frozen=True, slots=True)
class PivotedCenters(Centers):
    """Pivots of a randomly pivoted Cholesky factorisation (Chen, Epperly, Tropp & Webber 2023), in blocks.

    Each pivot is drawn with probability proportional to the diagonal that the pivots S before it leave, K(x, x) −
    k_Sᵀ K_SS⁻¹ k_S: rare regions get centres, dense ones no more than they need. Blocks of pivots are proposed at once
    and thinned by rejection, which has the distribution of one pivot at a time.

    Attributes:
        candidates: rows of the uniform sample that centres are chosen from, which holds candidates · n doubles; 2n if
            that is more, all rows if there are fewer.

    >>> X = np.array([[0.0]] * 99 + [[3.0]])  # one row is far from the others: it becomes a centre
    >>> np.sort(Nystrom(Gaussian(), 0.1, n_centers=2, centers=PivotedCenters()).fit(X, np.ones(100)).centers, axis=0)
    array([[0.],
           [3.]])

    See also `Nystrom`, `KMeansCenters`, `GreedyCenters`, `LeverageCenters`.
    """

    candidates: Count = 10_000

    def select(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        rows = _some(X, max(self.candidates, 2 * n), rng)
        return _at_pivots(rows, random_pivots(kernel.diagonal(rows), _gram_rows(kernel, rows), n, rng))


@final
@dataclass(frozen=True, slots=True)
class GreedyCenters(Centers):
    """Pivots of a partial Cholesky factorisation with complete pivoting: always the row that is explained least so far.

    Attributes:
        candidates: as in `PivotedCenters`.

    >>> X = np.array([[0.0], [0.1], [3.0], [3.1]])
    >>> Nystrom(Gaussian(), 0.1, n_centers=2, centers=GreedyCenters()).fit(X, np.ones(4)).centers
    array([[0. ],
           [3.1]])

    See also `Nystrom`, `PivotedCenters`, `KMeansCenters`.
    """

    candidates: Count = 10_000

    def select(self, kernel: Kernel, X: Array, n: int, rng: np.random.Generator) -> Array:
        rows = _some(X, max(self.candidates, 2 * n), rng)
        return _at_pivots(rows, greedy_pivots(kernel.diagonal(rows), _gram_rows(kernel, rows), n))


def _gram_rows(kernel: Kernel, X: Array) -> MatrixRows:
    left = kernel.left(X)
    return lambda rows: kernel.evaluate(left, kernel.right(X[rows])).T


def _at_pivots(rows: Array, pivots: IntArray) -> Array:
    """The rows at the pivots; one row if there is none, because the kernel is 0 at all of them."""
    return rows[pivots] if len(pivots) else rows[:1].copy()
