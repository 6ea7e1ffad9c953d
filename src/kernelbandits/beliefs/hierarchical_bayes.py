"""A belief that estimates how much arms share: a common and an arm-specific part, with a weight from the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs.arm_covariances import ArmCovariance, Exchangeable
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.estimation import (
    BANDWIDTHS,
    RIDGES,
    EstimatedBelief,
    EstimatingTracker,
    best_kernel,
    candidates,
    refuse_no_candidate,
)
from kernelbandits.beliefs.joint_arms import JointTracker, PairKernel, pairs_of
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Kernel, Shifted
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess
from kernelbandits.specs import Positive
from kernelbandits.types import Array

_FEW, _MANY = 300, 500


@final
@dataclass(frozen=True, slots=True)
class HierarchicalBayes(EstimatedBelief):
    """Cov(f⁽ⁱ⁾(x), f⁽ʲ⁾(z)) = s² B_ij (K(x, z) + offset), noise of variance s²·ridge; s, ridge, K and B are estimated.

    B is one of `covariances`, by default w·11ᵀ + (1 − w)·I for w = 0, ¼, ½, ¾, 1: from independent arms to one reward
    function. With one entry in `covariances`, B is known. B, K (see `EmpiricalBayes` for `bandwidths` and
    `kernels`) and the ridge maximise the marginal likelihood whenever the number of rewards has grown by half: B on 300
    rewards, K and the ridge on 500 of each group of related arms, evenly spread over arms. The amplitude s follows
    every reward.

    Where arms have nothing in common, it costs more time than `EmpiricalBayes` and gives the same answers. Cost with N
    rewards of all arms together: O(N²) per reward, the estimation included; rounds as for `JointArms`.

    Reference: a hierarchical form of Krause & Ong 2011; marginal likelihood as in Rasmussen & Williams 2006, ch. 5.

    >>> agent = CalibratedUCB(HierarchicalBayes()).start(Problem(n_arms=3, dim=50), rng=0)
    """

    bandwidths: tuple[Positive, ...] = BANDWIDTHS
    kernels: tuple[Kernel, ...] = ()
    covariances: tuple[ArmCovariance, ...] = tuple(Exchangeable(weight) for weight in (0.0, 0.25, 0.5, 0.75, 1.0))
    offset: Positive = 1.0

    def _validate(self) -> None:
        refuse_no_candidate("HierarchicalBayes", self.bandwidths, self.kernels)
        if not self.covariances:
            raise InvalidArgument("HierarchicalBayes: covariances must have at least one entry; got none")

    def start(self, problem: Problem) -> EstimatingTracker:
        self._matrices(problem.n_arms)
        return EstimatingTracker(self, problem)

    def fitted(self, data: ArmData) -> JointTracker:
        matrices, best = self._matrices(len(data.counts)), 0
        if len(matrices) > 1:
            few = [sample(data, data.played, _FEW)]
            best = int(np.argmax([self._best_kernel(few, B)[1].max() for B in matrices]))
        many = [sample(data, group, _MANY) for group in related(matrices[best], data.played)]
        kernel, posterior = self._best_kernel(many, matrices[best])
        contexts, rewards = zip(*(data.of(arm) for arm in data.played), strict=True)
        X, y = pairs_of(data.played, list(contexts)), np.concatenate(rewards) - data.level
        model = GaussianProcess(kernel, float(RIDGES[posterior.argmax()]))
        return JointTracker(kernel, model._fit(X, y), self.covariances[best])

    def _matrices(self, n_arms: int) -> list[Array]:
        """B for each of `covariances`; raises if one of them is not for this number of arms."""
        return [covariance.matrix(n_arms) for covariance in self.covariances]

    def _best_kernel(self, samples: list[tuple[Array, Array]], B: Array) -> tuple[PairKernel, Array]:
        """The best kernel given B, and the log posterior of `RIDGES`; samples are independent of each other."""
        found = candidates(self.bandwidths, self.kernels, [pairs[:, :-1] for pairs, _ in samples])
        kernel, _, posterior = best_kernel([PairKernel(Shifted(each, self.offset), B) for each in found], samples)
        return kernel, posterior


def sample(data: ArmData, arms: list[int], most: int) -> tuple[Array, Array]:
    """Pairs (n, d + 1) and rewards less the level of all arms, (n,): about `most`, evenly spread over the arms.

    All of an arm with few, equally many of each other arm.
    """
    counts = data.counts[arms]
    sizes = np.minimum(counts[:, np.newaxis], np.arange(1, most + 1)).sum(axis=0)
    each = max(int(np.searchsorted(sizes, most, side="right")), 2)
    parts = [data.thinned(arm, each) for arm in arms]
    return pairs_of(arms, [X for X, _ in parts]), np.concatenate([y for _, y in parts]) - data.level


def related(B: Array, arms: list[int]) -> list[list[int]]:
    """The arms in groups such that arms of different groups have no covariance, directly or through others."""
    from scipy.sparse.csgraph import connected_components  # slow to import, and few beliefs need it

    _, labels = connected_components(B != 0.0, directed=False)
    return [group for label in np.unique(labels) if (group := [arm for arm in arms if labels[arm] == label])]
