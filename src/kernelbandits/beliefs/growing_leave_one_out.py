"""Leave-one-out predictions of a growing sample, without refitting."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits.regression import Posterior
from kernelbandits.types import Array


@final
class GrowingLeaveOneOut:
    """A posterior and the prediction of each of its points from the others, after every observation.

    With A = K + ridge·I = L Lᵀ, W = L⁻¹ and z = W y, both A⁻¹y = Σ_r z_r W_r and diag(A⁻¹) = Σ_r W_r² are sums over the
    rows of W, and an observation adds a row to W. So the errors e_i = (A⁻¹y)_i / (A⁻¹)_ii cost O(n) more than the
    posterior itself, which costs O(n² + n d).
    """

    __slots__ = ("_diagonal", "_rewards", "_weights", "posterior")

    def __init__(self, posterior: Posterior) -> None:
        """`posterior` has no observations yet."""
        self.posterior = posterior
        self._rewards, self._weights, self._diagonal = np.zeros((3, 0))

    @property
    def n(self) -> int:
        """Number of observations."""
        return len(self._rewards)

    def observe(self, x: Array, y: float) -> None:
        """Take one observation into account."""
        self.posterior = self.posterior._extend(x, y, self.posterior.at(x))
        row = self.posterior.factor.last_row
        self._rewards = np.append(self._rewards, y)
        self._weights = np.append(self._weights, 0.0) + row * self.posterior.whitened_targets[self.n - 1]
        self._diagonal = np.append(self._diagonal, 0.0) + row**2

    @property
    def pairs(self) -> tuple[Array, Array]:
        """Leave-one-out predictions and the rewards that they are for, two arrays of shape (n,)."""
        return self._rewards - self._weights / self._diagonal, self._rewards
