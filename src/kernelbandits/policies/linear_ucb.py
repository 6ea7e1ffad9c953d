"""LinUCB with one linear model per arm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np

from kernelbandits.beliefs import LinearArms
from kernelbandits.policies.base import Policy
from kernelbandits.policies.believing_learner import BelievingLearner
from kernelbandits.policies.learner import Learner
from kernelbandits.policies.selection import pick_optimistic
from kernelbandits.problem import Problem
from kernelbandits.specs import NonNegative, Positive


@final
@dataclass(frozen=True, slots=True)
class LinearUCB(Policy):
    """Ridge regression for every arm; plays the largest θ⁽ⁱ⁾ᵀx⁽ⁱ⁾ + α √(x⁽ⁱ⁾ᵀ(A⁽ⁱ⁾)⁻¹x⁽ⁱ⁾), A⁽ⁱ⁾ = ridge · I + Σ xxᵀ.

    The disjoint LinUCB of Li, Chu, Langford & Schapire (2010), "A contextual-bandit approach to personalized news
    article recommendation", Algorithm 1 (there ridge = 1). `alpha` is the number of
    standard deviations added to the mean.
    With `intercept`, the default, a feature that is always 1 is added. Features are taken as they are, not divided by
    √d as in the kernels: ridge = d · λ² here is the ridge λ² of `KernelRidge(Linear())`.

    Cost per round: O(K d²) to decide, O(d²) to learn, independent of the number of past rounds.

    >>> agent = LinearUCB(alpha=0.5).start(Problem(n_arms=3, dim=2), rng=0)
    >>> for reward in (1.0, 0.9, 1.1):
    ...     agent.observe([1.0, 0.0], arm=2, reward=reward)
    >>> agent.choose([1.0, 0.0]).arm
    2
    """

    alpha: NonNegative = 1.0
    ridge: Positive = 1.0
    intercept: bool = True

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        tracker = LinearArms(self.ridge, self.intercept).start(problem)
        return BelievingLearner(tracker, partial(pick_optimistic, width=self.alpha), 0, problem, rng)
