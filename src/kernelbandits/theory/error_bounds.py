"""Bounds on the estimation error (Definition 4.5, Theorems B.1 and B.4, Lemmas B.8 and B.12), and its measurement."""

from __future__ import annotations

from math import inf, log, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel
from kernelbandits.specs import Count, NonNegative, Positive, conform
from kernelbandits.theory.linearization import Setting, setting
from kernelbandits.theory.spectrum import gram_points, spectrum
from kernelbandits.types import Array, ArrayLike

if TYPE_CHECKING:
    from kernelbandits.environments import Instance
    from kernelbandits.regression import Estimator, Predictor


def effective_variance(kernel: Kernel, X: ArrayLike, covariance: ArrayLike | None = None) -> float:
    """Definition 4.5, effective variance: 𝒱 = d⁻¹ Σ_j λ_j / (γ/β + λ_j)², with λ_j the eigenvalues of XXᵀ/d."""
    s = setting(kernel, checks.points("X", X), covariance)
    return _spectral_sum(s) / s.dim


def effective_bias(kernel: Kernel, X: ArrayLike) -> float:
    """Definition 4.5, effective bias: ℬ = inf_k [N⁻¹ Σ_{j>k} λ_j(K) + 2 √(k/N)] over k = 0 … N."""
    return tail_infimum(_eigenvalues(kernel.gram(gram_points(X))))[0]


def tail_infimum(eigenvalues: Array) -> tuple[float, int]:
    """The infimum in ℬ and the k where it is attained; eigenvalues are sorted, largest first."""
    n = len(eigenvalues)
    kept = np.append(np.cumsum(np.maximum(eigenvalues, 0.0)[::-1])[::-1], 0.0)
    values = kept / n + 2.0 * np.sqrt(np.arange(n + 1) / n)
    k = int(values.argmin())
    return float(values[k]), k


def detailed_variance(
    kernel: Kernel,
    X: ArrayLike,
    noise_std: float,
    covariance: ArrayLike | None = None,
    *,
    as_printed: bool = False,
) -> float:
    """V̄ = (8σ²/d) Σ_j λ_j(Σ̂ + (α/β) 11ᵀ) / (γ/β + λ_j(M))²: Theorems B.1 and B.4 (estimation error in detail).

    M is Σ̂ + (α/β) 11ᵀ, plus (ρ1ᵀ + 1ρᵀ + ζ)/β for the radial class. Both fractions are multiplied by β, so that β = 0
    needs no special case.
    """
    conform(noise_std, NonNegative, "noise_std")
    s = setting(kernel, gram_points(X), covariance, as_printed)
    G = s.linear_gram()
    above = _eigenvalues(G)
    below = above if s.corrections is None else _eigenvalues(G + s.corrections.gram)
    p = s.parameters
    return 8.0 * noise_std**2 / s.dim * p.beta * _ratio_sum(np.maximum(above, 0.0), p.gamma + below)


def detailed_bias(kernel: Kernel, X: ArrayLike, norm: float) -> float:
    """B̄ = B² ℬ, with B = `norm` a bound on the RKHS norm of the reward function."""
    conform(norm, NonNegative, "norm")
    return norm**2 * effective_bias(kernel, X)


def simplified_variance(kernel: Kernel, X: ArrayLike, noise_std: float, covariance: ArrayLike | None = None) -> float:
    """(8σ²/d) [β/γ + 2 Σ_j λ_j / (γ/β + λ_j)²] ≥ V̄: Lemmas B.8 and B.12. ∞ if γ = 0."""
    conform(noise_std, NonNegative, "noise_std")
    s = setting(kernel, checks.points("X", X), covariance)
    if s.parameters.gamma <= 0:
        return inf
    bracket = s.parameters.beta / s.parameters.gamma + 2.0 * _spectral_sum(s)
    return 8.0 * noise_std**2 / s.dim * bracket


