"""What all rewards of the arms amount to, as sums over features that the arms share."""

from __future__ import annotations

from typing import final

import numpy as np
from scipy.linalg import blas

from kernelbandits import checks
from kernelbandits.beliefs.evidence import RIDGES, ArmEvidence, EvidenceSums
from kernelbandits.types import Array, IntArray


@final
class ArmSums:
    """What all rewards y of the arms, at features ψ, amount to: the memory of `SketchedArms`.

    Attributes:
        counts: shape (K,).
        features: Σ ψψᵀ, shape (K, r, r).
        products: Σ ψ y, shape (K, r).
        ones: Σ ψ, shape (K, r).
        squares: Σ y², shape (K,).

    """

    __slots__ = ("counts", "features", "ones", "products", "squares")
    counts: IntArray
    features: Array
    products: Array
    ones: Array
    squares: Array

    def __init__(self, n_arms: int, size: int) -> None:
        self.counts = np.zeros(n_arms, dtype=np.int64)
        self.features = np.zeros((n_arms, size, size))
        self.products = np.zeros((n_arms, size))
        self.ones = np.zeros((n_arms, size))
        self.squares = np.zeros(n_arms)

    def _validate(self) -> None:
        n_arms, r = len(self.counts), self.ones.shape[-1]
        checks.refuse_misshapen(self, counts=(n_arms,), ones=(n_arms, r), products=(n_arms, r), squares=(n_arms,))
        checks.refuse_misshapen(self, features=(n_arms, r, r))
        checks.refuse_inconsistent(self, bool((self.counts >= 0).all()), self.features.flags.c_contiguous)

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of arms and of features, (K, r)."""
        return self.ones.shape[0], self.ones.shape[1]

    def add(self, arm: int, psi: Array, y: Array) -> None:
        """Add rewards y of an arm, shape (n,), at features psi, shape (n, r)."""
        self.features[arm] += psi.T @ psi
        self._add_rest(arm, psi.sum(axis=0), psi.T @ y, len(y), float(y @ y))

    def add_one(self, arm: int, psi: Array, y: float) -> None:
        """Add one reward of an arm at features psi, shape (r,)."""
        add_outer(self.features[arm], psi, 1.0)
        self._add_rest(arm, psi, psi * y, 1, y * y)

    def _add_rest(self, arm: int, ones: Array, products: Array, n: int, squares: float) -> None:
        self.ones[arm] += ones
        self.products[arm] += products
        self.counts[arm] += n
        self.squares[arm] += squares

    def copy(self) -> ArmSums:
        """The same sums, apart from what is added later."""
        other = ArmSums(0, 0)
        for name in self.__slots__:
            setattr(other, name, getattr(self, name).copy())
        return other

    @property
    def variance(self) -> float:
        """The variance of all rewards."""
        n = max(int(self.counts.sum()), 1)
        return max(float(self.squares.sum()) / n - (float(self.products[:, 0].sum()) / n) ** 2, 0.0)

    def add_arm(self) -> None:
        """Add an arm without rewards."""
        for name in self.__slots__:
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros_like(old[:1])]))

    def add_evidence(self, arm: int, sums: EvidenceSums) -> None:
        """Add an arm's evidence for every level variance and noise, in O(r³).

        B = ΦΦᵀ + r I has B⁻¹ = (I − Φ (ΦᵀΦ + r I)⁻¹ Φᵀ)/r, so the sums are all that is needed of the rewards.
        """
        n = int(self.counts[arm])
        values, vectors = np.linalg.eigh(self.features[arm, 1:, 1:])
        u, e = self.products[arm, 1:] @ vectors, self.ones[arm, 1:] @ vectors
        weights = 1.0 / (np.maximum(values, 0.0)[:, np.newaxis] + RIDGES)
        yy, y1, ones = (
            np.maximum(total - parts @ weights, 0.0 if square else -np.inf) / RIDGES
            for total, parts, square in (
                (self.squares[arm], u * u, True),
                (self.products[arm, 0], u * e, False),
                (float(n), e * e, True),
            )
        )
        log_dets = (n - len(values)) * np.log(RIDGES) - np.log(weights).sum(axis=0)
        sums.add(ArmEvidence(n, yy, y1, ones, log_dets))


def add_outer(A: Array, x: Array, factor: float) -> None:
    """A += factor · xxᵀ in place, for a contiguous A."""
    blas.dger(factor, x, x, a=A.T, overwrite_a=1)
