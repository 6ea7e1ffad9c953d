"""Information gain and the classical regret bounds built on it: Section D of the paper."""

from collections.abc import Callable
from math import exp, inf, log
from typing import Any, NamedTuple

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Gaussian, Kernel, Linear, Matern
from kernelbandits.specs import Positive, conform
from kernelbandits.theory.spectrum import gram_points
from kernelbandits.types import Array, ArrayLike, IntArray


def information_gain(kernel: Kernel, X: ArrayLike, ridge: float = 1.0) -> float:
    """½ ln det(I + K(X, X)/λ²), λ² = `ridge` (τ in Section D)."""
    conform(ridge, Positive, "ridge")
    K = kernel.gram(gram_points(X)) / ridge
    K[np.diag_indices_from(K)] += 1.0
    return 0.5 * float(np.linalg.slogdet(K)[1])


class GreedyGain(NamedTuple):
    """Points chosen greedily: their `indices`, shape (n,), and the gain after each, shape (n,)."""

    indices: IntArray
    gains: Array


def greedy_information_gain(kernel: Kernel, candidates: ArrayLike, n: int, ridge: float = 1.0) -> GreedyGain:
    """Choose n of m candidates, each time the one with the largest posterior variance; a point may be chosen again.

    The gain is submodular, so this is between (1 − 1/e) γ_n and γ_n, the maximum over the pool. Each step adds one row
    to the whitened kernel block: O(n² m) in all.
    """
    pool = checks.points("candidates", candidates)
    checks.whole("n", n, at_least=1)
    conform(ridge, Positive, "ridge")
    variance = kernel.diagonal(pool).astype(np.float64)
    V, indices, steps = np.empty((n, len(pool))), np.empty(n, dtype=np.int64), np.empty(n)
    for step in range(n):
        best = int(variance.argmax())
        row = kernel.block(pool[best : best + 1], pool)[0] - V[:step, best] @ V[:step]
        row /= np.sqrt(variance[best] + ridge)
        V[step] = row
        indices[step], steps[step] = best, 0.5 * np.log1p(variance[best] / ridge)
        variance = np.maximum(variance - row**2, 0.0)
    return GreedyGain(indices, np.cumsum(steps))


class InformationRate(NamedTuple):
    """A known order of γ_T, without its constant: its logarithm (the order overflows easily) and its formula."""

    log: float
    formula: str

    @property
    def value(self) -> float:
        """The order itself, ∞ if it overflows."""
        return exp(self.log) if self.log < 700.0 else inf


def information_rate(kernel: Kernel, dim: int, horizon: int) -> InformationRate:
    """Linear: d ln T. Gaussian: (ln T)^{d+1}. Matern: T^{d/(2ν+d)} (ln T)^{2ν/(2ν+d)} (Vakili et al. 2021)."""
    checks.whole("dim", dim, at_least=1)
    checks.whole("horizon", horizon, at_least=3)
    rate = _RATES.get(type(kernel))
    if rate is None:
        raise InvalidArgument(f"a rate of the information gain is known for Linear, Gaussian and Matern; got {kernel}")
    return rate(kernel, dim, log(horizon))


def _matern_rate(kernel: Any, dim: int, log_t: float) -> InformationRate:
    share = dim / (2.0 * kernel.nu + dim)
    return InformationRate(share * log_t + (1.0 - share) * log(log_t), "T^(d/(2ν+d)) (ln T)^(2ν/(2ν+d))")


_RATES: dict[type[Kernel], Callable[[Any, int, float], InformationRate]] = {
    Linear: lambda kernel, dim, log_t: InformationRate(log(dim * log_t), "d ln T"),
    Gaussian: lambda kernel, dim, log_t: InformationRate((dim + 1) * log(log_t), "(ln T)^(d+1)"),
    Matern: _matern_rate,
}


def gaussian_rate_by_scale(dim: int, horizon: int, length: float) -> InformationRate:
    """[ln(T^{d+1} ln T)]^{d+1} / ℓ^d for exp(−‖x − z‖²/ℓ) (Berkenkamp et al. 2019, Eq. 24).

    `Gaussian(gamma)` has ℓ = d/γ. Even for so wide a kernel the order is above (ln T)^{d+1}.
    """
    checks.whole("dim", dim, at_least=1)
    checks.whole("horizon", horizon, at_least=3)
    conform(length, Positive, "length")
    inner = (dim + 1) * log(horizon) + log(log(horizon))
    return InformationRate((dim + 1) * log(inner) - dim * log(length), "[ln(T^(d+1) ln T)]^(d+1) / ℓ^d")


class ClassicalBounds(NamedTuple):
    """Two classical orders of regret, without constants, in units of the largest regret per round.

    `cgp_ucb` is γ_T √T (Krause and Ong 2011), `sup_kernel_ucb` is √(γ_T T) (Valko et al. 2013).
    """

    cgp_ucb: float
    sup_kernel_ucb: float
    horizon: int

    @property
    def vacuous(self) -> bool:
        """Whether both are at least T, so that they say nothing."""
        return min(self.cgp_ucb, self.sup_kernel_ucb) >= self.horizon


def classical_bounds(gain: float, horizon: int) -> ClassicalBounds:
    """Both orders at γ_T = `gain`: an `InformationRate.value`, or a measured gain, which is at most γ_T."""
    if not gain >= 0:
        raise InvalidArgument(f"gain must be a number of at least 0; got {gain!r}")
    checks.whole("horizon", horizon, at_least=1)
    return ClassicalBounds(gain * horizon**0.5, (gain * horizon) ** 0.5, horizon)
