"""Whether contexts tell anything about rewards, by a permutation test within arms, and how much they may tell.

For rewards y of one arm, centred and of variance 1, and a kernel matrix M with its diagonal set to 0, the statistic
yᵀMy = Σ_{i≠j} y_i M_ij y_j is large if rows with similar contexts have similar rewards. If contexts tell nothing, every
order of the rewards of an arm is equally likely, so random orders show how large the statistic is by chance.
"""

from collections.abc import Sequence

import numpy as np

from kernelbandits.types import Array

_ORDERS = 400
_ROUNDING = 1e-14
_CLOSE_TO_NORMAL = 1e-6


def permutation_p_value(arms: Sequence[tuple[tuple[Array, ...], Array]], rng: np.random.Generator) -> float:
    """The chance of a statistic this large if contexts tell nothing, summed over arms.

    Each arm has its Gram matrices (n, n), one per kernel, and its rewards (n,). The tail of the 400 orders is continued
    by the gamma distribution with their mean, variance and skewness. With several kernels the smallest p-value counts,
    times their number.
    """
    found = []
    for grams, y in arms:
        scaled = _standardised(y)
        orders = np.argsort(rng.random((_ORDERS, len(y))), axis=1)
        columns = np.column_stack([scaled, scaled[orders].T])
        found.append([_quadratic(gram, columns) for gram in grams])
    sums = np.sum(found, axis=0)  # as observed and for random orders, (kernels, 1 + orders)
    return min(1.0, len(sums) * min(_tail(row[0], row[1:]) for row in sums))


def linear_share(arms: Sequence[tuple[Array, Array]]) -> tuple[float, float]:
    """The share of the variance of rewards that is linear in the contexts, and its standard error if that is 0.

    Each arm has the inner products of its contexts (n, n) and its rewards (n,). With z the rewards, centred and of
    variance 1, and M the inner products around their mean, of average size 1 on the diagonal, E z_i z_j = share · M_ij
    for i ≠ j, so the share is Σ z_i z_j M_ij / Σ M_ij² over all pairs of all arms. It says how much there is to learn,
    before a model could be fitted: the error falls as √(2d/K)/n with n rows of each of K arms.

    Reference: Haseman & Elston 1972; for many small effects Yang et al. 2010.
    """
    products = squares = 0.0
    for inner, y in arms:
        M = _centred(inner)
        M *= len(M) / max(float(np.trace(M)), np.finfo(float).tiny)
        np.fill_diagonal(M, 0.0)
        z = _standardised(y)
        products += float(z @ M @ z)
        squares += float(np.einsum("ij,ij->", M, M))
    return (products / squares, float(np.sqrt(2.0 / squares))) if squares > 0.0 else (0.0, np.inf)


def _centred(gram: Array) -> Array:
    centred: Array = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, np.newaxis] + gram.mean()
    return centred


def _standardised(y: Array) -> Array:
    centred = y - y.mean()
    return np.asarray(centred / max(float(centred.std()), np.finfo(float).tiny))


def _quadratic(gram: Array, columns: Array) -> Array:
    """The statistic of each column of rewards, in units of the kernel's size."""
    off_diagonal = _centred(gram)
    np.fill_diagonal(off_diagonal, 0.0)
    size = np.sqrt(2.0 * np.einsum("ij,ij->", off_diagonal, off_diagonal))
    if size == 0.0:
        return np.zeros(columns.shape[1])
    return np.asarray(np.einsum("ij,ij->j", columns, off_diagonal @ columns) / size)


def _tail(observed: float, chance: Array) -> float:
    from scipy import stats  # loaded where it is used: half a second

    spread = float(chance.std())
    if spread <= _ROUNDING * float(np.abs(chance).max()):
        return 1.0
    skew = max(float(stats.skew(chance)), _CLOSE_TO_NORMAL)  # similar contexts can only make the upper tail longer
    return float(stats.pearson3.sf((observed - chance.mean()) / spread, skew))
