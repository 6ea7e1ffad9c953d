"""Estimating the kernel and the ridge of a belief from the rewards, by the marginal likelihood.

With K = Q diag(λ) Qᵀ and u = Qᵀy the most likely amplitude of n values is s² = (1/n) Σ uⱼ²/(λⱼ + ridge): the mean of
the squared standardised innovations. The log likelihood is then −½ (n ln s² + Σ ln(λⱼ + ridge)), up to a constant.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import ceil, sqrt
from typing import TypeAlias, TypeVar, final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.base import Belief, PosteriorTracker, Prefetched, Tracker
from kernelbandits.beliefs.followed_levels import FollowedLevels
from kernelbandits.beliefs.levels import rounding
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Gaussian, Geometry, Kernel, Radial
from kernelbandits.linalg import TINY
from kernelbandits.problem import Problem
from kernelbandits.types import Array

K = TypeVar("K", bound=Kernel)
Spectrum: TypeAlias = tuple[Array, Array]
"""Eigenvalues λ of an arm's Gram matrix and the squares of Qᵀy, both of shape (n,)."""

BANDWIDTHS = (4.0, 1.0, 0.25, 0.0625)
"""With m = 4 two typical contexts are nearly uncorrelated, with m = 1/16 functions are nearly linear."""

RIDGES: Array = 10.0 ** np.linspace(-6.0, 2.0, 17)
"""Candidate noise variances in units of the squared amplitude, half a decade apart."""

_GROWTH = 1.5
_WINDOW_PARTS = 8
_MAD = 1.4826  # standard deviation of a normal, in units of its median absolute deviation
_PRIOR_DECADES = 2.0
_ENOUGH = 300
_CONSTANT = 1e-100  # a γ with exp(−γ t) = 1 for all contexts that can be

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
    """exp(−m t/t̄) for each m in `bandwidths`, then `kernels`; t = ‖x − z‖²/d, and t̄ is its `typical_distance`.

    If there is no such distance, exp(−m t/t̄) is 1: nothing is known of the unit of contexts.
    """
    if not bandwidths:
        return [*kernels]
    typical = typical_distance(contexts)
    if typical is None:
        return [Gaussian(_CONSTANT), *kernels]
    return [*(Gaussian(multiple / typical) for multiple in bandwidths), *kernels]


def typical_distance(contexts: Sequence[Array], geometry: Geometry = Radial()) -> float | None:  # noqa: B008
    """The median distance t over pairs of different contexts that a kernel compares, of a sample if they are many.

    The contexts come in groups, arrays of shape (n, d). Pairs within a group count: arms of different groups are not
    compared, so it does not matter how far apart they are. None if there is no such pair.
    """
    some = [X[_sample(len(X), len(contexts))] for X in contexts]
    return _median([geometry.evaluate(geometry.left(X), geometry.right(X)) for X in some])


def median_distance(distances: Sequence[Array]) -> float | None:
    """`typical_distance`, given the distances within each group, arrays of shape (n, n)."""
    samples = [_sample(len(t), len(distances)) for t in distances]
    return _median([t[rows, rows] for t, rows in zip(distances, samples, strict=True)])


