"""Marginal likelihood of y ~ N(0, s² (K + ridge·I)) for a whole grid of ridges, from one eigenvalue problem.

With K = Q diag(λ) Qᵀ and u = Qᵀy the amplitude that explains n values best is s² = (1/n) Σ uⱼ²/(λⱼ + ridge): the mean
of the squared standardised innovations. What remains of the log likelihood is −½ (n ln s² + Σ ln(λⱼ + ridge)), up to
a constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernelbandits.kernels import Kernel
from kernelbandits.linalg import TINY
from kernelbandits.types import Array

RIDGES: Array = 10.0 ** np.linspace(-6.0, 2.0, 17)
"""Noise variances that are tried, in units of the squared amplitude: half a decade apart."""

_PRIOR_DECADES = 2.0


class Spectrum(NamedTuple):
    """Eigenvalues λ of an arm's Gram matrix and the squares of Qᵀy, both of shape (n,)."""

    values: Array
    squares: Array


def spectrum(kernel: Kernel, X: Array, y: Array) -> Spectrum:
    """The eigenvalue problem of one arm: O(n³)."""
    values, vectors = np.linalg.eigh(kernel.gram(X))
    return Spectrum(np.maximum(values, 0.0), (vectors.T @ y) ** 2)


def log_evidence(spectra: Sequence[Spectrum]) -> Array:
    """Log likelihood of all arms together for every ridge of `RIDGES`, with the one amplitude that suits it best."""
    values = np.concatenate([spectrum.values for spectrum in spectra])
    squares = np.concatenate([spectrum.squares for spectrum in spectra])
    variances = values[:, np.newaxis] + RIDGES
    amplitudes = np.maximum((squares[:, np.newaxis] / variances).mean(axis=0), TINY)
    evidence: Array = -0.5 * (len(values) * np.log(amplitudes) + np.log(variances).sum(axis=0))
    return evidence


def log_prior() -> Array:
    """Of the ridges: normal in the decades around 1, so that one reward an arm is not taken for the truth."""
    prior: Array = -0.5 * (np.log10(RIDGES) / _PRIOR_DECADES) ** 2
    return prior
