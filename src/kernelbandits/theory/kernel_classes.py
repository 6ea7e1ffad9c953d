"""The two classes of kernels (Definition 4.2) and their constants (Definitions 4.4 and B.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Geometry, InnerProduct, Kernel, Radial, Spherical
from kernelbandits.theory.spectrum import Moments
from kernelbandits.types import Array

GRID = 2001
"""Number of points at which a condition on an interval is checked."""


@final
@dataclass(frozen=True, slots=True)
class Parameters:
    """Definition 4.4, kernel parameter sequence: τ = 2 Tr(Σ)/d and the weights in K_lin of 11ᵀ, XXᵀ/d and I."""

    tau: float
    alpha: float
    beta: float
    gamma: float


@final
@dataclass(frozen=True, slots=True, eq=False)
class Corrections:
    """Definition B.2, parameters for the radial class: ψ and ρ, each of shape (n,), and the weight of ψψᵀ in ζ."""

    psi: Array
    rho: Array
    zeta_weight: float


@final
@dataclass(frozen=True, slots=True)
class KernelClass:
    """One of the two classes.

    Attributes:
        name: for messages.
        n_spikes: rank of what K_lin adds to γ I + β XXᵀ/d. Lemmas B.8 and B.12 drop as many eigenvalues.
        parameters: (kernel, moments of Σ, as_printed) → α, β, γ, τ.
        corrections: (kernel, X, τ, as_printed) → what the radial class adds to K_lin; None for the other class.

    """

    name: str
    n_spikes: int
    parameters: Callable[[Kernel, Moments, bool], Parameters]
    corrections: Callable[[Kernel, Array, float, bool], Corrections | None]


def h(kernel: Kernel, t: float, order: int = 0) -> float:
    """Value of the profile or of one of its derivatives at t."""
    return float(kernel.profile(np.array([t]), order)[0])


def extremes(kernel: Kernel, order: int, upper: float) -> tuple[float, float]:
    """Smallest and largest value of a derivative of h on a grid over [0, upper]."""
    with np.errstate(all="ignore"):
        values = kernel.profile(np.linspace(0.0, upper, GRID), order)
    return float(values.min()), float(values.max())


def _inner_product_parameters(kernel: Kernel, moments: Moments, as_printed: bool) -> Parameters:
    # The second-order Taylor term is h''(0)/2 (El Karoui 2010, Theorem 2.1); the paper prints it without the ½.
    half = 1.0 if as_printed else 0.5
    level = moments.level
    alpha = h(kernel, 0.0) + half * h(kernel, 0.0, 2) * moments.square
    beta = h(kernel, 0.0, 1)
    return Parameters(2.0 * level, alpha, beta, h(kernel, level) - h(kernel, 0.0) - beta * level)


def _radial_parameters(kernel: Kernel, moments: Moments, as_printed: bool) -> Parameters:
    tau = 2.0 * moments.level
    slope = h(kernel, tau, 1)
    alpha = h(kernel, tau) + 2.0 * h(kernel, tau, 2) * moments.square
    return Parameters(tau, alpha, -2.0 * slope, h(kernel, 0.0) + tau * slope - h(kernel, tau))


def _radial_corrections(kernel: Kernel, X: Array, tau: float, as_printed: bool) -> Corrections:
    slope, curvature = h(kernel, tau, 1), h(kernel, tau, 2)
    psi = np.einsum("ij,ij->i", X, X) / X.shape[1] - tau / 2.0
    # ζ is the mixed second-order term, h'' ψψᵀ (El Karoui 2010, Theorem 2.2); the paper prints h'.
    return Corrections(psi, slope * psi + 0.5 * curvature * psi**2, slope if as_printed else curvature)


INNER_PRODUCT = KernelClass("inner-product", 1, _inner_product_parameters, lambda kernel, X, tau, as_printed: None)
RADIAL = KernelClass("radial", 5, _radial_parameters, _radial_corrections)
_CLASSES: dict[type[Geometry], KernelClass] = {
    InnerProduct: INNER_PRODUCT,
    Spherical: INNER_PRODUCT,
    Radial: RADIAL,
}


def class_of(kernel: Kernel) -> KernelClass:
    """The class of a kernel; raises InvalidArgument if it belongs to neither."""
    geometry = kernel.geometry
    found = None if geometry is None else _CLASSES.get(type(geometry))
    if found is None:
        raise InvalidArgument(
            f"the theory covers kernels h(⟨x, z⟩/d) and h(‖x − z‖²/d); {kernel} is neither. "
            "Use a kernel of one class, or sums and products within one class."
        )
    return found


def seen_points(kernel: Kernel, X: Array) -> Array:
    """The points as the profile sees them: a Schoenberg kernel projects them to the sphere of radius √d."""
    if type(kernel.geometry) is not Spherical:
        return X
    kernel.geometry.diagonal(X)  # raises for a zero row or too many features
    norms = np.sqrt(np.einsum("ij,ij->i", X, X))
    projected: Array = X * (np.sqrt(X.shape[1]) / norms)[:, np.newaxis]
    return projected
