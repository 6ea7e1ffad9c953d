"""With what probability the error bounds hold at a given d: Theorems 4.6, B.1 and B.4, Proposition C.3.

The theorems are asymptotic: δ_d, d⁻² and η_d vanish as d grows. At the d of a sample they have values, and where
2δ_d + d⁻² + η_d reaches 1 the theorems guarantee nothing. Theorem 4.6 calls the sum of them O(d^−ν).
"""

from math import floor, hypot, inf, log, sqrt
from typing import NamedTuple

import numpy as np

from kernelbandits import checks
from kernelbandits.kernels import Kernel
from kernelbandits.specs import Count, Positive, conform
from kernelbandits.theory.linearization import Setting, setting
from kernelbandits.types import ArrayLike


def smallest_delta(gamma: float, dim: int) -> float:
    """16/(dγ²), the smallest δ_d that Theorem B.1 allows and that the proofs of Theorems 4.8 and 4.9 use; ∞ if γ ≤ 0.

    Theorem B.4 asks for a δ_d of larger order still.
    """
    conform(gamma, float, "gamma")
    conform(dim, Count, "dim")
    square = gamma**2
    return 16.0 / (dim * square) if gamma > 0 and square > 0 else inf


def linearization_limit(dim: int, delta: float, *, as_printed: bool = False) -> float:
    """d^−½ (δ^−½ + ln^0.51 d), the right side of Proposition C.3, which bounds ‖K − K_lin‖ without its constant.

    Printed is ln^−0.51 d, where the proof bounds ‖E₁‖ by 4 d^−½ ln^0.51 d.
    """
    conform(dim, Count, "dim")
    conform(delta, Positive, "delta")
    power = -0.51 if as_printed else 0.51
    logarithm = float(log(dim) ** power) if dim > 1 else (inf if as_printed else 0.0)
    return (1.0 / sqrt(delta) + logarithm) / sqrt(dim)


class Guarantee(NamedTuple):
    """What Theorems B.1 and B.4 promise at this d: their bounds hold with at least this `probability`."""

    dim: int  # d
    gamma: float  # γ
    delta: float  # the smallest δ_d, 16/(dγ²)
    eta: float  # the smallest η_d, 0 for the inner-product class

    @property
    def probability(self) -> float:
        """1 − 2δ_d − d⁻² − η_d, with a constant of 1 in O(d⁻²). Negative where the theorems say nothing."""
        return 1.0 - 2.0 * self.delta - 1.0 / self.dim**2 - self.eta

    @property
    def empty(self) -> bool:
        """Whether the probability is 0 or less, so that nothing is guaranteed."""
        return self.probability <= 0.0

    @property
    def limit(self) -> float:
        """The right side of Proposition C.3 at δ_d; the proofs suppose that it is at most γ/2."""
        return linearization_limit(self.dim, self.delta) if self.delta < inf else inf

    @property
    def needed_dim(self) -> int | None:
        """The smallest d with a probability above 0 at this γ and η_d; None if there is none.

        The root of (1 − η) d² − (32/γ²) d − 1.
        """
        room, slope = 1.0 - self.eta, 2.0 * self.delta * self.dim
        if room <= 0.0 or slope == inf:
            return None
        return floor((slope + hypot(slope, 2.0 * sqrt(room))) / (2.0 * room)) + 1

    @property
    def reason(self) -> str:
        """The numbers, and in plain words whether anything is guaranteed."""
        if self.delta == inf:
            return f"γ = {self.gamma:.3g} leaves no δ_d ≥ 16/(dγ²): the guarantee is empty"
        numbers = f"δ_d ≥ 16/(dγ²) = {self.delta:.3g} and η_d ≥ {self.eta:.3g} leave at most {self.probability:.3g}"
        if not self.empty:
            return numbers
        needed = self.needed_dim
        far = "no d is enough" if needed is None else f"it takes d ≥ {needed:{',' if needed < 10**6 else '.2g'}}"
        return f"{numbers}: the guarantee is empty at d = {self.dim}; with these γ and η_d {far}"


def guarantee(
    kernel: Kernel, X: ArrayLike, covariance: ArrayLike | None = None, *, as_printed: bool = False
) -> Guarantee:
    """δ_d, η_d and the probability of Theorems B.1 (inner-product class) and B.4 (radial class) on a sample.

    η_d is max |ψ_j|, as Proposition C.3 has it. `as_printed` takes the ‖ψ‖ of Definition B.2, which does not vanish:
    for N = d normal contexts with Σ = I/2 it stays near 0.7. No Gram matrix is formed.
    """
    return guarantee_of(setting(kernel, checks.points("X", X), covariance), as_printed)


def guarantee_of(s: Setting, as_printed: bool = False) -> Guarantee:
    """The guarantee in a setting."""
    gamma, order = s.parameters.gamma, 2 if as_printed else np.inf
    eta = 0.0 if s.corrections is None else float(np.linalg.norm(s.corrections.psi, order))
    return Guarantee(s.dim, gamma, smallest_delta(gamma, s.dim), eta)
