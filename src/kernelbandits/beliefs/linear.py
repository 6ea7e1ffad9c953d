"""Ridge regressions of all arms side by side, each updated by one point at a time."""

from __future__ import annotations

from math import sqrt
from typing import final

import numpy as np

from kernelbandits.types import Array


@final
class RidgeStack:
    """K ridge regressions in d features with A⁽ⁱ⁾ = ridge · I + Σ xxᵀ and θ⁽ⁱ⁾ = (A⁽ⁱ⁾)⁻¹ Σ x y.

    Kept are θ and a square root R of the inverse, A⁻¹ = R Rᵀ. A new point replaces R by R − R v vᵀ / (s + √s) with
    v = Rᵀx and s = 1 + vᵀv: O(d²) like an update of A⁻¹ itself, but xᵀA⁻¹x = ‖Rᵀx‖² can never become negative.

    With `intercept` a feature that is always 1 is added, regularised like the others.
    """

    __slots__ = ("_intercept", "_ridge", "_roots", "_weights")

    def __init__(self, n_arms: int, dim: int, ridge: float, intercept: bool) -> None:
        size = dim + intercept
        self._intercept = intercept
        self._ridge = ridge
        self._weights = np.zeros((n_arms, size))
        self._roots = np.tile(np.eye(size) / sqrt(ridge), (n_arms, 1, 1))

    def mean_and_width(self, contexts: Array) -> tuple[Array, Array]:
        """θ⁽ⁱ⁾ᵀx⁽ⁱ⁾ and √(x⁽ⁱ⁾ᵀ(A⁽ⁱ⁾)⁻¹x⁽ⁱ⁾) for contexts of shape (K, d); both of shape (K,). O(K d²)."""
        X = self._features(contexts)
        V = np.matmul(X[:, np.newaxis], self._roots)[:, 0]
        mean: Array = np.einsum("kd,kd->k", self._weights, X)
        return mean, np.sqrt(np.einsum("kd,kd->k", V, V))

    def absorb(self, arm: int, context: Array, reward: float) -> None:
        """Take in one point of an arm. O(d²)."""
        x = self._features(context[np.newaxis])[0]
        root = self._roots[arm]
        v = x @ root
        gain = root @ v
        scale = 1.0 + float(v @ v)
        self._weights[arm] += gain * ((reward - float(self._weights[arm] @ x)) / scale)
        gain /= -(scale + sqrt(scale))
        root += np.outer(gain, v)

    def add_arm(self) -> None:
        """One more regression, without points."""
        size = self._weights.shape[1]
        self._weights = np.concatenate([self._weights, np.zeros((1, size))])
        self._roots = np.concatenate([self._roots, np.eye(size)[np.newaxis] / sqrt(self._ridge)])

    def _features(self, contexts: Array) -> Array:
        return np.hstack([contexts, np.ones((len(contexts), 1))]) if self._intercept else contexts
