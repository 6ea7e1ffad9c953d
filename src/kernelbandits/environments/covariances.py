"""The paper's covariance designs (its section "Reward Setup"). All are diagonal: one vector of variances per arm."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.specs import Count, Spec
from kernelbandits.types import Array


class Covariance(Spec, ABC):
    """A design of the covariance Σ⁽ⁱ⁾ of the contexts of each arm."""

    __slots__ = ()

    @abstractmethod
    def variances(self, n_arms: int, dim: int, rng: np.random.Generator) -> Array:
        """Return the diagonal of Σ⁽ⁱ⁾ for every arm, shape (K, d)."""


def _level(n_arms: int, rng: np.random.Generator) -> Array:
    """Draw c̃⁽ⁱ⁾ ~ U[0.5, 1] for each arm, shape (K, 1)."""
    return rng.uniform(0.5, 1.0, size=(n_arms, 1))


@final
@dataclass(frozen=True, slots=True)
class LowRank(Covariance):
    """`n_active` random coordinates of each arm have variance c̃⁽ⁱ⁾, the others 0. None means d/2 coordinates."""

    n_active: Count | None = None

    def variances(self, n_arms: int, dim: int, rng: np.random.Generator) -> Array:
        n_active = max(1, dim // 2) if self.n_active is None else self.n_active
        if n_active > dim:
            raise InvalidArgument(f"LowRank: n_active must be at most the dimension {dim}; got {n_active}")
        level = _level(n_arms, rng)
        active = np.argsort(rng.random((n_arms, dim)), axis=1)[:, :n_active]
        variances = np.zeros((n_arms, dim))
        np.put_along_axis(variances, active, level, axis=1)
        return variances


@final
@dataclass(frozen=True, slots=True)
class ApproximateLowRank(Covariance):
    """Σ⁽ⁱ⁾ = c̃⁽ⁱ⁾ diag(1, ½, …, ½)."""

    def variances(self, n_arms: int, dim: int, rng: np.random.Generator) -> Array:
        spectrum = np.full(dim, 0.5)
        spectrum[0] = 1.0
        variances: Array = _level(n_arms, rng) * spectrum
        return variances


@final
@dataclass(frozen=True, slots=True)
class SpectralDecay(Covariance):
    """Σ⁽ⁱ⁾ = c̃⁽ⁱ⁾ diag(10/1, 10/2, …, 10/j̃, c, …, c): a decaying head, then a flat tail.

    j̃ is the largest j with Σ_{l≤j} 10/l ≤ d/4, and c makes the trace d/2.
    """

    def variances(self, n_arms: int, dim: int, rng: np.random.Generator) -> Array:
        spectrum = 10.0 / np.arange(1, dim + 1)
        head = int((np.cumsum(spectrum) <= dim / 4.0).sum())
        if head < dim:
            spectrum[head:] = (0.5 * dim - spectrum[:head].sum()) / (dim - head)
        return _level(n_arms, rng) * spectrum
