"""Which kernel, level variance and noise explain the rewards of independent arms best: by the marginal likelihood.

The rewards of an arm less its level are N(0, s² (K + o 11ᵀ + r I)). With K = Q diag(λ) Qᵀ, u = Qᵀy and e = Qᵀ1, all
noise shares r and level variances o need one eigenvalue problem: yᵀA⁻¹y = S_yy − S_1y²/(1/o + S_11) and
ln det A = Σ ln(λ + r) + ln(1 + o S_11) with S_ab = Σ a b/(λ + r). The squared amplitude s² has a scaled inverse χ²
prior with `PRIOR_REWARDS` degrees of freedom, such that the prior variance of a reward is that of all rewards, and is
integrated out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, sqrt
from typing import NamedTuple, final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.anchored_kernels import AnchoredGaussian, AnchoredRational
from kernelbandits.beliefs.context_units import Units
from kernelbandits.kernels import Kernel, Scaled, Shifted
from kernelbandits.linalg import TINY
from kernelbandits.types import Array

RIDGES: Array = 10.0 ** np.linspace(-6.0, 4.0, 21)
"""Candidate noise variances in units of the squared amplitude, half a decade apart; with 10⁴, contexts are useless."""
OFFSETS: Array = 4.0 ** np.arange(-2.0, 4.0)
"""Candidate variances of an arm's level in units of the squared amplitude."""
PRIOR_REWARDS = 3.0
"""The prior of the squared amplitude counts as much as this many rewards."""

_BARRED = 1e6  # nats; where everything is barred, all stays as likely as it was
_USELESS = 100.0  # with more noise than this contexts tell next to nothing,
_DOUBT = 2.0  # which is this many nats less likely than that they tell something


def _log_prior(offset: float) -> Array:
    noise = -0.5 * (np.log10(RIDGES) / 2.0) ** 2 - _DOUBT * (np.log10(RIDGES) > np.log10(_USELESS) + 0.25)
    prior: Array = noise - 0.5 * np.log10(OFFSETS / offset)[:, np.newaxis] ** 2
    return prior


LOG_PRIOR: Array = _log_prior(4.0)
"""Of `OFFSETS` × `RIDGES`: normal with two decades around 1 for the noise, and one around 4 for the level variance.

Contexts that tell next to nothing are another e² times less likely: a handful of rewards cannot show it, hundreds can.
"""
FEW_VALUES_LOG_PRIOR: Array = _log_prior(1.5)
"""The same where rewards take few values, so that the best an arm can pay limits how far levels are apart."""


class Components(NamedTuple):
    """What explains the rewards best, in units of the squared amplitude s².

    Attributes:
        units: t, distances of contexts.
        gamma: γ of the `AnchoredKernel` of what a reward function is beyond its level.
        common: how much of the value at the mean context this includes, 0 or 1.
        size: the factor of the kernel.
        offset: variance of an arm's level.
        ridge: variance of the noise.
        shared: covariance of the function at two typical contexts: what all rewards of an arm tell about.
        variance: of the function at a typical context.
        reach: root mean square of correlations, beyond what is shared, between contexts of an arm: how much a reward
            tells about another context, from 1/√d for linear functions to 1.
        prior: s² according to the prior.
        least_noise: the least variance of noise that is believed, in units of squared rewards: 0, unless rewards take
            few values.

    """

    units: Units
    gamma: float
    common: float
    size: float
    offset: float
    ridge: float
    shared: float
    variance: float
    reach: float
    prior: float
    least_noise: float = 0.0  # which earlier files lack

    @property
    def rational(self) -> bool:
        """Whether the kernel is an `AnchoredRational`, as where rewards take few values, or an `AnchoredGaussian`."""
        return self.least_noise > 0.0

    @property
    def kernel(self) -> Kernel:
        """Of an arm's reward function, its level included."""
        anchored = AnchoredRational if self.rational else AnchoredGaussian
        return Shifted(Scaled(anchored(self.units, self.gamma, self.common), self.size), self.offset)

    def revised(self, offset: float, ridge: float, variance: float) -> Components:
        """The same kernel with another level variance and noise; `variance` is that of all rewards."""
        more = offset - self.offset
        shared, own = self.shared + more, self.variance + more
        return self._replace(offset=offset, ridge=ridge, shared=shared, variance=own, prior=variance / (own + ridge))


