"""A policy as a user of the library would write it."""

from dataclasses import dataclass

import numpy as np

import kernelbandits as kb

ARM = 1


@dataclass(frozen=True, slots=True)
class FirstArm(kb.Policy):
    """Always the same arm."""

    def learner(self, problem, rng):
        return _Learner(problem.n_arms)


class _Learner(kb.Learner):
    def __init__(self, n_arms):
        self.n_arms = n_arms

    def decide(self, contexts, eligible):
        return kb.Choice(ARM, 1.0, np.zeros(self.n_arms), explored=False)

    def observe(self, context, arm, reward):
        pass


@dataclass(frozen=True, slots=True)
class Failing(kb.Policy):
    """Starts, and fails in its first round."""

    def learner(self, problem, rng):
        return _FailingLearner(problem.n_arms)


class _FailingLearner(_Learner):
    def decide(self, contexts, eligible):
        raise KeyError("nothing learnt")
