"""Marginal likelihood of y ~ N(0, s² (K + ridge·I)) for a whole grid of ridges, from one eigenvalue problem.

With K = Q diag(λ) Qᵀ and u = Qᵀy the most likely amplitude of n values is s² = (1/n) Σ uⱼ²/(λⱼ + ridge): the mean of
the squared standardised innovations. The log likelihood is then −½ (n ln s² + Σ ln(λⱼ + ridge)), up to a constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, TypeVar

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Gaussian, Kernel, Radial
from kernelbandits.linalg import TINY
from kernelbandits.types import Array

K = TypeVar("K", bound=Kernel)
Spectrum: TypeAlias = tuple[Array, Array]
"""Eigenvalues λ of an arm's Gram matrix and the squares of Qᵀy, both of shape (n,)."""

BANDWIDTHS = (4.0, 1.0, 0.25, 0.0625)
"""With m = 4 two typical contexts are nearly uncorrelated, with m = 1/16 functions are nearly linear."""

RIDGES: Array = 10.0 ** np.linspace(-6.0, 2.0, 17)
"""Candidate noise variances in units of the squared amplitude, half a decade apart."""

_PRIOR_DECADES = 2.0
_ENOUGH = 300

LOG_PRIOR: Array = -0.5 * (np.log10(RIDGES) / _PRIOR_DECADES) ** 2
"""Log prior of `RIDGES`: normal in decades around 1, so that a single reward per arm is not taken as exact."""


def spectrum(kernel: Kernel, X: Array, y: Array) -> Spectrum:
    """The Gram spectrum of one arm, O(n³)."""
    values, vectors = np.linalg.eigh(kernel.gram(X))
    return np.maximum(values, 0.0), (vectors.T @ y) ** 2


def log_evidence(spectra: Sequence[Spectrum]) -> Array:
    """Log likelihood of all arms together for every ridge of `RIDGES`, each with its most likely common amplitude."""
    values, squares = map(np.concatenate, zip(*spectra, strict=True))
    variances = values[:, np.newaxis] + RIDGES
    amplitudes = np.maximum((squares[:, np.newaxis] / variances).mean(axis=0), TINY)
    evidence: Array = -0.5 * (len(values) * np.log(amplitudes) + np.log(variances).sum(axis=0))
    return evidence


def best_kernel(kernels: Sequence[K], arms: Sequence[tuple[Array, Array]]) -> tuple[K, list[Spectrum], Array]:
    """The kernel that explains the contexts and rewards of arms best, spectra, and the log posterior of `RIDGES`."""
    spectra = [[spectrum(kernel, X, y) for X, y in arms] for kernel in kernels]
    posteriors = [log_evidence(each) + LOG_PRIOR for each in spectra]
    best = int(np.argmax([posterior.max() for posterior in posteriors]))
    return kernels[best], spectra[best], posteriors[best]


def refuse_no_candidate(owner: str, bandwidths: Sequence[float], kernels: Sequence[Kernel]) -> None:
    """Raise if there is neither a bandwidth nor a kernel."""
    if not bandwidths and not kernels:
        raise InvalidArgument(f"{owner}: bandwidths or kernels must have at least one entry; both are empty")


def candidates(bandwidths: Sequence[float], kernels: Sequence[Kernel], contexts: Sequence[Array]) -> list[Kernel]:
    """exp(−m t/t̄) for each m in `bandwidths`, then `kernels`.

    t = ‖x − z‖²/d, and t̄ is its median over pairs of different contexts, of a sample if they are many; 1 if there are
    none. So the unit of contexts does not matter. They are given arm by arm, arrays of shape (n, d).
    """
    if not bandwidths:
        return [*kernels]
    X, geometry = np.concatenate(contexts), Radial()
    X = X[:: -(-len(X) // _ENOUGH)]
    t = geometry.evaluate(geometry.left(X), geometry.right(X))
    positive = t[t > 0.0]
    typical = float(np.median(positive)) if len(positive) else 1.0
    return [*(Gaussian(multiple / typical) for multiple in bandwidths), *kernels]
