"""A Gaussian-process posterior on few centres, kept current by rank-one updates: the DTC approximation."""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple, final

import numpy as np

from kernelbandits.linalg import InverseFactor, pieces
from kernelbandits.regression.normal_equations import Basis, rows_of_block
from kernelbandits.types import Array

_WAITING = 32


class Step(NamedTuple):
    """How one reward moves every answer: with h = φ(z)ᵀ direction, mean += h · gain and variance −= h² · loss."""

    direction: Array
    gain: float
    loss: float


@final
class Sketch:
    """Bayesian linear regression on φ = R⁻ᵀ K(centres, ·), K_MM = RᵀR, with noise of variance `ridge`.

    With P = (Σ φφᵀ + ridge·I)⁻¹ and w = P Σ φ y: mean(z) = φᵀw and var(z) = K(z, z) − ‖φ‖² + ridge · φᵀPφ. What the
    centres do not span keeps its prior variance. O(r²) a reward for r centres, however many rewards there were.

    P is `_P` less the sum of u uᵀ over a few rewards that wait until all of them can be taken in by one matrix product.
    """

    __slots__ = ("_P", "_n_waiting", "_right", "_w", "_waiting", "basis", "ridge")

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
        self._waiting = np.empty((_WAITING, basis.size))
        self._n_waiting = 0

    def features(self, Z: Array) -> Array:
        """φ at the rows of Z, shape (r, m)."""
        kernel = self.basis.kernel
        return self.basis.whiten(kernel.evaluate(kernel.left(Z), self._right))

    def mean_and_variance(self, Phi: Array, prior: Array) -> tuple[Array, Array]:
        """At points with features Φ of shape (r, m) and prior variances K(z, z) of shape (m,)."""
        self._fold()
        explained = np.einsum("ij,ij->j", Phi, Phi - self.ridge * (self._P @ Phi))
        return self._w @ Phi, np.maximum(prior - explained, 0.0)

    def absorb(self, phi: Array, reward: float) -> Step:
        """Take in a reward at a point with features φ of shape (r,)."""
        U = self._waiting[: self._n_waiting]
        direction = self._P @ phi - (U @ phi) @ U
        share = 1.0 / (1.0 + float(phi @ direction))
        step = Step(direction, share * (reward - float(phi @ self._w)), share * self.ridge)
        self._waiting[self._n_waiting] = sqrt(share) * direction
        self._n_waiting += 1
        self._w += step.gain * direction
        if self._n_waiting == _WAITING:
            self._fold()
        return step

    def _fold(self) -> None:
        U, self._n_waiting = self._waiting[: self._n_waiting], 0
        if len(U):
            self._P -= U.T @ U
