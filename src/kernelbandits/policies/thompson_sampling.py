"""Thompson sampling on any belief."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import final

import numpy as np

from kernelbandits.beliefs import Belief, EmpiricalBayes
from kernelbandits.policies.base import Policy
from kernelbandits.policies.believing_learner import BelievingLearner
from kernelbandits.policies.learner import Learner
from kernelbandits.policies.propensities import pick_sampled
from kernelbandits.problem import Problem
from kernelbandits.specs import CountFromZero, Positive


@final
@dataclass(frozen=True, slots=True)
class ThompsonSampling(Policy):
    """Draws a mean reward of every arm from the belief and plays the arm with the largest draw.

    `scale` multiplies the standard deviations before drawing. The default is ½, because in high dimension much of a
    posterior's deviation at a new context does not shrink, whichever arm is played, and draws at full scale pay for it
    in every round. Each arm has `n_initial` turns first.

    The propensity of the played arm is exact: the probability that its draw is the largest of independent normals, by
    quadrature with an error below 10⁻¹⁰.

    Draws of different arms are independent. A belief in which arms share (`JointArms`, `HierarchicalBayes`) has
    correlated means, of which only every arm's own distribution is used: propensities stay exact, but differences
    between arms spread more than the belief says, and exploration is wider than with joint draws. For arms that share
    nine tenths of their function, regret was 5 % larger with own contexts per arm and 20 % larger with one context for
    all arms (seeds 1000–1009). `CalibratedUCB` is not affected.

    Cost: that of the belief, and O(K) per round for the propensity (about 0.1 ms at K = 20).

    Reference: Thompson 1933; for kernels, Chowdhury & Gopalan 2017.

    >>> agent = ThompsonSampling().start(Problem(n_arms=3, dim=50), rng=0)
    >>> agent.choose(np.zeros((3, 50))).arm
    0
    """

    belief: Belief = EmpiricalBayes()
    scale: Positive = 0.5
    n_initial: CountFromZero = 1

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        return BelievingLearner(
            self.belief.start(problem), partial(pick_sampled, scale=self.scale), self.n_initial, problem, rng
        )
