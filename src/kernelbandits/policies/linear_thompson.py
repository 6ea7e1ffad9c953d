"""Thompson sampling with a Bayesian linear model of its own for every arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs.linear import RidgeStack
from kernelbandits.policies.base import Choice, Learner, Policy
from kernelbandits.policies.propensities import pick_sampled
from kernelbandits.problem import Problem
from kernelbandits.specs import NonNegative, Positive
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class LinearThompsonSampling(Policy):
    """Draws θ⁽ⁱ⁾ ~ N(θ̂⁽ⁱ⁾, scale² (A⁽ⁱ⁾)⁻¹) for every arm and plays the largest θ⁽ⁱ⁾ᵀx⁽ⁱ⁾; A⁽ⁱ⁾ = ridge · I + Σ xxᵀ.

    After Agrawal & Goyal (2013), "Thompson sampling for contextual bandits with linear payoffs" (their v is `scale`),
    with one parameter an arm instead of one for all. A round meets each θ⁽ⁱ⁾ in one direction only, so its projection
    N(θ̂ᵀx, scale² xᵀA⁻¹x) is drawn instead: the same law without a factor of A. These are independent, so the
    propensity is exact, by `largest_probabilities`, to 10⁻¹⁰, and under a mask too.

    If rewards have standard deviation σ around a linear mean with coefficients N(0, σ²/ridge), scale = σ is the
    posterior. With `intercept`, the default, a feature that is always 1 is added. Features are taken as they are, not
    divided by √d as in the kernels.

    Cost per round: O(K d²) to decide, about 0.1 ms more for the propensity with 20 arms; O(d²) to learn.

    >>> agent = LinearThompsonSampling(scale=0.5).start(Problem(n_arms=4, dim=2), rng=0)
    >>> round(agent.choose([1.0, 2.0]).propensity, 9)
    0.25
    """

    scale: NonNegative = 1.0
    ridge: Positive = 1.0
    intercept: bool = True

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        models = RidgeStack(problem.n_arms, problem.dim, self.ridge, self.intercept)
        return _LinearThompsonLearner(models, self.scale, rng)


@final
class _LinearThompsonLearner(Learner):
    __slots__ = ("_models", "_rng", "_scale")

    def __init__(self, models: RidgeStack, scale: float, rng: np.random.Generator) -> None:
        self._models = models
        self._scale = scale
        self._rng = rng

    def decide(self, contexts: Array, eligible: BoolArray | None, row: int | None) -> Choice:
        mean, width = self._models.mean_and_width(contexts)
        return pick_sampled(mean, self._scale * width, eligible, self._rng)

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        self._models.absorb(arm, context, reward)

    def add_arm(self, problem: Problem) -> None:
        self._models.add_arm()
