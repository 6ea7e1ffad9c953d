"""Explore-then-Commit that determines from the data how long to explore."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.kernels import Gaussian
from kernelbandits.policies.base import Policy
from kernelbandits.policies.exploring_learner import ExploringLearner, usable_cap
from kernelbandits.policies.learner import Learner
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess
from kernelbandits.specs import Count
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class AdaptiveExploreThenCommit(Policy):
    """Plays the arms in turn while another turn saves more than it costs, then the best interpolated mean.

    Each time all arms have had another draw, leave-one-out predictions estimate the cost of a commitment: r, the mean
    regret of following them, and rₑ, that of an arm in turn, over all rounds that past draws can form
    (`commitment_value`). Errors of averages fall as N^(−½) with the draws N = T₀/K per arm, and r with them, so

        T₀ rₑ + (T − T₀) r(N),  r(N) ∝ N^(−½),  is least where  r (T + T₀) = 2 T₀ rₑ,

    and exploration goes on while r (T + T₀) > 2 T₀ rₑ. It takes at most `cap` rounds; None is half of the horizon.
    An unknown horizon is guessed, and the guess doubled whenever it was too short: exploration then continues from the
    data at hand if that pays.

    The interpolator is the mean of `model` with a ridge so small that it matters for repeated contexts only. Rewards
    after the commitment are not used; with delays, the first T₀ rewards are used, whenever they come. Noise counts as
    avoidable regret, so exploration is longer than optimal if rewards are very noisy.

    Turns and commitment are certain given the past: propensities are 1, ties apart.

    Cost: O(n² + n d) per reward of an arm with n draws while exploring, and O(T₀ log T₀) per round for the estimate;
    then O(T₀ d) per round, a matrix product for prefetched rounds.

    Reference: Algorithm 1 of the paper, with T₀ from the data; leave-one-out in closed form, Rasmussen & Williams 2006,
    section 5.4.2.

    >>> agent = AdaptiveExploreThenCommit(cap=400).start(Problem(n_arms=20, dim=100, horizon=2000), rng=0)
    >>> agent.choose(np.zeros((20, 100))).explored
    True
    """

    model: GaussianProcess = GaussianProcess(Gaussian(gamma=4.0), ridge=1e-8)
    cap: Count | None = None

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        cap = usable_cap("AdaptiveExploreThenCommit", self.cap, problem.n_arms)
        return ExploringLearner(self.model, _everyone, cap, problem, rng)


def _everyone(rewards: Sequence[Array]) -> BoolArray:
    return np.ones(len(rewards), dtype=bool)