def simplified_bias(kernel: Kernel, X: ArrayLike, norm: float, covariance: ArrayLike | None = None) -> float:
    """B² [3γ/2 + (β/N) Σ_j λ_j + 2 √(k/N)] ≥ B̄ on the event ‖K − K_lin‖ ≤ γ/2: Lemmas B.8 and B.12.

    k is 1 for the inner-product class (√(4/N) in the paper), 5 for the radial class (√(20/N)).
    """
    conform(norm, NonNegative, "norm")
    s = setting(kernel, checks.points("X", X), covariance)
    n = len(s.X)
    mean_eigenvalue = float(np.einsum("ij,ij->", s.X, s.X)) / (n * s.dim)
    p = s.parameters
    return norm**2 * (1.5 * p.gamma + p.beta * mean_eigenvalue + 2.0 * sqrt(s.kernel_class.n_spikes / n))


def residual_order(gamma: float, dim: int, n: int, failure: float) -> float:
    """The order of the residual Φ of Theorems B.1 and B.4, ln^4.1 d / (d γ²) + √(ln(N/δ)/N), without its constant."""
    conform(gamma, float, "gamma")
    conform(dim, Count, "dim")
    conform(n, Count, "n")
    conform(failure, Positive, "failure")
    if gamma <= 0:
        return inf
    return float(log(dim) ** 4.1) / (dim * gamma**2) + sqrt(max(log(n / failure), 0.0) / n)


def _eigenvalues(A: Array) -> Array:
    """Eigenvalues of a symmetric matrix, largest first."""
    return np.linalg.eigvalsh(A)[::-1].astype(np.float64, copy=False)


def _spectral_sum(s: Setting) -> float:
    """Σ_j λ_j / (γ/β + λ_j)² = β Σ_j βλ_j / (γ + βλ_j)²."""
    p = s.parameters
    if p.gamma < -1e-12:
        raise InvalidArgument(
            f"γ = {p.gamma:.3g} is negative at τ = {p.tau:.3g}: the profile is not convex, so the effective variance "
            "is not defined; `theory.assumptions` lists the conditions on a kernel"
        )
    values = p.beta * spectrum(s.X).gram_eigenvalues
    return p.beta * _ratio_sum(values, p.gamma + values)


def _ratio_sum(above: Array, below: Array) -> float:
    """Σ a_j / b_j² over the a_j above rounding: a direction without data has no variance, even if γ = 0."""
    above, below = np.sort(above), np.sort(below)
    seen = above > len(above) * np.finfo(np.float64).eps * above[-1]
    with np.errstate(divide="ignore"):
        return float((above[seen] / below[seen] ** 2).sum())


class MeasuredError(NamedTuple):
    """‖f̂⁽ⁱ⁾ − f⁽ⁱ⁾‖² in L²(P_x) per arm, shape (K,), averaged over fits and fresh contexts; error NaN for one fit."""

    per_arm: Array
    standard_error: Array

    @property
    def mean(self) -> float:
        """Average over arms."""
        return float(self.per_arm.mean())


def measured_error(
    estimator: Estimator[Predictor],
    instance: Instance,
    n: int,
    rng: np.random.Generator | int,
    *,
    n_fits: int = 1,
    n_test: int = 1000,
) -> MeasuredError:
    """Fit each arm to `n` draws and compare with the truth on `n_test` fresh contexts, `n_fits` times."""
    from kernelbandits.environments import mean_and_standard_error  # only a simulation needs environments

    for name, value in (("n", n), ("n_fits", n_fits), ("n_test", n_test)):
        checks.whole(name, value, at_least=1)
    errors = []
    for stream in np.random.default_rng(rng).spawn(n_fits):
        rounds = instance.rounds(n + n_test, stream)
        for arm, f in enumerate(rounds.means.T):
            X = np.ascontiguousarray(rounds.contexts[:, arm])
            fit = estimator._fit(X[:n], f[:n] + rounds.noise[:n])
            errors.append(np.mean((fit._mean(X[n:]) - f[n:]) ** 2))
    return MeasuredError(*mean_and_standard_error(np.reshape(errors, (n_fits, -1))))
