"""One level for several intervals, such that all of them hold together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from kernelbandits.types import Array

_DRAWS = 20_000


def simultaneous_level(scores: Sequence[Array], level: float) -> float:
    """Return the level at which single intervals hold together with probability `level` (Dunnett 1955; Hothorn 2008).

    It is P(|Z| ≤ q) where q is the quantile of the largest of |Z₁|, …, |Z_m|, normal with the correlations of the
    scores: differences from the same rows are dependent, so it is less strict than Bonferroni's.
    """
    varying = [each - each.mean() for each in scores if np.ptp(each) > 0.0]
    if len(varying) < 2:
        return level
    sizes = [float(np.sqrt(each @ each)) for each in varying]
    products = np.array([[float(a @ b) for b in varying] for a in varying])
    correlations = products / np.outer(sizes, sizes)
    values, vectors = np.linalg.eigh(correlations)
    roots = vectors * np.sqrt(np.maximum(values, 0.0))
    largest = np.abs(np.random.default_rng(0).standard_normal((_DRAWS, len(varying))) @ roots.T).max(axis=1)
    return float(max(2.0 * ndtr(np.quantile(largest, level)) - 1.0, level))
