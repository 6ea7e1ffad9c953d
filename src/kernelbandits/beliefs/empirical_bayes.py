"""A belief that needs no settings: levels, amplitude, noise and bandwidth come from the rewards seen so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.base import Tracker
from kernelbandits.beliefs.estimation import (
    BANDWIDTHS,
    RIDGES,
    EstimatedBelief,
    EstimatingTracker,
    best_kernel,
    candidates,
    log_evidence,
    refuse_no_candidate,
)
from kernelbandits.beliefs.independent_arms import ArmsTracker
from kernelbandits.beliefs.levels import arm_levels
from kernelbandits.kernels import Kernel, Shifted
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess
from kernelbandits.specs import Count, Positive
from kernelbandits.types import Array

_MOST = 200


@final
@dataclass(frozen=True, slots=True)
class EmpiricalBayes(EstimatedBelief):
    """f⁽ⁱ⁾ ~ level⁽ⁱ⁾ + GP(0, s² (K + offset)), noise of variance s²·ridge; levels, s, ridge and K are estimated.

    `offset` is the prior variance of an arm's own mean in units of the squared amplitude s². The arms have one level in
    common as long as their means vary by what this leads one to expect. Where they vary by more, levels are their
    shrunken means (`arm_levels`), so that an arm that pays very differently changes no other. An arm without rewards
    has the mean of all levels. With fewer than two rewards, the deviation of levels between arms adds to its own.

    The amplitude is the mean of the squared standardised innovations and follows every reward. Levels are estimated,
    and kernel and ridge maximise the marginal likelihood, whenever the number of rewards has grown by half; at most 200
    rewards per arm are used for the likelihood. The kernel is one of exp(−m ‖x − z‖²/(d t̄)) for m in `bandwidths`, or
    one of `kernels`. t̄ is the median of ‖x − z‖²/d over pairs of contexts of one arm: neither the unit of contexts nor
    a shift of an arm's contexts matters.

    - `shrinkage`: None lets all arms share amplitude and ridge. With a number every arm has its own, drawn toward those
      of all arms as if by that many rewards.
    - `window`: only the newest `window` rewards of all arms together count, for rewards that drift. An arm that was not
      played for long is forgotten, so it is tried again. Old rewards are dropped an eighth of the window at a time.
    - `clip`: a reward more than `clip` predicted standard deviations from its prediction is moved to that distance, for
      rewards of which some are wrong. The first rewards are clipped by their median absolute deviation. Rewards that
      are rare by nature (one click in a thousand) are surprises too: do not clip them.

    Rewards may come in any order: without window and clip the estimates depend on the rewards seen by then and not on
    their order, to the last bit. With `clip`, a surprise is judged by what was known when it came.

    Cost with n rewards per arm: O(n²) per reward, the estimation included; rounds as for `IndependentArms`.

    References: the innovations form of the marginal likelihood, Rasmussen & Williams 2006, ch. 5; clipping, Huber 1964
    and, in the innovations of a filter, Masreliez & Martin 1977.

    >>> belief = EmpiricalBayes(window=500, clip=3.0)
    """

    bandwidths: tuple[Positive, ...] = BANDWIDTHS
    kernels: tuple[Kernel, ...] = ()
    offset: Positive = 1.0
    shrinkage: Positive | None = None
    window: Count | None = None
    clip: Positive | None = None

    def _validate(self) -> None:
        refuse_no_candidate("EmpiricalBayes", self.bandwidths, self.kernels)

    def start(self, problem: Problem, rng: np.random.Generator | int = 0) -> Tracker:
        return EstimatingTracker(self, problem, self.shrinkage, self.window, self.clip)

    def fitted(self, data: ArmData) -> ArmsTracker:
        kernel, typical, ridges = self.estimate(data)
        levels, prior = self._levels(data), GaussianProcess(kernel, typical).without_data(data.dim)
        posteriors = []
        for arm, (ridge, level) in enumerate(zip(ridges, levels, strict=True)):
            X, y = data.of(arm)
            posteriors.append(GaussianProcess(kernel, float(ridge))._fit(X, y - level) if len(y) else prior)
        return ArmsTracker(posteriors, prior)

    def _levels(self, data: ArmData) -> Array:
        return arm_levels(data.rewards).beyond(self.offset).levels

    def estimate(self, data: ArmData) -> tuple[Kernel, float, Array]:
        """The kernel that explains the rewards best, offset included, the common ridge, and that of every arm, (K,)."""
        levels, some = self._levels(data), [(arm, *data.thinned(arm, _MOST)) for arm in data.played]
        parts = [(X, y - levels[arm]) for arm, X, y in some]
        found = candidates(self.bandwidths, self.kernels, [X for X, _ in parts])
        kernel, spectra, together = best_kernel([Shifted(each, self.offset) for each in found], parts)
        ridge = float(RIDGES[together.argmax()])
        ridges = np.full(len(data.counts), ridge)
        if self.shrinkage is not None:
            weight = min(1.0, self.shrinkage / sum(len(values) for values, _ in spectra))
            own = [log_evidence([spectrum]) + weight * together for spectrum in spectra]
            ridges[data.played] = RIDGES[np.argmax(own, axis=1)]
        return kernel, ridge, ridges
