"""Optimism on a belief whose deviations are calibrated by the data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np

from kernelbandits.beliefs import Belief, EmpiricalBayes
from kernelbandits.policies.base import Policy
from kernelbandits.policies.believing_learner import BelievingLearner
from kernelbandits.policies.learner import Learner
from kernelbandits.policies.selection import pick_optimistic
from kernelbandits.problem import Problem
from kernelbandits.specs import CountFromZero, NonNegative


@final
@dataclass(frozen=True, slots=True)
class CalibratedUCB(Policy):
    """Plays the arm with the largest mean + width · std of the belief.

    `GPUCB` needs the RKHS norm and the noise level for its width. Here the belief's deviations have the scale of the
    rewards, so one width suits all problems. Each arm has `n_initial` turns first, by default two, because optimism may
    never return to an arm that had one poor reward by chance.

    The choice is certain given the past, so its propensity is 1 (ties apart); use `ThompsonSampling` if logs are to be
    evaluated later.

    Cost: that of the belief. Reference: Srinivas et al. 2010; empirical Bayes in place of known constants.

    >>> agent = CalibratedUCB().start(Problem(n_arms=3, dim=50), rng=0)
    """

    belief: Belief = EmpiricalBayes()
    width: NonNegative = 1.0
    n_initial: CountFromZero = 2

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        return BelievingLearner(
            self.belief.start(problem), partial(pick_optimistic, width=self.width), self.n_initial, problem, rng
        )
