"""A belief that estimates how much arms share: a common and an arm-specific part, with a weight from the data."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_covariances import ArmCovariance, Exchangeable
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.base import Belief, Prefetched, Tracker
from kernelbandits.beliefs.estimation import (
    BANDWIDTHS,
    RIDGES,
    best_kernel,
    candidates,
    next_estimate,
)
from kernelbandits.beliefs.followed_levels import FollowedLevels
from kernelbandits.beliefs.joint_arms import JointTracker, PairKernel, pairs_of, same_functions
from kernelbandits.beliefs.levels import function_levels, rounding
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel, Shifted
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess
from kernelbandits.specs import Positive
from kernelbandits.types import Array

_FEW, _MANY = 300, 500


@final
@dataclass(frozen=True, slots=True)
class HierarchicalBayes(Belief):
    """Cov(f⁽ⁱ⁾(x), f⁽ʲ⁾(z)) = s² B_ij (K(x, z) + offset) around levels; levels, s, noise s²·ridge, K, B are estimated.

    B is one of `covariances`, by default w·11ᵀ + (1 − w)·I for w = 0, ¼, ½, ¾, 1: from independent arms to one reward
    function. With one entry in `covariances`, B is known. K is one of exp(−m ‖x − z‖²/(d t̄)) for m in `bandwidths`, or
    one of `kernels`. B, K and the ridge maximise the marginal likelihood whenever the number of rewards has grown by
    half: B on 300 rewards, K and the ridge on 500 of each group of related arms, evenly spread over arms. The amplitude
    s follows every reward.

    Levels are those of `EmpiricalBayes`, except that arms with one reward function (B_ii = B_ij = B_jj) have one level:
    that they pay differently is then due to their contexts. For the same reason the typical distance t̄ is over pairs
    of contexts of related arms (B_ij ≠ 0), which the kernel compares, and not only of one arm.

    Where arms have nothing in common, it costs more time than `EmpiricalBayes` and gives about the same answers. Cost
    with N rewards of all arms together: O(N²) per reward, the estimation included; rounds as for `JointArms`.

    Reference: a hierarchical form of Krause & Ong 2011; marginal likelihood as in Rasmussen & Williams 2006, ch. 5.

    Attributes:
        bandwidths: the m to choose from; t̄ is the median of ‖x − z‖²/d, and a larger m is a narrower kernel.
        kernels: more kernels to choose from, as they are; alone if `bandwidths` is empty.
        covariances: relations B of the arms to choose from.
        offset: variance of the constant part of an arm's function, as a multiple of s² B_ii.

    Two arms with one reward function: many rewards of arm 0 tell about arm 1, which has one.

    >>> problem, x = Problem(n_arms=2, dim=1), np.random.default_rng(0).uniform(-1.0, 1.0, 60)
    >>> for belief in (HierarchicalBayes(), EmpiricalBayes()):
    ...     tracker = belief.start(problem)
    ...     for i in range(60):
    ...         tracker.observe(x[[i]], int(i == 0), np.sin(2.0 * x[i]))
    ...     tracker.mean_and_std(np.full((2, 1), 0.5))[0].round(1)  # sin 1 is 0.84
    array([0.8, 0.8])
    array([0.8, 0.5])

    See also `Belief`, `JointArms`, `Tracker`, `Prefetched`.
    """

    bandwidths: tuple[Positive, ...] = BANDWIDTHS
    kernels: tuple[Kernel, ...] = ()
    covariances: tuple[ArmCovariance, ...] = tuple(Exchangeable(weight) for weight in (0.0, 0.25, 0.5, 0.75, 1.0))
    offset: Positive = 1.0

    def _validate(self) -> None:
        if not self.bandwidths and not self.kernels:
            raise InvalidArgument(
                "HierarchicalBayes: bandwidths or kernels must have at least one entry; both are empty"
            )
        if not self.covariances:
            raise InvalidArgument("HierarchicalBayes: covariances must have at least one entry; got none")

    def start(self, problem: Problem, rng: np.random.Generator | int = 0) -> EstimatingTracker:
        self._matrices(problem.n_arms)
        return EstimatingTracker(self, problem)

    def fitted(self, data: ArmData) -> JointTracker:
        """A tracker of the rewards less the levels of their arms, with amplitude 1 and what fits them best."""
        matrices, best = self._matrices(len(data.counts)), 0
        if len(matrices) > 1:
            best = int(np.argmax([self._best_kernel(data, B, [data.played], _FEW)[1].max() for B in matrices]))
        B = matrices[best]
        kernel, posterior = self._best_kernel(data, B, related(B, data.played), _MANY)
        contexts, rewards = zip(*(data.of(arm) for arm in data.played), strict=True)
        X = pairs_of(data.played, list(contexts))
        y = np.concatenate(rewards) - self._levels(data, B)[X[:, -1].astype(np.int64)]
        model = GaussianProcess(kernel, float(RIDGES[posterior.argmax()]))
        return JointTracker(kernel, model._fit(X, y), self.covariances[best])

    def _matrices(self, n_arms: int) -> list[Array]:
        """B for each of `covariances`; raises if one of them is not for this number of arms."""
        return [covariance.matrix(n_arms) for covariance in self.covariances]

    def _levels(self, data: ArmData, B: Array) -> Array:
        return function_levels(data.rewards, same_functions(B)).beyond(self.offset).levels

    def _best_kernel(self, data: ArmData, B: Array, groups: list[list[int]], most: int) -> tuple[PairKernel, Array]:
        """The best kernel given B for about `most` rewards of each group of arms, and the log posterior of `RIDGES`."""
        levels = self._levels(data, B)
        samples = [sample(data, levels, group, most) for group in groups]
        everything = np.concatenate([pairs for pairs, _ in samples])
        compared = [everything[np.isin(everything[:, -1], group), :-1] for group in related(B, data.played)]
        found = candidates(self.bandwidths, self.kernels, compared)
        return best_kernel([PairKernel(Shifted(each, self.offset), B) for each in found], samples)


@final
class EstimatingTracker(Tracker):
    """Follows all rewards with the model that fits them best, estimated anew when their number has grown by half.

    Attributes:
        arms: the posterior in use, None before the first estimate.

    """

    _belief: HierarchicalBayes
    _data: ArmData
    _seen: int
    _next_estimate: int
    _levels: FollowedLevels
    _largest: float
    _squares: Array
    _scale: float | None
    _block: Prefetched | None
    arms: JointTracker | None

    def __init__(self, belief: HierarchicalBayes, problem: Problem) -> None:
        self._belief = belief
        self._data = ArmData(problem.n_arms, problem.dim)
        self._seen = 0
        self._next_estimate = max(2, problem.n_arms)
        self._levels = FollowedLevels(problem.n_arms, belief.offset)
        self._largest = 0.0
        self._squares = np.zeros(0)
        self._scale = None
        self._block = None
        self.arms = None

    def _validate(self) -> None:
        n_arms, arms = len(self._data.counts), self.arms
        checks.refuse_misshapen(self, _squares=(0 if arms is None else 1,))
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
        std *= self._scale
        return self._levels.around(mean, std)

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
            posterior = arms.posteriors[0]
            self._squares[0] += posterior.whitened_targets[posterior.n - 1] ** 2

    def _estimate(self) -> None:
        """Estimate anew and fit the posterior to all rewards."""
        data = self._data
        self.arms = self._belief.fitted(data)
        self._levels.estimate(data, self.arms.functions)
        self._largest = max(float(np.abs(y).max(initial=0.0)) for y in data.rewards)
        self._squares = np.array([np.sum(p.whitened_targets[: p.n] ** 2) for p in self.arms.posteriors])
        self.arms.prefetch(self._block)
        self._next_estimate = next_estimate(self._seen)

    def prefetch(self, block: Prefetched | None) -> None:
        self._block = block
        if self.arms is not None:
            self.arms.prefetch(block)

    def add_arm(self, problem: Problem) -> None:
        self._belief.start(problem)  # raises, before anything is changed, if the belief is not for this number of arms
        self._block = None
        self._data.add_arm()
        self._scale = None
        if self.arms is None:
            self._next_estimate = max(2, problem.n_arms)
            self._levels = FollowedLevels(problem.n_arms, self._belief.offset)
        else:
            self.arms.add_arm(problem)
            self._levels.add_arm(self._data.counts, self.arms.functions)


def sample(data: ArmData, levels: Array, arms: list[int], most: int) -> tuple[Array, Array]:
    """Pairs (n, d + 1) and rewards less the levels of their arms, (n,): about `most`, evenly spread over the arms.

    All of an arm with few, equally many of each other arm.
    """
    counts = data.counts[arms]
    sizes = np.minimum(counts[:, np.newaxis], np.arange(1, most + 1)).sum(axis=0)
    each = max(int(np.searchsorted(sizes, most, side="right")), 2)
    parts = [data.thinned(arm, each) for arm in arms]
    rewards = [y - levels[arm] for arm, (_, y) in zip(arms, parts, strict=True)]
    return pairs_of(arms, [X for X, _ in parts]), np.concatenate(rewards)


def related(B: Array, arms: list[int]) -> list[list[int]]:
    """The arms in groups such that arms of different groups have no covariance, directly or through others."""
    from scipy.sparse.csgraph import connected_components  # slow to import, and few beliefs need it

    _, labels = connected_components(B != 0.0, directed=False)
    return [group for label in np.unique(labels) if (group := [arm for arm in arms if labels[arm] == label])]
