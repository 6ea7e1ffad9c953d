"""ε-greedy on scikit-learn's random forests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from benchmarks.league.peers import is_due
from kernelbandits.beliefs import Prefetched
from kernelbandits.policies import Choice, Learner, Policy
from kernelbandits.problem import Problem
from kernelbandits.specs import Count, NonNegative, Share
from kernelbandits.types import Array, BoolArray

_TURNS = 2
"""Of every arm before anything is predicted."""


@final
@dataclass(frozen=True, slots=True)
class ForestGreedy(Policy):
    """With probability ε any arm, else the one whose forest predicts most: one regression forest per arm.

    In round t, ε = max(`epsilon`, min(1, `turns` K/t)), as in the εₙ-greedy of Auer, Cesa-Bianchi and Fischer (2002).
    A forest is grown anew once its arm has a fifth more rewards. Every arm has two turns first.
    """

    epsilon: Share = 0.02
    turns: NonNegative = 2.0
    n_trees: Count = 30

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        arms = [_Arm(self.n_trees) for _ in range(problem.n_arms)]
        return _ForestLearner(self.epsilon, self.turns * problem.n_arms, rng, arms)


@final
@dataclass(slots=True, eq=False)
class _Arm:
    """The rewards of an arm, its forest, and what that predicts for the prefetched rounds."""

    n_trees: int
    contexts: list[Array] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    n_fitted: int = 0
    forest: Any = None
    predicted: Array | None = None

    def observe(self, context: Array, reward: float, rng: np.random.Generator) -> None:
        from sklearn.ensemble import RandomForestRegressor

        self.contexts.append(context)
        self.rewards.append(reward)
        if is_due(len(self.rewards), self.n_fitted, least=_TURNS):
            seed = int(rng.integers(2**31))
            self.forest = RandomForestRegressor(self.n_trees, min_samples_leaf=2, max_features=1 / 3, random_state=seed)
            self.forest.fit(np.array(self.contexts), self.rewards)
            self.n_fitted, self.predicted = len(self.rewards), None

    def predict(self, context: Array, arm: int, block: Prefetched | None) -> float:
        """For a prefetched round, the whole block is predicted at once."""
        if block is None:
            return float(self.forest.predict(context[np.newaxis])[0])
        if self.predicted is None:
            self.predicted = np.asarray(self.forest.predict(block.contexts[:, arm]))
        return float(self.predicted[block.row])


@final
@dataclass(slots=True, eq=False)
class _ForestLearner(Learner):
    epsilon: float
    turns: float
    rng: np.random.Generator
    arms: list[_Arm]
    block: Prefetched | None = None
    n_rewards: int = 0

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        n_arms = len(self.arms)
        allowed = np.ones(n_arms, dtype=np.bool_) if eligible is None else eligible
        unknown = allowed & np.array([len(arm.rewards) < _TURNS for arm in self.arms])
        if unknown.any():
            return Choice(int(unknown.argmax()), 1.0, np.where(allowed, 0.0, -np.inf), explored=True)
        block = self.block if self.block is not None and self.block.shown is contexts else None
        means = np.array([arm.predict(contexts[i], i, block) for i, arm in enumerate(self.arms)])
        scores = np.where(allowed, means, -np.inf)
        best = scores == scores.max()
        epsilon = max(self.epsilon, min(1.0, self.turns / (self.n_rewards + 1)))
        chances = epsilon * allowed / allowed.sum() + (1.0 - epsilon) * best / best.sum()
        chosen = int(self.rng.choice(n_arms, p=chances))
        return Choice(chosen, float(chances[chosen]), scores, not best[chosen], chances)

    def prefetch(self, block: Prefetched | None) -> None:
        self.block = block
        for arm in self.arms:
            arm.predicted = None

    def observe(self, context: Array, arm: int, reward: float) -> None:
        self.n_rewards += 1
        self.arms[arm].observe(context, reward, self.rng)
