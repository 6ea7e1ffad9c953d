"""Preconditioned conjugate gradients: the interpolator or kernel ridge regression without holding N² doubles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log10
from typing import TypeAlias, final

import numpy as np
from scipy.linalg import blas, lapack

from kernelbandits.kernels import Kernel
from kernelbandits.linalg import EPS, available_memory, pieces, require_memory
from kernelbandits.regression.base import ASSUMED_ITERATIONS, Cost, FitReport
from kernelbandits.regression.centers import Centers, PivotedCenters
from kernelbandits.regression.dual import count_duplicates, distinct_rows
from kernelbandits.regression.iterative import IterativeEstimator, KernelProduct, products_cost
from kernelbandits.regression.normal_equations import Basis, rows_of_block
from kernelbandits.reporting.progress import Progress
from kernelbandits.specs import Count, CountFromZero, NonNegative, Probability, Spec
from kernelbandits.types import Array

Inverse: TypeAlias = Callable[[Array], Array]


class Preconditioner(Spec, ABC):
    """A way of approximating the inverse of K + ridge·I. Frozen; randomness comes from `rng`.

    A better approximation takes memory and saves iterations:

    >>> x = np.linspace(0.0, 3.0, 50)[:, None]
    >>> def iterations(way):
    ...     return ConjugateGradient(Gaussian(), 0.01, way).fit(x, np.sin(x[:, 0])).report.iterations
    >>> iterations(NoPreconditioner()) > iterations(PartialCholesky(rank=20))
    True

    See also `ConjugateGradient`, `PartialCholesky`, `NoPreconditioner`.
    """

    __slots__ = ()

    @abstractmethod
    def prepare(self, kernel: Kernel, X: Array, ridge: float, rng: np.random.Generator) -> Inverse:
        """The map r ↦ P⁻¹ r on vectors of shape (N,), for the points X of shape (N, d)."""

    @abstractmethod
    def memory(self, n: int) -> float:
        """Bytes that the inverse holds for n points."""


@final
@dataclass(frozen=True, slots=True)
class NoPreconditioner(Preconditioner):
    """P = I: plain conjugate gradients, which hold next to nothing and need the most iterations.

    >>> NoPreconditioner().memory(n=1000), PartialCholesky(rank=300).memory(n=1000)  # bytes
    (8000.0, 2400000.0)

    See also `ConjugateGradient`, `PartialCholesky`, `Preconditioner`.
    """

    def prepare(self, kernel: Kernel, X: Array, ridge: float, rng: np.random.Generator) -> Inverse:
        return np.copy

    def memory(self, n: int) -> float:
        return 8.0 * n


@final
@dataclass(frozen=True, slots=True)
class PartialCholesky(Preconditioner):
    """P = F Fᵀ + δ I with the partial Cholesky factor F of K at `rank` pivots: F Fᵀ = K_NS K_SS⁻¹ K_SN.

    δ is ridge plus the mean of the diagonal of K − F Fᵀ, which suits a flat tail of the spectrum, as in high dimension.
    Holds rank · N doubles; P⁻¹ r = (r − Q Qᵀ r)/δ with Q = F (FᵀF + δI)^{−½}, by Cholesky.

    Attributes:
        rank: number of pivots: more save iterations, and each holds N doubles.
        centers: how the pivots are chosen: `PivotedCenters()` at random, `GreedyCenters()` by the classical rule.

    >>> x = np.linspace(0.0, 3.0, 50)[:, None]
    >>> ConjugateGradient(Gaussian(), 0.01, PartialCholesky(rank=50)).fit(x, np.sin(x[:, 0])).report.iterations < 5
    True

    See also `ConjugateGradient`, `Preconditioner`, `NoPreconditioner`.
    """

    rank: Count = 300
    centers: Centers = PivotedCenters()

    def prepare(self, kernel: Kernel, X: Array, ridge: float, rng: np.random.Generator) -> Inverse:
        basis = Basis.of(kernel, self.centers.select(kernel, X, self.rank, rng))
        right, Q, left = kernel.right(basis.centers), np.empty((len(X), basis.size)), kernel.diagonal(X)
        for rows in pieces(len(X), rows_of_block(basis.size)):  # Q is F at first
            Q[rows] = basis.whiten(kernel.evaluate(kernel.left(X[rows]), right)).T
            left[rows] -= np.einsum("ij,ij->i", Q[rows], Q[rows])
        delta = ridge + max(float(left.mean()), 0.0)
        gram = Q.T @ Q
        # At least the rounding error: else the factorisation of the next lines could fail.
        delta = max(delta, 100.0 * len(gram) * EPS * float(np.trace(gram)))
        gram[np.diag_indices_from(gram)] += delta
        factor, _ = lapack.dpotrf(gram, lower=0)
        for rows in pieces(len(Q), rows_of_block(len(gram))):
            blas.dtrsm(1.0, factor, Q[rows].T, trans_a=1, overwrite_b=1)  # in place: a slice of rows is contiguous

        def inverse(r: Array) -> Array:
            return (r - Q @ (r @ Q)) / delta

        return inverse

    def memory(self, n: int) -> float:
        return 8.0 * self.rank * n


@final
@dataclass(frozen=True, slots=True)
class ConjugateGradient(IterativeEstimator):
    """(K + ridge·I) a = y by preconditioned conjugate gradients, until ‖(K + ridge·I) a − y‖ ≤ tolerance · ‖y‖.

    With ridge = 0 this is the minimum-norm interpolator; repeated rows are merged and get the mean of their targets. K
    is not held: an iteration costs O(N² d). A fit that does not converge warns with `NotConverged`.

    Attributes:
        kernel: the kernel K(x, z).
        ridge: what is added to the diagonal of the Gram matrix, the paper's λ²; 0, the default, interpolates.
        preconditioner: approximates the inverse of K + ridge·I, which saves iterations.
        tolerance: ‖(K + ridge·I) a − y‖ / ‖y‖ to reach.
        max_iterations: after this many it stops and warns.
        memory: bytes that may hold panels of K between iterations, which are then faster; less if less is free.
        seed: seeds the choice of the preconditioner's pivots.

    >>> fit = ConjugateGradient(Gaussian(gamma=4.0)).fit([[0.0], [1.0]], [1.0, 2.0])
    >>> fit.mean([[0.0], [1.0]]).round(6), fit.report.converged
    (array([1., 2.]), True)

    See also `Estimator`, `Nystrom`, `GradientDescent`, `Predictor`.
    """

    kernel: Kernel
    ridge: NonNegative = 0.0
    preconditioner: Preconditioner = PartialCholesky()
    tolerance: Probability = 1e-8
    max_iterations: Count = 1000
    memory: CountFromZero = 500_000_000
    seed: CountFromZero = 0

    def cost(self, n: int, d: int) -> Cost:
        products = products_cost(ASSUMED_ITERATIONS, n, d, self.memory)
        return replace(products, bytes=products.bytes + self.preconditioner.memory(n) + 16.0 * n * (d + 2))

    def _iterate(self, X: Array, y: Array, start: Array) -> tuple[Array, FitReport]:
        if self.ridge or not count_duplicates(X):
            return self._solve(X, y, start)
        distinct, place, counts = distinct_rows(X)
        means, merged = np.bincount(place, y) / counts, np.bincount(place, start).astype(np.float64)
        weights, report = self._solve(distinct, means, merged)
        spread: Array = (weights / counts)[place]
        return spread, report

    def _solve(self, X: Array, y: Array, start: Array) -> tuple[Array, FitReport]:
        """The weights and a report. A residual that is small by its recurrence is computed again."""
        n, d = X.shape
        least = replace(self, memory=0).cost(n, d).bytes
        require_memory(least, f"conjugate gradients for {n} points", "use Nystrom, or a preconditioner of lower rank")
        product = KernelProduct(self.kernel, X, self.ridge, min(self.memory, 0.5 * (available_memory() - least)))
        inverse = self.preconditioner.prepare(self.kernel, X, self.ridge, np.random.default_rng(self.seed))
        size = float(np.linalg.norm(y)) or 1.0
        a, steps, reason = start.copy(), 0, f"max_iterations = {self.max_iterations} is reached"
        residual = y - product(a) if a.any() else y.copy()
        relative = float(np.linalg.norm(residual)) / size
        with Progress("conjugate gradients", -log10(self.tolerance)) as progress:
            while relative > self.tolerance and steps < self.max_iterations:
                improvement, steps = self._improve(product, inverse, residual / size, steps, progress)
                better = a + size * improvement
                new = y - product(better)
                reached, before = float(np.linalg.norm(new)) / size, relative
                if reached < relative:
                    a, residual, relative = better, new, reached
                if steps < self.max_iterations and reached > max(self.tolerance, 0.5 * before):
                    reason = "rounding stops it: the matrix is singular, or nearly so"
                    break
        converged = relative <= self.tolerance
        reason = f"the residual is at most {self.tolerance:g}" if converged else reason
        return a, FitReport(
            n, "conjugate gradients", n, n, relative, iterations=steps, converged=converged, reason=reason
        )

    def _improve(
        self, product: KernelProduct, inverse: Inverse, residual: Array, steps: int, progress: Progress
    ) -> tuple[Array, int]:
        """Conjugate gradients from 0 for this residual, which is overwritten: the solution, and the steps so far."""
        a = np.zeros_like(residual)
        direction, before, largest = np.zeros_like(residual), 1.0, 0.0  # largest eigenvalue seen so far
        while steps < self.max_iterations:
            z = inverse(residual)
            now = float(residual @ z)
            direction = z + now / before * direction
            image = product(direction)
            curvature = float(direction @ image)
            steps += 1
            squared = float(direction @ direction)
            largest = max(largest, curvature / squared if squared else 0.0)
            if curvature <= EPS * largest * squared or now <= 0.0:  # singular there: a step would have any size
                break
            step = now / curvature
            a += step * direction
            residual -= step * image
            before = now
            relative = float(np.linalg.norm(residual))
            progress.show(-log10(max(relative, self.tolerance)), f"{steps} iterations, residual {relative:.1e}")
            if relative <= self.tolerance:
                break
        return a, steps