class ArmEvidence(NamedTuple):
    """What n rewards y of an arm tell: yᵀB⁻¹y, yᵀB⁻¹1, 1ᵀB⁻¹1 and ln det B for B = K + r I and each r of `RIDGES`."""

    n: int
    yy: Array
    y1: Array
    ones: Array
    log_dets: Array

    @classmethod
    def of(cls, gram: Array, anchor: Array, y: Array) -> tuple[ArmEvidence, ArmEvidence]:
        """For a Gram matrix K and for K + aaᵀ, a = `anchor` of shape (n,), by one eigenvalue problem in O(n³)."""
        values, vectors = np.linalg.eigh(gram)
        u, e, a = np.stack((y, np.ones_like(y), anchor)) @ vectors
        weights = 1.0 / (np.maximum(values, 0.0)[:, np.newaxis] + RIDGES)
        yy, y1, ones, ya, a1, aa = np.stack((u * u, u * e, e * e, u * a, a * e, a * a)) @ weights
        log_dets, more = -np.log(weights).sum(axis=0), 1.0 + aa
        others = cls(len(y), yy - ya * ya / more, y1 - ya * a1 / more, ones - a1 * a1 / more, log_dets + np.log(more))
        return cls(len(y), yy, y1, ones, log_dets), others


@final
@dataclass(slots=True, eq=False)
class EvidenceSums:
    """The log posterior of `OFFSETS` × `RIDGES` for one kernel, summed up arm by arm."""

    _squares: Array = field(default_factory=lambda: np.zeros_like(LOG_PRIOR))
    _log_dets: Array = field(default_factory=lambda: np.zeros_like(LOG_PRIOR))
    _n: int = 0

    def _validate(self) -> None:
        checks.refuse_misshapen(self, _squares=LOG_PRIOR.shape, _log_dets=LOG_PRIOR.shape)

    def add(self, arm: ArmEvidence) -> None:
        """Add what an arm tells."""
        inverse = 1.0 / OFFSETS[:, np.newaxis]
        total = inverse + arm.ones
        self._squares = self._squares + arm.yy - arm.y1**2 / total
        self._log_dets = self._log_dets + np.log(total / inverse) + arm.log_dets
        self._n += arm.n

    def log_posterior(self, typical: float, variance: float, least_noise: float = 0.0) -> Array:
        """Up to a constant, for a kernel with this typical K(x, x); `variance` is that of all rewards.

        A noise variance s² r below `least_noise`, with the mean of s² given all else, is ruled out.
        """
        prior = np.maximum(variance / (typical + OFFSETS[:, np.newaxis] + RIDGES), TINY)
        squares, n = np.maximum(PRIOR_REWARDS * prior + self._squares, TINY), PRIOR_REWARDS + self._n
        log_priors = PRIOR_REWARDS * np.log(prior)
        log_prior = FEW_VALUES_LOG_PRIOR if least_noise else LOG_PRIOR
        posterior: Array = -0.5 * (n * np.log(squares) - log_priors + self._log_dets) + log_prior
        return posterior - _BARRED * (squares * RIDGES < n * least_noise)


def offset_and_ridge(log_posterior: Array) -> tuple[float, float]:
    """Geometric means of level variance and noise under a log posterior of `OFFSETS` × `RIDGES`.

    A mean moves less than the most likely pair when one more reward makes another pair a little likelier.
    """
    weights = np.exp(log_posterior - log_posterior.max())
    weights /= weights.sum()
    offset = exp(float(weights.sum(axis=1) @ np.log(OFFSETS)))
    return offset, exp(float(weights.sum(axis=0) @ np.log(RIDGES)))


def correlation_of(parts: list[Array]) -> float:
    """The root mean square of what is off the diagonals of matrices, at most 1; 1 if there is nothing."""
    squares = sum(float((part**2).sum() - (part.diagonal() ** 2).sum()) for part in parts)
    pairs = sum(len(part) * (len(part) - 1) for part in parts)
    return min(1.0, sqrt(squares / pairs)) if pairs else 1.0
