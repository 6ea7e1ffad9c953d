"""Reward functions in an RKHS, f(x) = Σ_m c_m K(x, x_m), with their exact norms."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import final

import numpy as np

from kernelbandits.kernels.base import Kernel
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class KernelExpansion:
    """f(x) = Σ_m c_m K(x, x_m): centres of shape (M, d), coefficients of shape (M,)."""

    kernel: Kernel
    centers: Array
    coefficients: Array

    def __call__(self, X: Array) -> Array:
        """F at the rows of X, shape (n,)."""
        return self.kernel.block(X, self.centers) @ self.coefficients

    @property
    def norm(self) -> float:
        """‖f‖ in the RKHS, √(cᵀ K c)."""
        squared = float(self.coefficients @ self.kernel.gram(self.centers) @ self.coefficients)
        return sqrt(max(squared, 0.0))

    @staticmethod
    def draw(kernel: Kernel, n_bumps: int, dim: int, rng: np.random.Generator) -> KernelExpansion:
        """c_m ~ U[−1, 1] and x_m ~ N(0, I), as in the paper."""
        coefficients = rng.uniform(-1.0, 1.0, size=n_bumps)
        return KernelExpansion(kernel, rng.standard_normal((n_bumps, dim)), coefficients)
