"""Preconditioners for conjugate gradients: an approximation of K + ridge·I whose inverse is quick to apply."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, final

import numpy as np
from scipy.linalg import blas, lapack

from kernelbandits.kernels import Kernel
from kernelbandits.linalg import EPS, pieces
from kernelbandits.regression.centers import Centers, PivotedCenters
from kernelbandits.regression.normal_equations import Basis, rows_of_block
from kernelbandits.specs import Count, Spec
from kernelbandits.types import Array

Inverse: TypeAlias = Callable[[Array], Array]


class Preconditioner(Spec, ABC):
    """How to approximate the inverse of K + ridge·I. Frozen; chance comes in with `rng`."""

    __slots__ = ()

    @abstractmethod
    def prepare(self, kernel: Kernel, X: Array, ridge: float, rng: np.random.Generator) -> Inverse:
        """The map r ↦ P⁻¹ r on vectors of shape (N,), for the points X of shape (N, d)."""

    @abstractmethod
    def memory(self, n: int) -> float:
        """Bytes that it holds for n points."""


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

    δ is ridge plus the mean of what F leaves of the diagonal: the right level where the rest of the spectrum is flat,
    as in high dimension. `centers` chooses the pivots: `PivotedCenters()` at random (the default), `GreedyCenters()`
    by the classical rule. Holds rank · N doubles; P⁻¹ r = (r − Q Qᵀ r)/δ with Q = F (FᵀF + δI)^{−½}, by Cholesky.
    """

    rank: Count = 300
    centers: Centers = PivotedCenters()

    def prepare(self, kernel: Kernel, X: Array, ridge: float, rng: np.random.Generator) -> Inverse:
        basis = Basis.of(kernel, self.centers.select(kernel, X, self.rank, rng))
        Q, left = _partial_factor(basis, X)
        delta = ridge + max(float(left.mean()), 0.0)
        gram = Q.T @ Q
        # Not below rounding error: there the factor below could not be made, nor would it say anything.
        delta = max(delta, 100.0 * len(gram) * EPS * float(np.trace(gram)))
        gram[np.diag_indices_from(gram)] += delta
        factor, _ = lapack.dpotrf(gram, lower=0)
        for rows in pieces(len(Q), rows_of_block(len(gram))):
            blas.dtrsm(1.0, factor, Q[rows].T, trans_a=1, overwrite_b=1)  # in place: a slice of rows lies together

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
