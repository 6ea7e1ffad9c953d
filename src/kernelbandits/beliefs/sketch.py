"""A Gaussian-process posterior on few centres, kept current by rank-one updates: the DTC approximation."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple, final

import numpy as np

from kernelbandits.linalg import InverseFactor, pieces
from kernelbandits.regression import Basis, rows_of_block
from kernelbandits.types import Array

_PENDING = 32


class RankOneStep(NamedTuple):
    """How one reward changes every answer: with h = φ(z)ᵀ direction, mean += h · gain and variance −= h² · loss."""

    direction: Array
    gain: float
    loss: float


@final
class Sketch:
    """Bayesian linear regression on φ = R⁻ᵀ K(centres, ·), K_MM = RᵀR, with noise of variance `ridge`.

    With P = (Σ φφᵀ + ridge·I)⁻¹ and w = P Σ φ y: mean(z) = φᵀw and var(z) = K(z, z) − ‖φ‖² + ridge · φᵀPφ. What the
    centres do not span keeps its prior variance. O(r²) per reward for r centres, independent of the number of rewards.

    P is `_P` − Σ u uᵀ, where the sum over the last few rewards is pending until one matrix product applies it.
    """

    __slots__ = ("_P", "_n_pending", "_pending", "_right", "_w", "basis", "ridge")

    def __init__(self, basis: Basis, ridge: float, X: Array, y: Array) -> None:
        """The posterior after rewards y at the rows of X."""
        self.basis = basis
        self.ridge = ridge
        self._right = basis.kernel.right(basis.centers)
        A, moments = ridge * np.eye(basis.size), np.zeros(basis.size)
        for rows in pieces(len(X), rows_of_block(basis.size)):
            Phi = self.features(X[rows])
            A += Phi @ Phi.T
            moments += Phi @ y[rows]
        factor = InverseFactor.of(A)
        assert factor is not None, "a ridge on the diagonal makes it positive definite"
        W = factor.whiten(np.eye(basis.size))
        self._P = W.T @ W
        self._w = self._P @ moments
        self._pending = np.empty((_PENDING, basis.size))
        self._n_pending = 0

    def features(self, Z: Array) -> Array:
        """φ at the rows of Z, shape (r, m)."""
        kernel = self.basis.kernel
        return self.basis.whiten(kernel.evaluate(kernel.left(Z), self._right))

    def mean_and_variance(self, Phi: Array, prior: Array) -> tuple[Array, Array]:
        """At points with features Φ of shape (r, m) and prior variances K(z, z) of shape (m,)."""
        self._fold()
        explained = np.einsum("ij,ij->j", Phi, Phi - self.ridge * (self._P @ Phi))
        return self._w @ Phi, np.maximum(prior - explained, 0.0)

    def observe(self, phi: Array, reward: float) -> RankOneStep:
        """Take a reward at a point with features φ of shape (r,) into account."""
        U = self._pending[: self._n_pending]
        direction = self._P @ phi - (U @ phi) @ U
        share = 1.0 / (1.0 + float(phi @ direction))
        step = RankOneStep(direction, share * (reward - float(phi @ self._w)), share * self.ridge)
        self._pending[self._n_pending] = sqrt(share) * direction
        self._n_pending += 1
        self._w += step.gain * direction
        if self._n_pending == _PENDING:
            self._fold()
        return step

    def _fold(self) -> None:
        U, self._n_pending = self._pending[: self._n_pending], 0
        if len(U):
            self._P -= U.T @ U
