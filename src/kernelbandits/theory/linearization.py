"""The two classes of kernels and the linear approximation of their Gram matrices.

Definitions 4.2, 4.4 and B.2, Theorems B.1 and B.4, Proposition C.3.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Geometry, InnerProduct, Kernel, Radial, Spherical
from kernelbandits.theory.spectrum import Moments, gram_points, moments
from kernelbandits.types import Array, ArrayLike

GRID = 2001  # number of points at which a condition on an interval is checked


class Parameters(NamedTuple):
    """Definition 4.4, kernel parameter sequence: τ = 2 Tr(Σ)/d and the weights in K_lin of 11ᵀ, XXᵀ/d and I."""

    tau: float
    alpha: float
    beta: float
    gamma: float


class Corrections(NamedTuple):
    """Definition B.2, parameters for the radial class: ψ and ρ, each of shape (n,), and the weight of ψψᵀ in ζ."""

    psi: Array
    rho: Array
    zeta_weight: float

    @property
    def zeta(self) -> Array:
        """ζ, shape (n, n)."""
        return self.zeta_weight * np.outer(self.psi, self.psi)

    @property
    def gram(self) -> Array:
        """ρ1ᵀ + 1ρᵀ + ζ, shape (n, n)."""
        return self.rho[:, np.newaxis] + self.rho + self.zeta


class KernelClass(NamedTuple):
    """One of the two classes. What the radial class adds to K_lin are corrections; the other class has None."""

    name: str
    n_spikes: int  # rank of what K_lin adds to γ I + β XXᵀ/d; Lemmas B.8 and B.12 drop as many eigenvalues
    parameters: Callable[[Kernel, Moments, bool], Parameters]  # of kernel, moments of Σ, as_printed
    corrections: Callable[[Kernel, Array, float, bool], Corrections | None]  # of kernel, X, τ, as_printed


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
_CLASSES: dict[type[Geometry], KernelClass] = {InnerProduct: INNER_PRODUCT, Spherical: INNER_PRODUCT, Radial: RADIAL}


def class_of(kernel: Kernel) -> KernelClass:
    """The class of a kernel; raises InvalidArgument if it belongs to neither."""
    geometry = kernel.geometry
    if geometry is None or type(geometry) not in _CLASSES:
        raise InvalidArgument(
            f"the theory covers kernels h(⟨x, z⟩/d) and h(‖x − z‖²/d); {kernel} is neither. "
            "Use a kernel of one class, or sums and products within one class."
        )
    return _CLASSES[type(geometry)]


def seen_points(kernel: Kernel, X: Array) -> Array:
    """The points as the profile sees them: a Schoenberg kernel projects them to the sphere of radius √d."""
    if type(kernel.geometry) is not Spherical:
        return X
    kernel.geometry.diagonal(X)  # raises for a zero row or too many features
    norms = np.sqrt(np.einsum("ij,ij->i", X, X))
    projected: Array = X * (np.sqrt(X.shape[1]) / norms)[:, np.newaxis]
    return projected


class Setting(NamedTuple):
    """A kernel's class, constants and corrections on a sample, from which the bounds are computed."""

    kernel_class: KernelClass
    X: Array
    parameters: Parameters
    corrections: Corrections | None

    @property
    def dim(self) -> int:
        return int(self.X.shape[1])

    def linear_gram(self) -> Array:
        """β XXᵀ/d + α 11ᵀ, shape (n, n)."""
        G: Array = self.X @ self.X.T
        G *= self.parameters.beta / self.dim
        G += self.parameters.alpha
        return G


def setting(kernel: Kernel, X: Array, covariance: ArrayLike | None, as_printed: bool = False) -> Setting:
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


class Linearization(NamedTuple):
    """K_lin = γ I + α 11ᵀ + β XXᵀ/d, for the radial class with + ρ1ᵀ + 1ρᵀ + ζ."""

    tau: float  # this and the next three as in `Parameters`
    alpha: float
    beta: float
    gamma: float
    gram: Array  # K_lin, shape (n, n)
    error: float  # ‖K − K_lin‖, operator norm
    psi: Array | None  # ‖x_j‖²/d − τ/2, shape (n,); None for the inner-product class, as are the next two
    rho: Array | None  # h'(τ) ψ + h''(τ) ψ∘ψ/2, shape (n,)
    zeta: Array | None  # h''(τ) ψψᵀ, shape (n, n)

    @property
    def event(self) -> bool:
        """‖K − K_lin‖ ≤ γ/2, the event on which the bounds of Theorems B.1 and B.4 rest."""
        return self.error <= self.gamma / 2.0


def linearize(
    kernel: Kernel, X: ArrayLike, covariance: ArrayLike | None = None, *, as_printed: bool = False
) -> Linearization:
    """K_lin of a sample and its distance from K.

    `covariance` is a vector of variances or a matrix; by default it is estimated from X. `as_printed` takes the paper's
    α (inner product) and ζ (radial) literally; the error then does not vanish as d grows.
    """
    points = gram_points(X)
    s = setting(kernel, points, covariance, as_printed)
    p, extra = s.parameters, s.corrections
    gram = s.linear_gram()
    gram[np.diag_indices_from(gram)] += p.gamma
    if extra is not None:
        gram += extra.gram
    error = float(np.abs(np.linalg.eigvalsh(kernel.gram(points) - gram)).max())
    added = (None, None, None) if extra is None else (extra.psi, extra.rho, extra.zeta)
    return Linearization(p.tau, p.alpha, p.beta, p.gamma, gram, error, *added)
