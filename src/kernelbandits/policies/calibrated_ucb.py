"""Optimism on a belief whose deviations are calibrated by the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs import Belief, EmpiricalBayes
from kernelbandits.policies.base import Choice, Learner, Policy
from kernelbandits.policies.believing import BelievingLearner
from kernelbandits.policies.choosing import pick_optimistic
from kernelbandits.problem import Problem
from kernelbandits.specs import CountFromZero, NonNegative
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class CalibratedUCB(Policy):
    """Plays the arm with the largest mean + width · std of the belief.

    Where `GPUCB` needs the RKHS norm and the noise level for its width, here the belief's deviations have the scale of
    the rewards already, so one width suits all problems. Each arm has `n_initial` turns first: two, because optimism
    never returns to an arm that looked poor by the chance of a single reward.

    The choice is known given the past, so its propensity is 1 (ties apart); take `ThompsonSampling` where logs are to
    be evaluated later.

    Cost: that of the belief. Reference: Srinivas et al. 2010; empirical Bayes in place of known constants.

    >>> agent = CalibratedUCB().start(Problem(n_arms=3, dim=50), rng=0)
    """

    belief: Belief = EmpiricalBayes()
    width: NonNegative = 1.0
    n_initial: CountFromZero = 2

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        return BelievingLearner(self.belief, self._rule, self.n_initial, problem, rng)

    def _rule(self, mean: Array, std: Array, eligible: BoolArray | None, rng: np.random.Generator) -> Choice:
        return pick_optimistic(mean, self.width * std, eligible, rng)
