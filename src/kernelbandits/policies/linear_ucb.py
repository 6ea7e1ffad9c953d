"""LinUCB with a model of its own for every arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs.linear import RidgeStack
from kernelbandits.policies.base import Choice, Learner, Policy
from kernelbandits.policies.choosing import pick_optimistic
from kernelbandits.problem import Problem
from kernelbandits.specs import NonNegative, Positive
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class LinearUCB(Policy):
    """Ridge regression for every arm; plays the largest θ⁽ⁱ⁾ᵀx⁽ⁱ⁾ + α √(x⁽ⁱ⁾ᵀ(A⁽ⁱ⁾)⁻¹x⁽ⁱ⁾), A⁽ⁱ⁾ = ridge · I + Σ xxᵀ.

    The disjoint LinUCB of Li, Chu, Langford & Schapire (2010), "A contextual-bandit approach to personalized news
    article recommendation", Algorithm 1 (there ridge = 1). `alpha` is how many widths an arm is given the benefit of.
    With `intercept`, the default, a feature that is always 1 is added. Features are taken as they are, not divided by
    √d as in the kernels: ridge = d · λ² here is the ridge λ² of `KernelRidge(Linear())`.

    Cost per round: O(K d²) to decide, O(d²) to learn, whatever the number of rounds before.

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
        models = RidgeStack(problem.n_arms, problem.dim, self.ridge, self.intercept)
        return _LinearUCBLearner(models, self.alpha, rng)


@final
class _LinearUCBLearner(Learner):
    __slots__ = ("_alpha", "_models", "_rng")

    def __init__(self, models: RidgeStack, alpha: float, rng: np.random.Generator) -> None:
        self._models = models
        self._alpha = alpha
        self._rng = rng

    def decide(self, contexts: Array, eligible: BoolArray | None, row: int | None) -> Choice:
        mean, width = self._models.mean_and_width(contexts)
        return pick_optimistic(mean, self._alpha * width, eligible, self._rng)

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        self._models.absorb(arm, context, reward)

    def add_arm(self, problem: Problem) -> None:
        self._models.add_arm()
