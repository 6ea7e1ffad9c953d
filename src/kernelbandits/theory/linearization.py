"""The linear approximation of a Gram matrix: Theorems B.1 and B.4, Proposition C.3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel, Spherical
from kernelbandits.theory.kernel_classes import Corrections, KernelClass, Parameters, class_of, seen_points
from kernelbandits.theory.spectrum import Moments, moments, subsample
from kernelbandits.types import Array, ArrayLike


@final
@dataclass(frozen=True, slots=True, eq=False)
class Linearization:
    """K_lin = γ I + α 11ᵀ + β XXᵀ/d, for the radial class with + ρ1ᵀ + 1ρᵀ + ζ.

    Attributes:
        tau: 2 Tr(Σ)/d.
        alpha: weight of 11ᵀ.
        beta: weight of XXᵀ/d.
        gamma: weight of the identity, the implicit regularisation.
        gram: K_lin, shape (n, n).
        error: ‖K − K_lin‖, operator norm.
        psi: ‖x_j‖²/d − τ/2, shape (n,); None for the inner-product class.
        rho: h'(τ) ψ + h''(τ) ψ∘ψ/2, shape (n,); None for the inner-product class.
        zeta: h''(τ) ψψᵀ, shape (n, n); None for the inner-product class.

    """

    tau: float
    alpha: float
    beta: float
    gamma: float
    gram: Array
    error: float
    psi: Array | None
    rho: Array | None
    zeta: Array | None

    @property
    def n(self) -> int:
        """Number of points N."""
        return len(self.gram)

    @property
    def event(self) -> bool:
        """‖K − K_lin‖ ≤ γ/2, the event on which the bounds of Theorems B.1 and B.4 rest."""
        return self.error <= self.gamma / 2.0


@final
@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """A kernel's class, constants and corrections on a sample, from which the bounds are computed."""

    kernel_class: KernelClass
    X: Array
    parameters: Parameters
    corrections: Corrections | None

    @property
    def dim(self) -> int:
        """Number of features d."""
        return int(self.X.shape[1])


def setting(kernel: Kernel, X: Array, covariance: ArrayLike | None, as_printed: bool) -> Setting:
    """The setting of a kernel on a sample; Σ is `covariance`, or estimated from X."""
    kernel_class = class_of(kernel)
    seen = seen_points(kernel, X)
    sigma = moments(seen, covariance)
    if covariance is not None and type(kernel.geometry) is Spherical:
        sigma = Moments(1.0, sigma.square / sigma.level**2)  # on the sphere ‖x‖²/d is 1
    with np.errstate(all="ignore"):
        parameters = kernel_class.parameters(kernel, sigma, as_printed)
        corrections = kernel_class.corrections(kernel, seen, parameters.tau, as_printed)
    if not np.isfinite([parameters.alpha, parameters.beta, parameters.gamma]).all():
        raise InvalidArgument(
            f"{kernel} has no finite constants at τ = 2 Tr(Σ)/d = {parameters.tau:.3g}: its profile is not smooth "
            "there. Check that X is not all zeros, or use a smoother kernel."
        )
    return Setting(kernel_class, seen, parameters, corrections)


def kernel_parameters(
    kernel: Kernel, X: ArrayLike, covariance: ArrayLike | None = None, *, as_printed: bool = False
) -> Parameters:
    """α, β, γ, τ of Definition 4.4 (kernel parameter sequence). No Gram matrix is formed, so X may have many rows."""
    return setting(kernel, checks.points("X", X), covariance, as_printed).parameters


def linear_part(s: Setting) -> Array:
    """β XXᵀ/d + α 11ᵀ, shape (n, n)."""
    G: Array = s.X @ s.X.T
    G *= s.parameters.beta / s.X.shape[1]
    G += s.parameters.alpha
    return G


def correction_part(corrections: Corrections) -> Array:
    """ρ1ᵀ + 1ρᵀ + ζ, shape (n, n)."""
    part: Array = corrections.rho[:, np.newaxis] + corrections.rho + _zeta(corrections)
    return part


def _zeta(corrections: Corrections) -> Array:
    zeta: Array = corrections.zeta_weight * np.outer(corrections.psi, corrections.psi)
    return zeta


def linearize(
    kernel: Kernel,
    X: ArrayLike,
    covariance: ArrayLike | None = None,
    *,
    as_printed: bool = False,
    max_rows: int | None = None,
) -> Linearization:
    """K_lin of a sample and its distance from K.

    `covariance` is a vector of variances or a matrix; by default it is estimated from X. `as_printed` takes the paper's
    α (inner product) and ζ (radial) literally; the error then does not vanish as d grows. `max_rows` limits the rows
    used.
    """
    points = subsample(X, max_rows)
    s = setting(kernel, points, covariance, as_printed)
    p, corrections = s.parameters, s.corrections
    gram = linear_part(s)
    gram[np.diag_indices_from(gram)] += p.gamma
    if corrections is not None:
        gram += correction_part(corrections)
    error = float(np.abs(np.linalg.eigvalsh(kernel.gram(points) - gram)).max())
    added = (None, None, None) if corrections is None else (corrections.psi, corrections.rho, _zeta(corrections))
    return Linearization(p.tau, p.alpha, p.beta, p.gamma, gram, error, *added)
