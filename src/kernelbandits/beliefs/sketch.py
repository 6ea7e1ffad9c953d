"""Bayesian linear regression on the features of some centres: the sketch of one arm."""

from __future__ import annotations

from math import sqrt
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import NumericalBreakdown
from kernelbandits.linalg import InverseFactor, pieces
from kernelbandits.regression import RESOLVED, Basis, rows_of_block
from kernelbandits.types import Array

_PENDING = 32


@final
class Sketch:
    """Bayesian linear regression on φ = R⁻ᵀ K(centres, ·), K_MM = RᵀR, with noise of variance `ridge`.

    With P = (Σ φφᵀ + ridge·I)⁻¹ and w = P Σ φ y: mean(z) = φᵀw and var(z) = K(z, z) − ‖φ‖² + ridge · φᵀPφ. What the
    centres do not span keeps its prior variance. O(r²) per reward for r centres, independent of the number of rewards.

    As in a `Posterior`, noise is at least `RESOLVED` of a point's variance ‖φ‖², so that a huge point does not swallow
    the ridge: φ and y of such a point are divided by the root of its noise over the ridge.

    P is `_P` − Σ u uᵀ, where the sum over the last few rewards is pending until one matrix product applies it.
    """

    __slots__ = ("_P", "_n_pending", "_pending", "_right", "_sum", "_w", "basis", "ridge")
    basis: Basis
    ridge: float
    _right: tuple[Array, ...]
    _sum: Array
    _P: Array
    _w: Array
    _pending: Array
    _n_pending: int

    def __init__(self, basis: Basis, ridge: float, X: Array, y: Array) -> None:
        """The posterior after rewards y at the rows of X."""
        self.basis = basis
        self.ridge = ridge
        self._right = basis.kernel.right(basis.centers)
        A, moments = ridge * np.eye(basis.size), np.zeros(basis.size)
        self._sum = np.zeros(basis.size)  # Σ φ
        for rows in pieces(len(X), rows_of_block(basis.size)):
            Phi = self.features(X[rows])
            roots = np.sqrt(ridge / np.maximum(ridge, RESOLVED * np.einsum("ij,ij->j", Phi, Phi)))
            Phi *= roots
            A += Phi @ Phi.T
            moments += Phi @ (roots * y[rows])
            self._sum += Phi @ roots
        factor = InverseFactor.of(A)
        if factor is None:  # the ridge is lost beside features of this size
            raise NumericalBreakdown(f"the sums over {len(X)} rewards have no Cholesky factor; scale the contexts down")
        W = factor.whiten(np.eye(basis.size))
        self._P = W.T @ W
        self._w = self._P @ moments
        self._pending = np.zeros((_PENDING, basis.size))
        self._n_pending = 0

    def _validate(self) -> None:
        r, right = self.basis.size, self.basis.kernel.right(self.basis.centers)
        checks.refuse_misshapen(self, _sum=(r,), _P=(r, r), _w=(r,), _pending=(_PENDING, r))
        fit = [own.shape for own in self._right] == [part.shape for part in right]
        checks.refuse_inconsistent(self, fit, 0 <= self._n_pending < _PENDING, self.ridge > 0.0)

    def features(self, Z: Array) -> Array:
        """φ at the rows of Z, shape (r, m)."""
        kernel = self.basis.kernel
        return self.basis.whiten(kernel.evaluate(kernel.left(Z), self._right))

    def mean_and_variance(self, Phi: Array, prior: Array) -> tuple[Array, Array]:
        """At points with features Φ of shape (r, m) and prior variances K(z, z) of shape (m,)."""
        self._fold()
        explained = np.einsum("ij,ij->j", Phi, Phi - self.ridge * (self._P @ Phi))
        return self.mean(Phi), np.maximum(prior - explained, 0.0)

    def mean(self, Phi: Array) -> Array:
        """At points with features Φ of shape (r, m)."""
        return self._w @ Phi

    def restate(self, shift: float, factor: float) -> None:
        """Replace every reward y by (y − shift)/factor: P Σ φ are the weights of rewards that are all 1."""
        self._fold()
        self._w = (self._w - shift * (self._P @ self._sum)) / factor

    def observe(self, phi: Array, reward: float) -> tuple[Array, float, float]:
        """Take a reward at a point with features φ of shape (r,) into account.

        The returned (direction, gain, loss) say how predictions change: with h = φ(z)ᵀ direction, mean += h · gain and
        variance −= h² · loss.
        """
        root = sqrt(self.ridge / max(self.ridge, RESOLVED * float(phi @ phi)))
        phi, reward = root * phi, root * reward
        U = self._pending[: self._n_pending]
        direction = self._P @ phi - (U @ phi) @ U
        share = 1.0 / (1.0 + float(phi @ direction))
        gain = share * (reward - float(phi @ self._w))
        self._pending[self._n_pending] = sqrt(share) * direction
        self._n_pending += 1
        self._w += gain * direction
        self._sum += root * phi
        if self._n_pending == _PENDING:
            self._fold()
        return direction, gain, share * self.ridge

    def _fold(self) -> None:
        U, self._n_pending = self._pending[: self._n_pending], 0
        if len(U):
            self._P -= U.T @ U
