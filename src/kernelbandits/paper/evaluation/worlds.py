"""The worlds in which intervals are held to the truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np
from scipy.special import expit, softmax

from kernelbandits.offline import Log
from kernelbandits.paper.evaluation.digits_world import DigitsWorld
from kernelbandits.paper.evaluation.learner_worlds import LearnerWorld, OwnLearnerWorld
from kernelbandits.paper.evaluation.world import MANY, LoggedWorld, WorldCase, drawn
from kernelbandits.specs import Count, NonNegative
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True)
class SoftmaxWorld(LoggedWorld):
    """Normal contexts; rewards 0 or 1 with probability σ(level + slope · ⟨x, b_a⟩); writer and candidate softmax rules.

    Attributes:
        n: rows.
        n_arms: arms.
        dim: features.
        level: log-odds of a reward at an average context.
        slope: how much contexts matter to rewards.
        sharp: how sharply the writer prefers arms, which has nothing to do with their rewards.
        floor: share of rows that the writer draws uniformly.
        greedy: whether the candidate takes the best arm instead of a softmax of twice its log-odds.
        bent: how much of the reward is a wave that no linear model sees.

    """

    n: Count
    n_arms: Count = 10
    dim: Count = 5
    level: float = 0.0
    slope: NonNegative = 1.0
    sharp: NonNegative = 1.0
    floor: NonNegative = 0.0
    greedy: bool = False
    bent: NonNegative = 0.0

    @property
    def learned(self) -> bool:
        return False

    def cases(self, seeds: range) -> Iterator[WorldCase]:
        truth = _softmax_truth(self)
        for seed in seeds:
            rng = np.random.default_rng((seed, 17))
            x, means, logged, chances = self.draw(self.n, rng)
            arms, rows = drawn(logged, rng), np.arange(self.n)
            rewards = (rng.random(self.n) < means[rows, arms]).astype(np.float64)
            yield WorldCase(Log(x, arms, rewards, logged[rows, arms], self.n_arms, learned=False), chances, truth)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
        """Contexts, mean rewards, and the probabilities of writer and candidate."""
        fixed = np.random.default_rng(7)
        b, c = fixed.standard_normal((2, self.dim, self.n_arms)) / np.sqrt(self.dim)
        x = rng.standard_normal((n, self.dim))
        odds = self.level + self.slope * (x @ b) + self.bent * np.sin(3.0 * (x @ c))
        logged = softmax(self.sharp * (x @ c), axis=1)
        logged = (1.0 - self.floor) * logged + self.floor / self.n_arms
        chances = np.eye(self.n_arms)[odds.argmax(axis=1)] if self.greedy else softmax(2.0 * odds, axis=1)
        return x, expit(odds), logged, chances


@cache
def _softmax_truth(world: SoftmaxWorld) -> float:
    rng = np.random.default_rng(12345)
    total = 0.0
    for _ in range(10):
        _, means, _, chances = world.draw(MANY // 10, rng)
        total += float((means * chances).sum(axis=1).mean())
    return total / 10


WORLDS: dict[str, LoggedWorld] = {
    "plain": SoftmaxWorld(1000),
    "short": SoftmaxWorld(300),
    "large": SoftmaxWorld(10_000),
    "rare, 1 in 200": SoftmaxWorld(10_000, level=-5.8, slope=0.7, n_arms=5, greedy=True),
    "rare, short": SoftmaxWorld(2000, level=-5.8, slope=0.7, n_arms=5, greedy=True),
    "nearly certain": SoftmaxWorld(1000, level=3.0, slope=0.7),
    "weak overlap": SoftmaxWorld(2000, sharp=4.0, floor=0.1, greedy=True),
    "many arms": SoftmaxWorld(2000, n_arms=50),
    "misspecified": SoftmaxWorld(1000, slope=0.3, bent=2.0, n_arms=5),
    "digits, sure writer": DigitsWorld(),
    "digits, uniform writer": DigitsWorld(floor=1.0),
    "learner, equal arms": LearnerWorld(2000, (0.5, 0.5, 0.5, 0.5)),
    "learner, a bad arm": LearnerWorld(2000, (0.3, 0.4, 0.5, 0.6, 0.7)),
    "learner, the best arm": LearnerWorld(2000, (0.3, 0.4, 0.5, 0.6, 0.7), arm=4),
    "learner, contexts": LearnerWorld(2000, (0.4, 0.5, 0.5, 0.6), dim=4),
    "learner, rare": LearnerWorld(10_000, (0.005, 0.005, 0.005, 0.01), floor=0.05, batch=250),
    "learner, small floor": LearnerWorld(5000, (0.5, 0.5, 0.5), floor=0.01),
    "Thompson, no floor": LearnerWorld(1000, (0.5, 0.5), floor=0.0, batch=20, thompson=True),
    "LinearUCB, floor": OwnLearnerWorld(),
}
"""Independent rows first, then logs of learners."""
