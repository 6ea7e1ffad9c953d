"""Assumption 4.1 (basic condition) and the condition on d/N of Theorem 4.6, checked on a sample."""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from kernelbandits.linalg import EPS
from kernelbandits.theory.hypotheses import Hypothesis, judge, unknown
from kernelbandits.theory.spectrum import check_covariance, spectrum
from kernelbandits.types import Array, ArrayLike

RATIO = (0.05, 20.0)
"""Range of d/N in which the asymptotic statements are taken to apply."""


def covariance_norm(X: Array | None, covariance: ArrayLike | None, dim: int) -> Hypothesis:
    """‖Σ‖ ≤ 1: Assumption 4.1 (ii)."""
    name = "‖Σ‖ ≤ 1"
    if covariance is not None:
        S = check_covariance(covariance, dim)
        norm = float(S.max()) if S.ndim == 1 else float(np.abs(np.linalg.eigvalsh(S)).max())
        return judge(name, norm <= 1.0 + 1e-9, f"‖Σ‖ = {norm:.4g} of the given covariance")
    if X is None:
        return unknown(name, "neither a covariance nor a sample was given")
    n = len(X)
    norm, edge = float(spectrum(X).eigenvalues[0]), (1.0 + sqrt(dim / n)) ** 2
    reason = f"‖Σ̂‖ = {norm:.4g} on {n} rows; ‖Σ‖ = 1 alone gives up to {edge:.3g} at this d/N"
    return unknown(name, reason) if 1.0 < norm <= edge else judge(name, norm <= 1.0, reason)


def whiten(X: Array, covariance: ArrayLike | None) -> Array:
    """Z = Σ^{-1/2} x, shape (n, k), without coordinates that are 0 throughout; Σ^{-1/2} is the pseudo-inverse root."""
    if covariance is not None and np.ndim(covariance) == 1:
        variances = check_covariance(covariance, X.shape[1])
        active = variances > 0
        diagonal: Array = X[:, active] / np.sqrt(variances[active])
        return diagonal
    S = X.T @ X / len(X) if covariance is None else check_covariance(covariance, X.shape[1])
    values, vectors = np.linalg.eigh(S)
    kept = values > len(S) * EPS * max(float(values[-1]), 0.0)
    # The symmetric root: independence is a condition on the given coordinates.
    root = vectors[:, kept] / np.sqrt(values[kept])
    whitened: Array = X @ (root @ vectors[:, kept].T)
    return whitened[:, whitened.any(axis=0)]


def whitened_coordinates(X: Array, covariance: ArrayLike | None) -> list[Hypothesis]:
    """Zero mean, boundedness and independence of the coordinates of Z: Assumption 4.1 (iii)."""
    names = "coordinates have mean 0", "coordinates are bounded", "coordinates are independent"
    n, dim = X.shape
    if n < 10 or (covariance is None and n < 10 * dim):
        why = f"{n} rows cannot whiten {dim} features; give the covariance, or at least {max(10, 10 * dim)} rows"
        return [unknown(name, why) for name in names]
    Z = whiten(X, covariance)
    if not Z.size:
        return [unknown(name, "the covariance is 0") for name in names]
    return [_centred(names[0], Z), _bounded(names[1], Z), _independent(names[2], Z)]


def _centred(name: str, Z: Array) -> Hypothesis:
    n, dim = Z.shape
    statistic = n * float((Z.mean(axis=0) ** 2).mean())
    limit = 1.0 + 4.0 * sqrt(2.0 / dim)
    return judge(name, statistic <= limit, f"N‖mean‖²/d = {statistic:.3g}, expected 1 and below {limit:.3g}")


def _bounded(name: str, Z: Array) -> Hypothesis:
    largest, normal = float(np.abs(Z).max()), sqrt(2.0 * log(Z.size))
    reason = f"max |Z| = {largest:.3g} over {Z.size} entries; a normal sample reaches about {normal:.3g}"
    return judge(name, largest <= 2.0 * normal, reason)


def _independent(name: str, Z: Array) -> Hypothesis:
    """Var‖Z‖² = Σ_j Var Z_j² for independent coordinates; a common random scale adds a factor of order d."""
    together, apart = float((Z**2).sum(axis=1).var()), float((Z**2).var(axis=0).sum())
    if apart <= 0:
        return judge(name, True, "every |Z_j| is constant")
    ratio, limit = together / apart, 6.0 * sqrt(2.0 / len(Z))
    reason = f"Var‖Z‖² / Σ_j Var Z_j² = {ratio:.3g}, expected 1 ± {limit:.2g}"
    return judge(name, abs(ratio - 1.0) <= limit, reason)


def ratio_condition(n: int | None, dim: int) -> Hypothesis:
    """c_L ≤ d/N ≤ c_U: Theorem 4.6 (estimation error)."""
    name = "c_L ≤ d/N ≤ c_U"
    if n is None:
        return unknown(name, "N was not given")
    ratio = dim / n
    reason = f"d/N = {ratio:.4g}; the asymptotic statements are taken to apply from {RATIO[0]} to {RATIO[1]}"
    return judge(name, RATIO[0] <= ratio <= RATIO[1], reason)
