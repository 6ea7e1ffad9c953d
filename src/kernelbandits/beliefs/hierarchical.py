"""A belief that finds out how much arms share: a common and an arm-specific part, the weight from the data."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from operator import attrgetter
from typing import NamedTuple, final

import numpy as np

from kernelbandits.beliefs.arm_covariances import ArmCovariance, Exchangeable
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.base import Belief, Tracker
from kernelbandits.beliefs.evidence import RIDGES, log_evidence, log_prior, spectrum
from kernelbandits.beliefs.families import Bandwidths, KernelFamily
from kernelbandits.beliefs.joint import JointTracker
from kernelbandits.beliefs.memory import Everything
from kernelbandits.beliefs.pairs import PairKernel, pairs_of
from kernelbandits.beliefs.samples import Sample, related, sample
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Shifted
from kernelbandits.problem import Problem
from kernelbandits.regression.gaussian_process import GaussianProcess
from kernelbandits.specs import Positive
from kernelbandits.types import Array

_FEW, _MANY = 300, 500


class Explanation(NamedTuple):
    """A kernel over pairs (offset included), a ridge, and how well they explain rewards: the log posterior."""

    kernel: PairKernel
    ridge: float
    score: float


@final
@dataclass(frozen=True, slots=True)
class HierarchicalBayes(Belief):
    """Cov(f⁽ⁱ⁾(x), f⁽ʲ⁾(z)) = s² B_ij (K(x, z) + offset), noise of variance s²·ridge; s, ridge, K and B are estimated.

    B is one of `covariances`, by default w·11ᵀ + (1 − w)·I for w = 0, ¼, ½, ¾, 1: from arms that have nothing in
    common to arms with one reward function. B, K (one of `family`) and the ridge maximise the marginal likelihood
    whenever the number of rewards has grown by half: B on 300 rewards, K and the ridge on 500 of each group of arms
    that share, evenly spread over arms. The amplitude s follows every reward. With one entry in
    `covariances`, B is known and the rest is estimated.

    Take it where arms may have something in common; where they have not it costs more time than `EmpiricalBayes` and
    says the same.

    Cost with N rewards of all arms together: O(N²) a reward, the estimation included; questions as for `JointArms`.

    Reference: a hierarchical form of Krause & Ong 2011; marginal likelihood as in Rasmussen & Williams 2006, ch. 5.

    >>> agent = CalibratedUCB(HierarchicalBayes()).start(Problem(n_arms=3, dim=50), rng=0)
    """

    family: KernelFamily = Bandwidths()
    covariances: tuple[ArmCovariance, ...] = tuple(Exchangeable(weight) for weight in (0.0, 0.25, 0.5, 0.75, 1.0))
    offset: Positive = 1.0

    def _validate(self) -> None:
        if not self.covariances:
            raise InvalidArgument("HierarchicalBayes: covariances must have at least one entry; got none")

    def start(self, problem: Problem) -> HierarchicalTracker:
        return HierarchicalTracker(self, problem)

    def estimate(self, data: ArmData) -> tuple[ArmCovariance, Explanation]:
        """The one of `covariances` that explains the rewards best, and how."""
        matrices = self.matrices(len(data.counts))
        few = sample(data, data.played, _FEW)
        # With a single covariance nothing is to be compared.
        scores = [self._explain([few], B).score for B in matrices] if len(matrices) > 1 else [0.0]
        best = int(np.argmax(scores))
        groups = related(matrices[best], data.played)
        return self.covariances[best], self._explain([sample(data, group, _MANY) for group in groups], matrices[best])

    def matrices(self, n_arms: int) -> list[Array]:
        """B for each of `covariances`; raises if one of them is not for this number of arms."""
        return [covariance.matrix(n_arms) for covariance in self.covariances]

    def _explain(self, samples: list[Sample], B: Array) -> Explanation:
        """The best kernel and ridge given B; samples are independent of each other."""
        found: list[Explanation] = []
        for candidate in self.family.kernels([part.pairs[:, :-1] for part in samples]):
            kernel = PairKernel(Shifted(candidate, self.offset), B)
            posterior = log_evidence([spectrum(kernel, *part) for part in samples]) + log_prior()
            found.append(Explanation(kernel, float(RIDGES[posterior.argmax()]), float(posterior.max())))
        return max(found, key=attrgetter("score"))


@final
class HierarchicalTracker(Tracker):
    """Follows all rewards with the covariance and model that suit them best.

    Attributes:
        covariance: the arm covariance in use, None before the first estimate.

    """

    __slots__ = ("_ahead", "_belief", "_data", "_joint", "_level", "_next_estimate", "_squares", "covariance")

    def __init__(self, belief: HierarchicalBayes, problem: Problem) -> None:
        self._belief = belief
        self._data = ArmData(problem.n_arms, problem.dim)
        self._next_estimate = max(2, problem.n_arms)
        self._level = self._squares = 0.0
        self._joint: JointTracker | None = None
        self._ahead: Array | None = None
        self.covariance: ArmCovariance | None = None

    def mean_and_std(self, contexts: Array, row: int | None) -> tuple[Array, Array]:
        if self._joint is None:  # too few rewards to tell anything: all arms are alike
            return np.zeros(len(contexts)), np.ones(len(contexts))
        mean, std = self._joint.mean_and_std(contexts, row)
        return mean + self._level, std * sqrt(self._squares / len(self._data))

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        self._data.add(context, arm, reward)
        if len(self._data) >= self._next_estimate:
            self._estimate()
        elif self._joint is not None:
            self._joint.learn(context, arm, reward - self._level, row)
            posterior = self._joint.posterior
            self._squares += float(posterior.whitened_targets[posterior.n - 1]) ** 2

    def _estimate(self) -> None:
        """Estimate anew and fit the posterior to all rewards."""
        data = self._data
        self.covariance, (kernel, ridge, _) = self._belief.estimate(data)
        self._level = data.level
        contexts, rewards = zip(*(data.of(arm) for arm in data.played), strict=True)
        X, y = pairs_of(data.played, list(contexts)), np.concatenate(rewards) - self._level
        posterior = GaussianProcess(kernel, ridge)._fit(X, y)
        self._squares = float(np.sum(posterior.whitened_targets[: posterior.n] ** 2))
        self._joint = JointTracker(kernel, posterior, self.covariance)
        self._joint.look_ahead(self._ahead)
        self._next_estimate = Everything().next_estimate(len(data))

    def look_ahead(self, contexts: Array | None) -> None:
        self._ahead = contexts
        if self._joint is not None:
            self._joint.look_ahead(contexts)

    def add_arm(self) -> None:
        n_arms = len(self._data.counts) + 1
        self._belief.matrices(n_arms)  # raises before anything is changed
        self._data.add_arm()
        self.look_ahead(None)
        if self._joint is None:
            self._next_estimate = max(2, n_arms)
        else:
            self._joint.add_arm()
