"""A belief that is told nothing: amplitude, offset, noise and bandwidth come from the rewards seen so far."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple, final

import numpy as np

from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.base import Belief, Tracker
from kernelbandits.beliefs.evidence import RIDGES, log_evidence, log_prior, spectrum
from kernelbandits.beliefs.families import Bandwidths, KernelFamily
from kernelbandits.beliefs.independent import ArmsTracker
from kernelbandits.beliefs.influence import Influence, Unlimited
from kernelbandits.beliefs.memory import Everything, Memory
from kernelbandits.beliefs.pooling import Pooled, Pooling
from kernelbandits.kernels import Kernel, Shifted
from kernelbandits.problem import Problem
from kernelbandits.regression.gaussian_process import GaussianProcess, Posterior
from kernelbandits.specs import Positive
from kernelbandits.types import Array

_MOST = 200


class Estimate(NamedTuple):
    """The kernel (offset included), the ridge of an arm without rewards, and that of every arm, shape (K,)."""

    kernel: Kernel
    ridge: float
    ridges: Array


@final
@dataclass(frozen=True, slots=True)
class EmpiricalBayes(Belief):
    """f⁽ⁱ⁾ ~ level + GP(0, s² (K + offset)), noise of variance s²·ridge; s, ridge, K and level are estimated.

    `offset` is the prior variance of an arm's own mean in units of the squared amplitude s². The amplitude is the mean
    of the squared standardised innovations and follows every reward. Kernel (one of `family`) and ridge maximise the
    marginal likelihood whenever the number of rewards has grown by half; of an arm with many rewards 200 are enough for
    that. `pooling` tells whether arms share amplitude and ridge, `memory` whether old rewards are forgotten, and
    `influence` how far a single reward may be from what was expected.

    Rewards may come in any order: what is estimated depends on the rewards seen by then and not on their order (under
    `Everything()` and `Unlimited()`, the defaults), to the last bit.

    Cost with n rewards an arm: O(n²) a reward, the estimation included; questions as for `IndependentArms`.

    Reference: the innovations form of the marginal likelihood, Rasmussen & Williams 2006, ch. 5.

    >>> belief = EmpiricalBayes()
    """

    family: KernelFamily = Bandwidths()
    offset: Positive = 1.0
    pooling: Pooling = Pooled()
    memory: Memory = Everything()
    influence: Influence = Unlimited()

    def start(self, problem: Problem) -> Tracker:
        return _EmpiricalBayesTracker(self, problem)

    def estimate(self, data: ArmData) -> Estimate:
        """What explains the rewards best."""
        parts = data.evenly_spread(_MOST)
        rewards = [y - data.level for _, y in parts]
        best, chosen = -np.inf, None
        for candidate in self.family.kernels([X for X, _ in parts]):
            kernel = Shifted(candidate, self.offset)
            spectra = [spectrum(kernel, X, y) for (X, _), y in zip(parts, rewards, strict=True)]
            posterior = log_evidence(spectra) + log_prior()
            if chosen is None or posterior.max() > best:
                best, chosen = float(posterior.max()), (kernel, spectra, posterior)
        assert chosen is not None
        kernel, spectra, posterior = chosen
        typical = float(RIDGES[posterior.argmax()])
        return Estimate(kernel, typical, data.spread(self.pooling.ridges(spectra, posterior), typical))


@final
class _EmpiricalBayesTracker(Tracker):
    def __init__(self, belief: EmpiricalBayes, problem: Problem) -> None:
        self._belief = belief
        self._data = ArmData(problem.n_arms, problem.dim)
        self._seen = 0
        self._next_estimate = max(2, problem.n_arms)
        self._level = 0.0
        self._arms: ArmsTracker | None = None
        self._prior: Posterior | None = None
        self._squares = np.zeros(problem.n_arms)
        self._ahead: Array | None = None

    def mean_and_std(self, contexts: Array, row: int | None) -> tuple[Array, Array]:
        if self._arms is None:  # too few rewards to tell anything: all arms are alike
            return np.zeros(len(contexts)), np.ones(len(contexts))
        mean, std = self._arms.mean_and_std(contexts, row)
        std *= np.sqrt(self._belief.pooling.amplitudes(self._squares, self._data.counts))
        return mean + self._level, std

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        arms = self._arms
        if arms is not None:
            reward = self._belief.influence.limited(reward, lambda: self._predict(arms.posteriors[arm], context, arm))
        self._data.add(context, arm, reward)
        self._seen += 1
        if self._seen >= self._next_estimate:
            self._estimate()
        elif arms is not None:
            arms.learn(context, arm, reward - self._level, row)
            posterior = arms.posteriors[arm]
            self._squares[arm] += posterior.whitened_targets[posterior.n - 1] ** 2

    def _predict(self, posterior: Posterior, context: Array, arm: int) -> tuple[float, float]:
        """Mean and standard deviation of a reward of this arm, noise included."""
        outlook = posterior.at(context)
        amplitudes = self._belief.pooling.amplitudes(self._squares, self._data.counts)
        amplitude = float(np.broadcast_to(amplitudes, self._squares.shape)[arm])
        variance = amplitude * (max(outlook.variance, 0.0) + posterior.ridge)
        return outlook.mean + self._level, sqrt(variance)

    def _estimate(self) -> None:
        """Estimate anew and fit every arm's posterior to all of its rewards that are remembered."""
        if self._arms is None:
            self._data.change(self._belief.influence.first)
        self._data.keep(self._belief.memory.n_kept(len(self._data)))
        estimate = self._belief.estimate(self._data)
        self._level = self._data.level
        self._prior = GaussianProcess(estimate.kernel, estimate.ridge).without_data(self._data.dim)
        posteriors = []
        for arm, ridge in enumerate(estimate.ridges):
            model, (X, y) = GaussianProcess(estimate.kernel, float(ridge)), self._data.of(arm)
            posteriors.append(model._fit(X, y - self._level) if len(y) else self._prior)
        self._squares = np.array([np.sum(p.whitened_targets[: p.n] ** 2) for p in posteriors])
        self._arms = ArmsTracker(posteriors)
        self._arms.look_ahead(self._ahead)
        self._next_estimate = self._belief.memory.next_estimate(self._seen)

    def add_arm(self) -> None:
        self._data.add_arm()
        self._squares = np.append(self._squares, 0.0)
        self.look_ahead(None)
        if self._arms is None or self._prior is None:
            self._next_estimate = max(2, len(self._squares))
        else:
            self._arms.append(self._prior)

    def look_ahead(self, contexts: Array | None) -> None:
        self._ahead = contexts
        if self._arms is not None:
            self._arms.look_ahead(contexts)