def _sample(n: int, n_groups: int) -> slice:
    """Which of n contexts of a group to compare, so that pairs are not too many."""
    return slice(None, None, -(-n // ceil(_ENOUGH / sqrt(n_groups))))


def _median(distances: Sequence[Array]) -> float | None:
    """The median of all that are positive; None if there is none."""
    together = np.concatenate([t[t > 0.0] for t in distances])
    return float(np.median(together)) if len(together) else None


class EstimatedBelief(Belief):
    """A belief whose kernel and ridge come from the rewards; the kernel has a constant `offset` added."""

    __slots__ = ()
    offset: float

    @abstractmethod
    def fitted(self, data: ArmData) -> PosteriorTracker:
        """A tracker of the rewards less the levels of their arms (`function_levels`).

        It has amplitude 1 and the kernel and ridges that fit best.
        """


def clipped(reward: float, mean: float, reach: float) -> float:
    """The reward, moved to within `reach` of its predicted mean; unchanged if there is no deviation to compare with."""
    return min(max(reward, mean - reach), mean + reach) if reach > 0.0 else reward


def clipped_first(rewards: Array, clip: float) -> Array:
    """Rewards without predictions, clipped to median ± clip · 1.4826 · median absolute deviation; shape (n,).

    They are unchanged if that deviation is 0 up to rounding.
    """
    middle = np.median(rewards)
    deviation = np.median(np.abs(rewards - middle))
    reach = clip * _MAD * deviation
    differ = deviation > rounding(float(np.abs(rewards).max()))
    return np.clip(rewards, middle - reach, middle + reach) if differ else rewards


def next_estimate(seen: int, window: int | None) -> int:
    """The number of rewards at which to estimate next: half as many again, sooner if a window has to move."""
    grown = ceil(_GROWTH * seen)
    return grown if window is None else min(grown, max(window, seen + ceil(window / _WINDOW_PARTS)))


@final
class EstimatingTracker(Tracker):
    """Follows all rewards with the model that fits them best, estimated anew when their number has grown by half.

    Attributes:
        arms: the posteriors in use, None before the first estimate.

    """

    _belief: EstimatedBelief
    _data: ArmData
    _seen: int
    _next_estimate: int
    _levels: FollowedLevels
    _largest: float
    _squares: Array
    _scale: float | None
    _block: Prefetched | None
    arms: PosteriorTracker | None

    def __init__(self, belief: EstimatedBelief, problem: Problem) -> None:
        self._belief = belief
        self._data = ArmData(problem.n_arms, problem.dim)
        self._seen = 0
        self._next_estimate = max(2, problem.n_arms)
        self._levels = FollowedLevels(problem.n_arms, self._belief.offset)
        self._largest = 0.0
        self._squares = np.zeros(0)
        self._scale = None
        self._block = None
        self.arms = None

    def _validate(self) -> None:
        """Refuse, in what was loaded from a file, parts for another number of arms."""
        n_arms, arms = len(self._data.counts), self.arms
        checks.refuse_misshapen(self, _squares=(0 if arms is None else len(arms.posteriors),))
        fit = arms is None or len(arms.functions) == n_arms
        checks.refuse_inconsistent(self, fit, len(self._levels.levels) == n_arms, self._seen >= len(self._data))

    def _size(self) -> tuple[int, int]:
        return len(self._data.counts), self._data.dim

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        if self.arms is None:  # too few rewards to estimate anything: all arms are alike
            return np.zeros(len(contexts)), np.ones(len(contexts))
        mean, std = self.arms.mean_and_std(contexts)
        if self._scale is None:
            self._scale = self._amplitude()
        mean += self._levels.levels
        std *= self._scale
        if self._levels.doubt is not None:
            std = np.sqrt(std * std + self._levels.doubt)
        return mean, std

    def _amplitude(self) -> float:
        """The amplitude s. Where it is nothing but rounding, the deviation of the levels takes its place."""
        square = float(self._squares.sum()) / max(len(self._data), 1)
        return sqrt(square) if square > rounding(self._largest) ** 2 else self._levels.between

    def observe(self, context: Array, arm: int, reward: float) -> None:
        arms = self.arms
        self._data.add(context, arm, reward)
        self._scale = None
        self._seen += 1
        if self._seen >= self._next_estimate:
            self._estimate()
        elif arms is not None:
            if self._levels.is_unsure(arm):
                self._levels.observe(arm, self._data, arms.functions)
            arms.observe(context, arm, reward - self._levels.levels.item(arm))
            index = arms.index(arm)
            posterior = arms.posteriors[index]
            self._squares[index] += posterior.whitened_targets[posterior.n - 1] ** 2

    def _estimate(self) -> None:
        """Estimate anew and fit the posteriors to all rewards."""
        data = self._data
        self.arms = self._belief.fitted(data)
        self._levels.estimate(data, self.arms.functions)
        self._largest = max(float(np.abs(y).max(initial=0.0)) for y in data.rewards)
        self._squares = np.array([np.sum(p.whitened_targets[: p.n] ** 2) for p in self.arms.posteriors])
        self.arms.prefetch(self._block)
        self._next_estimate = next_estimate(self._seen, None)

    def prefetch(self, block: Prefetched | None) -> None:
        self._block = block
        if self.arms is not None:
            self.arms.prefetch(block)

    def add_arm(self, problem: Problem) -> None:
        self._belief.start(problem)  # raises, before anything is changed, if the belief is not for so many arms
        self._block = None
        self._data.add_arm()
        self._scale = None
        if self.arms is None:
            self._next_estimate = max(2, problem.n_arms)
            self._levels = FollowedLevels(problem.n_arms, self._belief.offset)
        else:
            self.arms.add_arm(problem)
            self._levels.add_arm(self._data.counts, self.arms.functions)
            self._squares = np.append(self._squares, np.zeros(len(self.arms.posteriors) - len(self._squares)))
