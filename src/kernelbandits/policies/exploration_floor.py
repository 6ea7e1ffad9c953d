"""A least probability for every arm, whatever the policy, so that its logs can be evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs import Prefetched
from kernelbandits.errors import InvalidArgument
from kernelbandits.policies.agent import Policy
from kernelbandits.policies.learner import Choice, Learner, Scores
from kernelbandits.policies.selection import distribution
from kernelbandits.problem import Problem
from kernelbandits.specs import Probability
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class ExplorationFloor(Policy):
    """Plays `policy`, but every eligible arm with probability at least ε: p = (1 − Kₑ ε) q + ε over Kₑ eligible arms.

    With probability Kₑ ε an eligible arm is drawn uniformly in place of the policy's own choice. Then every logged
    propensity is at least `epsilon`, and any other policy can be evaluated on the logs with weights of at most 1/ε. The
    price is about Kₑ ε of the regret of playing at random. Propensities are as exact as those of the inner policy. A
    turn of the inner policy that was not played is withdrawn from it.

    Cost: that of the policy. Reference: the ε of Auer et al. 2002 (Exp3), used for evaluation as in Li et al. 2011.

    Attributes:
        policy: any policy; its own choice is played with probability 1 − Kₑ ε.
        epsilon: ε, the smallest probability of every eligible arm; at most 1/K.

    >>> policy = ExplorationFloor(ThompsonSampling(), epsilon=0.01)
    >>> agent = policy.start(Problem(n_arms=4, dim=2), rng=0)
    >>> agent.score([[1.0, 2.0]]).probabilities.round(9)  # the first round is arm 0's turn
    array([[0.97, 0.01, 0.01, 0.01]])

    See also `default_policy`, `SupKernelUCB`, `Uniform`, `Oracle`.
    """

    policy: Policy
    epsilon: Probability

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        _refuse_too_high(self.epsilon, problem)
        return _FlooredLearner(self.policy.learner(problem, rng), self.epsilon, rng)


def _refuse_too_high(epsilon: float, problem: Problem) -> None:
    if epsilon * problem.n_arms > 1.0:
        raise InvalidArgument(
            f"ExplorationFloor: epsilon must be at most 1/K, {1.0 / problem.n_arms:g} for {problem.n_arms} arms; "
            f"got {epsilon}"
        )


@final
@dataclass(slots=True, eq=False)
class _FlooredLearner(Learner):
    inner: Learner
    epsilon: float
    rng: np.random.Generator
    overruled: bool = False

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        choice = self.inner.decide(contexts, eligible)
        allowed = np.arange(len(contexts)) if eligible is None else np.flatnonzero(eligible)
        kept = max(1.0 - len(allowed) * self.epsilon, 0.0)
        probabilities = kept * distribution(choice)
        probabilities[allowed] += self.epsilon
        arm = choice.arm if self.rng.random() < kept else int(self.rng.choice(allowed))
        self.overruled = arm != choice.arm
        if self.overruled:
            self.inner.withdraw()
        propensity = min(float(probabilities[arm]), 1.0)
        return Choice(arm, propensity, choice.scores, self.overruled or choice.explored, probabilities)

    def score(self, contexts: Array, eligible: BoolArray | None) -> Scores | None:
        scores = self.inner.score(contexts, eligible)
        if scores is None:
            return None
        allowed = np.ones(contexts.shape[:2], dtype=np.bool_) if eligible is None else eligible
        kept = np.maximum(1.0 - np.count_nonzero(allowed, axis=1) * self.epsilon, 0.0)
        return scores._replace(probabilities=kept[:, np.newaxis] * scores.probabilities + self.epsilon * allowed)

    def observe(self, context: Array, arm: int, reward: float) -> None:
        self.inner.observe(context, arm, reward)

    def withdraw(self) -> None:
        if not self.overruled:  # else it was withdrawn already
            self.inner.withdraw()

    def add_arm(self, problem: Problem) -> None:
        _refuse_too_high(self.epsilon, problem)
        self.inner.add_arm(problem)

    def prefetch(self, block: Prefetched | None) -> None:
        self.inner.prefetch(block)
