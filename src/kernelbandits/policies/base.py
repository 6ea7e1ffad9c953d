"""Policies are frozen specs of how to decide. A policy starts an agent."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from kernelbandits import checks
from kernelbandits.policies.agent import Agent
from kernelbandits.policies.learner import Learner
from kernelbandits.problem import Problem
from kernelbandits.specs import Spec


class Policy(Spec, ABC):
    """How to decide. One policy can start any number of agents."""

    __slots__ = ()

    def start(self, problem: Problem, rng: np.random.Generator | int) -> Agent:
        """An agent for this problem. All of its randomness comes from `rng` (a generator or a seed)."""
        checks.instance("problem", problem, Problem, "Problem(n_arms=3, dim=50)")
        return Agent(problem, self.learner(problem, checks.generator(rng)))

    @abstractmethod
    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        """The learner of a new agent; raises if the problem does not state what this policy needs."""
