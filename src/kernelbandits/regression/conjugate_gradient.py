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
    """A way of approximating the inverse of K + ridge·I. Frozen; randomness comes from `rng`."""

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
    """P = I."""

    def prepare(self, kernel: Kernel, X: Array, ridge: float, rng: np.random.Generator) -> Inverse:
        return np.copy

    def memory(self, n: int) -> float:
        return 8.0 * n


@final
@dataclass(frozen=True, slots=True)
class PartialCholesky(Preconditioner):
    """P = F Fᵀ + δ I with the partial Cholesky factor F of K at `rank` pivots: F Fᵀ = K_NS K_SS⁻¹ K_SN.

    δ is ridge plus the mean of the diagonal of K − F Fᵀ, which suits a flat tail of the spectrum, as in high dimension.
    `centers` chooses the pivots: `PivotedCenters()` at random (the default), `GreedyCenters()` by the classical rule.
    Holds rank · N doubles; P⁻¹ r = (r − Q Qᵀ r)/δ with Q = F (FᵀF + δI)^{−½}, by Cholesky.
    """

    rank: Count = 300
    centers: Centers = PivotedCenters()

    def prepare(self, kernel: Kernel, X: Array, ridge: float, rng: np.random.Generator) -> Inverse:
        basis = Basis.of(kernel, self.centers.select(kernel, X, self.rank, rng))
        Q, left = _partial_factor(basis, X)
        delta = ridge + max(float(left.mean()), 0.0)
        gram = Q.T @ Q
        # At least the rounding error: else the factorisation of the next lines could fail.
        delta = max(delta, 100.0 * len(gram) * EPS * float(np.trace(gram)))
        gram[np.diag_indices_from(gram)] += delta
        factor, _ = lapack.dpotrf(gram, lower=0)
        for rows in pieces(len(Q), rows_of_block(len(gram))):
            blas.dtrsm(1.0, factor, Q[rows].T, trans_a=1, overwrite_b=1)  # in place: a slice of rows is contiguous

        def inverse(r: Array) -> Array:
            applied: Array = (r - Q @ (r @ Q)) / delta
            return applied

        return inverse

    def memory(self, n: int) -> float:
        return 8.0 * self.rank * n


def _partial_factor(basis: Basis, X: Array) -> tuple[Array, Array]:
    """F of shape (N, r), and diag(K − F Fᵀ)."""
    kernel, right = basis.kernel, basis.kernel.right(basis.centers)
    F, left = np.empty((len(X), basis.size)), kernel.diagonal(X)
    for rows in pieces(len(X), rows_of_block(basis.size)):
        F[rows] = basis.whiten(kernel.evaluate(kernel.left(X[rows]), right)).T
        left[rows] -= np.einsum("ij,ij->i", F[rows], F[rows])
    return F, left


@final
@dataclass(frozen=True, slots=True)
class ConjugateGradient(IterativeEstimator):
    """(K + ridge·I) a = y by preconditioned conjugate gradients, until ‖(K + ridge·I) a − y‖ ≤ tolerance · ‖y‖.

    With ridge = 0 this is the minimum-norm interpolator; repeated rows are merged and get the mean of their targets. K
    is not held: an iteration costs O(N² d), less for the panels of K that fit into `memory` bytes and are kept. A fit
    that does not converge warns with `NotConverged`. `seed` makes the preconditioner repeatable.

    >>> fit = ConjugateGradient(Gaussian(gamma=4.0)).fit([[0.0], [1.0]], [1.0, 2.0])
    >>> fit.mean([[0.0], [1.0]]).round(6), fit.report.converged
    (array([1., 2.]), True)
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
        n, d = X.shape
        least = replace(self, memory=0).cost(n, d).bytes
        require_memory(least, f"conjugate gradients for {n} points", "use Nystrom, or a preconditioner of lower rank")
        rng = np.random.default_rng(self.seed)
        product = KernelProduct(self.kernel, X, self.ridge, min(self.memory, 0.5 * (available_memory() - least)))
        inverse = self.preconditioner.prepare(self.kernel, X, self.ridge, rng)
        with Progress("conjugate gradients", -log10(self.tolerance)) as progress:

            def show(iteration: int, residual: float) -> None:
                progress.show(-log10(max(residual, self.tolerance)), f"{iteration} iterations, residual {residual:.1e}")

            iteration = _Iteration(product, inverse, self.tolerance, self.max_iterations, show)
            weights, steps, residual, reason = iteration.solve(y, start)
        converged = residual <= self.tolerance
        return weights, FitReport(
            n, "conjugate gradients", n, n, residual, iterations=steps, converged=converged, reason=reason
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Iteration:
    product: KernelProduct
    inverse: Inverse
    tolerance: float
    most: int
    show: Callable[[int, float], None]

    def solve(self, y: Array, start: Array) -> tuple[Array, int, float, str]:
        """Weights, number of iterations, relative residual, and why the iteration ended.

        A residual that is small by its recurrence is computed directly; if it is not small, the iteration restarts.
        """
        size = float(np.linalg.norm(y)) or 1.0
        a, steps = start.copy(), 0
        residual = y - self.product(a) if a.any() else y.copy()
        while True:
            relative = float(np.linalg.norm(residual)) / size
            if relative <= self.tolerance:
                return a, steps, relative, f"the residual is at most {self.tolerance:g}"
            if steps >= self.most:
                return a, steps, relative, f"max_iterations = {self.most} is reached"
            improvement, steps = self._improve(residual, size, steps)
            new = y - self.product(a + improvement)
            gain = float(np.linalg.norm(new)) / size
            if gain < relative:
                a, residual = a + improvement, new
            if steps < self.most and gain > max(self.tolerance, 0.5 * relative):
                return a, steps, min(gain, relative), "rounding stops it: the matrix is singular, or nearly so"

    def _improve(self, residual: Array, size: float, steps: int) -> tuple[Array, int]:
        """Conjugate gradients from 0 for this right-hand side: the solution, and the number of iterations so far."""
        a, residual = np.zeros_like(residual), residual.copy()
        direction, before = np.zeros_like(residual), 1.0
        while steps < self.most:
            z = self.inverse(residual)
            now = float(residual @ z)
            direction = z + now / before * direction
            image = self.product(direction)
            curvature = float(direction @ image)
            steps += 1
            if curvature <= 0.0 or now <= 0.0:  # only possible by rounding
                break
            step = now / curvature
            a += step * direction
            residual -= step * image
            before = now
            relative = float(np.linalg.norm(residual)) / size
            self.show(steps, relative)
            if relative <= self.tolerance:
                break
        return a, steps
