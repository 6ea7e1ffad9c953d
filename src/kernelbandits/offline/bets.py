"""Bets against a stated mean: how much a gambler who starts with 1 has won if the mean is not what is stated.

If the stated mean is true, the capital is a supermartingale of mean at most 1, so it ever reaches 1/α with a
probability of at most α (Ville). All functions work on arrays of any shape and return the logarithm of the capital.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, gammainc, gammaln, xlog1py, xlogy

from kernelbandits.types import Array, IntArray

_PRIOR = 3.0
"""ρ: bets are best when the sum of squares is about ten times as much, in squared units of the range."""


def gamma_exponential_capital(excess: Array | float, squares: Array | float) -> Array:
    """Return log ∫ exp(λ s − ψ(λ) v) dF(λ), ψ(λ) = −log(1 − λ) − λ, for F with density ∝ (1−λ)^(ρ−1) exp(ρλ) on [0, 1).

    s = Σ(yᵢ − ν) is the excess over a stated mean ν, v = Σ(yᵢ − ŷᵢ)² with ŷᵢ predicted from the past and ŷᵢ − yᵢ ≤ 1.
    Then exp(λ s − ψ(λ) v) is a supermartingale (Fan, Grama & Liu 2015), and so is the mixture (Howard, Ramdas,
    McAuliffe & Sekhon 2021, Proposition 9). Where the excess is negative nothing was won, and −∞ is returned.
    """
    s, v = np.maximum(excess, 0.0), np.asarray(squares, dtype=np.float64)
    a, b, x = _PRIOR, v + _PRIOR, s + v + _PRIOR
    start = a * np.log(a) - gammaln(a) - np.log(gammainc(a, a))
    with np.errstate(divide="ignore"):
        log_capital = start + gammaln(b) + np.log(gammainc(b, x)) - b * np.log(x) + s + v
    return np.where(np.asarray(excess) > 0.0, log_capital, -np.inf)


def beta_capital(total: Array | float, n: IntArray | int, mean: Array | float) -> Array:
    """Return log B(½ + s, ½ + n − s)/B(½, ½) − s log ν − (n − s) log(1 − ν) for the sum s of n numbers in [0, 1].

    It is the mixture of all likelihood ratios against ν of coins (Robbins 1970), here also for numbers between 0 and 1:
    log(1 + λ(y − ν)) is concave in y, so a gambler wins at least what a coin of the same sum gives.
    """
    s, rest = np.asarray(total, dtype=np.float64), np.asarray(n - np.asarray(total), dtype=np.float64)
    against = xlogy(s, mean) + xlog1py(rest, -np.asarray(mean, dtype=np.float64))
    return np.asarray(betaln(0.5 + s, 0.5 + rest) - betaln(0.5, 0.5) - against)
