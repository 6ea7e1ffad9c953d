"""Assumption basic and the theorems' side conditions, looked at on a sample."""

from __future__ import annotations

from math import log, sqrt

import numpy as np

from kernelbandits.linalg import EPS
from kernelbandits.theory.report import Hypothesis, judge, unknown
from kernelbandits.theory.spectrum import check_covariance, spectrum
from kernelbandits.types import Array, ArrayLike

RATIO = (0.05, 20.0)
"""d/N outside of this is not "constant" in any useful sense."""


def covariance_norm(X: Array | None, covariance: ArrayLike | None, dim: int) -> Hypothesis:
    """‖Σ‖ ≤ 1, Assumption basic (ii)."""
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
    return (
        judge(name, False, reason)
        if norm > edge
        else (judge(name, True, reason) if norm <= 1.0 else unknown(name, reason))
    )


def whiten(X: Array, covariance: ArrayLike | None) -> Array:
    """Z = Σ^{-1/2} x in the directions that Σ has, shape (n, rank), in the coordinates of Σ's own basis."""
    if covariance is not None and np.ndim(covariance) == 1:
        variances = check_covariance(covariance, X.shape[1])
        active = variances > 0
        diagonal: Array = X[:, active] / np.sqrt(variances[active])
        return diagonal
    S = X.T @ X / len(X) if covariance is None else check_covariance(covariance, X.shape[1])
    values, vectors = np.linalg.eigh(S)
    kept = values > len(S) * EPS * max(float(values[-1]), 0.0)
    # Σ^{-1/2} is symmetric: back in the given coordinates, where independence is asked for.
    root = vectors[:, kept] / np.sqrt(values[kept])
    whitened: Array = X @ (root @ vectors[:, kept].T)
    return whitened[:, whitened.any(axis=0)]


def whitened_coordinates(X: Array, covariance: ArrayLike | None) -> list[Hypothesis]:
    """Zero mean, boundedness and independence of the coordinates of Z: Assumption basic (iii)."""
    names = "coordinates have mean 0", "coordinates are bounded", "coordinates are independent"
    n, dim = X.shape
    if n < 10 or (covariance is None and n < 10 * dim):
        why = f"{n} rows cannot whiten {dim} features; give the covariance, or at least {max(10, 10 * dim)} rows"
        return [unknown(name, why) for name in names]
    Z = whiten(X, covariance)
    if not Z.size:
        return [unknown(name, "the covariance is 0, nothing varies") for name in names]
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
    """Var‖Z‖² is the sum of Var Z_j² for independent coordinates; a common scale inflates it by a factor of order d."""
    together, apart = float((Z**2).sum(axis=1).var()), float((Z**2).var(axis=0).sum())
    if apart <= 0:
        return judge(name, True, "every |Z_j| is constant")
    ratio, limit = together / apart, 6.0 * sqrt(2.0 / len(Z))
    reason = f"Var‖Z‖² / Σ_j Var Z_j² = {ratio:.3g}, expected 1 ± {limit:.2g}"
    return judge(name, abs(ratio - 1.0) <= limit, reason)


def ratio_condition(n: int | None, dim: int) -> Hypothesis:
    """c_L ≤ d/N ≤ c_U."""
    name = "c_L ≤ d/N ≤ c_U"
    if n is None:
        return unknown(name, "N was not given")
    ratio = dim / n
    reason = f"d/N = {ratio:.4g}; between {RATIO[0]} and {RATIO[1]} the asymptotics are taken to speak"
    return judge(name, RATIO[0] <= ratio <= RATIO[1], reason)
