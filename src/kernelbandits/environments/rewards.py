"""Reward functions in an RKHS: sums of bumps with random heights."""

from __future__ import annotations

import numpy as np

from kernelbandits.kernels import Kernel, KernelExpansion


def random_bumps(kernel: Kernel, n_bumps: int, dim: int, rng: np.random.Generator) -> KernelExpansion:
    """F = Σ_m c_m K(·, x_m) with c_m ~ U[−1, 1] and x_m ~ N(0, I), as in the paper."""
    coefficients = rng.uniform(-1.0, 1.0, size=n_bumps)
    return KernelExpansion(kernel, rng.standard_normal((n_bumps, dim)), coefficients)
