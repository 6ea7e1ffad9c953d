"""
Your own kernel, your own policy
================================

A kernel is one function of one number, a policy is two methods. Both then work everywhere: in estimators, in grids,
with saving and checks.
"""

# %%
# The Cauchy kernel h(t) = 1 / (1 + γ t) of the squared distance t = ‖x − z‖² / d, with its derivatives.

from dataclasses import dataclass
from math import factorial
from typing import final

import numpy as np

import kernelbandits as kb
from kernelbandits import testing


@final
@dataclass(frozen=True, slots=True)
class Cauchy(kb.RadialKernel):
    """h(t) = 1 / (1 + γ t)."""

    gamma: float = 1.0

    def profile(self, t, order=0):
        return (-self.gamma) ** order * factorial(order) / (1.0 + self.gamma * t) ** (order + 1)


testing.check_kernel(Cauchy(gamma=2.0))

# %%
# Greedy with one forced look at every arm: the learner keeps a mean per arm and ignores the contexts.


@final
@dataclass(frozen=True, slots=True)
class BestMean(kb.Policy):
    """Plays the arm with the best mean so far."""

    def learner(self, problem, rng):
        return MeanLearner(problem.n_arms)


class MeanLearner(kb.Learner):
    def __init__(self, n_arms):
        self.sums, self.counts = np.zeros(n_arms), np.zeros(n_arms)

    def decide(self, contexts, eligible):
        scores = np.where(self.counts > 0, self.sums / np.maximum(self.counts, 1), np.inf)
        if eligible is not None:  # None if every arm may be played
            scores = np.where(eligible, scores, -np.inf)
        return kb.Choice(int(scores.argmax()), 1.0, np.nan_to_num(scores, posinf=1e6), bool(self.counts.min() == 0))

    def observe(self, context, arm, reward):
        self.sums[arm] += reward
        self.counts[arm] += 1


# %%
# Both in one experiment, beside a method of the library.

import tempfile

from kernelbandits.experiments import InProcess

panel = kb.Panel(
    "low-rank",
    kb.Synthetic(kb.LowRank(), n_arms=3, dim=40),
    {
        "my kernel": kb.ExploreThenCommit(kb.MinNormInterpolator(Cauchy(gamma=2.0)), n_explore=60),
        "my policy": BestMean(),
        "LinearUCB": kb.LinearUCB(),
    },
)
results = kb.run(kb.Experiment("mine", (panel,), horizon=300, seeds=(0, 1, 2)), tempfile.mkdtemp(), InProcess())
axes = results.plot()
