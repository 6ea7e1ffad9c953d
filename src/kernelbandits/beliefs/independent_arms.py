"""One Gaussian process per arm, with known kernel and noise level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from kernelbandits.beliefs.arms_tracker import ArmsTracker
from kernelbandits.beliefs.base import Belief
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess


@final
@dataclass(frozen=True, slots=True)
class IndependentArms(Belief):
    """f⁽ⁱ⁾ ~ GP(0, K), independent for every arm; noise of variance `model.ridge`.

    Cost with n observations per arm: O(n² + n d) per reward, O(K (n² + n d)) per round, less if it was prefetched.

    >>> belief = IndependentArms(GaussianProcess(Gaussian(gamma=4.0), ridge=0.01))
    """

    model: GaussianProcess

    def start(self, problem: Problem) -> ArmsTracker:
        prior = self.model.without_data(problem.dim)
        return ArmsTracker([prior] * problem.n_arms, prior)
