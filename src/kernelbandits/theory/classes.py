"""The paper's two classes of kernels (Definition kernel_class), and the constants that the theory takes from h."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Geometry, InnerProduct, Kernel, Radial, Spherical
from kernelbandits.theory.spectrum import Moments
from kernelbandits.types import Array

GRID = 2001
"""Points at which a condition on an interval is looked at."""


@final
@dataclass(frozen=True, slots=True)
class Parameters:
    """Definition kernel_parameters: τ = 2 Tr(Σ)/d and the weights of 11ᵀ (α), XXᵀ/d (β) and I (γ) in K_lin."""

    tau: float
    alpha: float
    beta: float
    gamma: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class Corrections:
    """Definition parameters, radial class only: ψ, ρ of shape (n,), and the weight of ψψᵀ in ζ."""

    psi: Array
    rho: Array
    zeta_weight: float


def h(kernel: Kernel, t: float, order: int = 0) -> float:
    """One value of the profile or of a derivative."""
    return float(kernel.profile(np.array([t]), order)[0])


class KernelClass(ABC):
    """One of the two classes."""

    __slots__ = ()

    name: str
    n_spikes: int  # the rank of what K_lin adds to γ I + β XXᵀ/d; lem:exact_ub_VB drops as many eigenvalues

    @abstractmethod
    def parameters(self, kernel: Kernel, moments: Moments, as_printed: bool) -> Parameters:
        """α, β, γ, τ."""

    @abstractmethod
    def corrections(self, kernel: Kernel, X: Array, tau: float, as_printed: bool) -> Corrections | None:
        """What the radial class adds to K_lin, None for the other."""


@final
@dataclass(frozen=True, slots=True)
class InnerProductClass(KernelClass):
    """K = h(⟨x, z⟩/d)."""

    name = "inner-product"
    n_spikes = 1

    def parameters(self, kernel: Kernel, moments: Moments, as_printed: bool) -> Parameters:
        # The second-order Taylor term is h''(0)/2 (El Karoui 2010, Theorem 2.1); the paper prints it without the ½.
        half = 1.0 if as_printed else 0.5
        level = moments.level
        alpha = h(kernel, 0.0) + half * h(kernel, 0.0, 2) * moments.square
        beta = h(kernel, 0.0, 1)
        return Parameters(2.0 * level, alpha, beta, h(kernel, level) - h(kernel, 0.0) - beta * level)

    def corrections(self, kernel: Kernel, X: Array, tau: float, as_printed: bool) -> Corrections | None:
        return None


@final
@dataclass(frozen=True, slots=True)
class RadialClass(KernelClass):
    """K = h(‖x − z‖²/d)."""

    name = "radial"
    n_spikes = 5

    def parameters(self, kernel: Kernel, moments: Moments, as_printed: bool) -> Parameters:
        tau = 2.0 * moments.level
        slope = h(kernel, tau, 1)
        alpha = h(kernel, tau) + 2.0 * h(kernel, tau, 2) * moments.square
        return Parameters(tau, alpha, -2.0 * slope, h(kernel, 0.0) + tau * slope - h(kernel, tau))

    def corrections(self, kernel: Kernel, X: Array, tau: float, as_printed: bool) -> Corrections | None:
        slope, curvature = h(kernel, tau, 1), h(kernel, tau, 2)
        psi = np.einsum("ij,ij->i", X, X) / X.shape[1] - tau / 2.0
        # ζ is the mixed second-order term, h'' ψψᵀ (El Karoui 2010, Theorem 2.2); the paper prints h'.
        return Corrections(psi, slope * psi + 0.5 * curvature * psi**2, slope if as_printed else curvature)


INNER_PRODUCT = InnerProductClass()
RADIAL = RadialClass()
_CLASSES: dict[type[Geometry], KernelClass] = {
    InnerProduct: INNER_PRODUCT,
    Spherical: INNER_PRODUCT,
    Radial: RADIAL,
}


def class_of(kernel: Kernel) -> KernelClass:
    """The class of a kernel, or a refusal where it has none."""
    geometry = kernel.geometry
    found = None if geometry is None else _CLASSES.get(type(geometry))
    if found is None:
        raise InvalidArgument(
            f"the theory covers kernels h(⟨x, z⟩/d) and h(‖x − z‖²/d); {kernel} is neither. "
            "Use a kernel of one class, or a sum or product of such."
        )
    return found


def seen_points(kernel: Kernel, X: Array) -> Array:
    """The points as the profile sees them: projected to the sphere of radius √d by a Schoenberg kernel."""
    if type(kernel.geometry) is not Spherical:
        return X
    kernel.geometry.diagonal(X)  # refuses a zero row and too many features
    norms = np.sqrt(np.einsum("ij,ij->i", X, X))
    projected: Array = X * (np.sqrt(X.shape[1]) / norms)[:, np.newaxis]
    return projected


def extremes(kernel: Kernel, order: int, upper: float) -> tuple[float, float]:
    """Smallest and largest value of a derivative of h on [0, upper], from a grid of 2001 points."""
    with np.errstate(all="ignore"):
        values = kernel.profile(np.linspace(0.0, upper, GRID), order)
    return float(values.min()), float(values.max())
