"""Worlds whose truth is known: logs of policies that stay as they are, and of policies that learn while they log."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, final

import numpy as np
from scipy.special import expit, softmax

from kernelbandits.offline import Log
from kernelbandits.policies import ExplorationFloor, LinearUCB
from kernelbandits.problem import Problem
from kernelbandits.specs import Count, NonNegative, Positive, Spec
from kernelbandits.types import Array, IntArray

_MANY = 400_000


class Case(NamedTuple):
    """A log, a candidate's probabilities in its rows, shape (n, K), and the candidate's true value."""

    log: Log
    chances: Array
    truth: float


class World(Spec, ABC):
    """Where logs come from. `n` rows each."""

    __slots__ = ()

    @property
    @abstractmethod
    def learned(self) -> bool:
        """Whether the writer of the log learns while it writes."""

    @abstractmethod
    def cases(self, seeds: range) -> Iterator[Case]:
        """One case for each seed, always the same."""


@final
@dataclass(frozen=True, slots=True)
class SoftmaxWorld(World):
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

    def cases(self, seeds: range) -> Iterator[Case]:
        truth = _softmax_truth(self)
        for seed in seeds:
            rng = np.random.default_rng((seed, 17))
            x, means, logged, chances = self.draw(self.n, rng)
            arms, rows = drawn(logged, rng), np.arange(self.n)
            rewards = (rng.random(self.n) < means[rows, arms]).astype(np.float64)
            yield Case(Log(x, arms, rewards, logged[rows, arms], self.n_arms, learned=False), chances, truth)

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
        _, means, _, chances = world.draw(_MANY // 10, rng)
        total += float((means * chances).sum(axis=1).mean())
    return total / 10


@final
@dataclass(frozen=True, slots=True)
class DigitsWorld(World):
    """Scikit-learn's digits as a bandit: reward 1 for the right class (Dudík et al. 2014). The truth is exact.

    Two ridge classifiers are fitted to two quarters of the rows; one, softened and with a floor, writes the log, the
    other is the candidate. Rows of the log are drawn with replacement from the rest.
    """

    n: Count = 1000
    floor: Positive = 0.2

    @property
    def learned(self) -> bool:
        return False

    def cases(self, seeds: range) -> Iterator[Case]:
        x, labels, logged, chances = _digits(self.floor)
        right = chances[np.arange(len(labels)), labels]
        for seed in seeds:
            rng = np.random.default_rng((seed, 23))
            rows = rng.integers(len(labels), size=self.n)
            arms = drawn(logged[rows], rng)
            rewards = (arms == labels[rows]).astype(np.float64)
            log = Log(x[rows], arms, rewards, logged[rows, arms], 10, learned=False)
            yield Case(log, chances[rows], float(right.mean()))


@cache
def _digits(floor: float) -> tuple[Array, IntArray, Array, Array]:
    from kernelbandits.paper.data_sets import digits_points

    x, labels = digits_points()
    order = np.random.default_rng(0).permutation(len(labels))
    x, labels = x[order], labels[order]
    first, second = len(x) // 4, len(x) // 2
    scores = []
    for rows in (slice(0, first), slice(first, second)):
        A = np.concatenate([np.ones((len(x), 1)), x], axis=1)
        gram = A[rows].T @ A[rows] + 3.0 * np.eye(A.shape[1])
        scores.append(A[second:] @ np.linalg.solve(gram, A[rows].T @ np.eye(10)[labels[rows]]))
    logged = (1.0 - floor) * softmax(4.0 * scores[0], axis=1) + floor / 10
    return x[second:], labels[second:], logged, np.eye(10)[scores[1].argmax(axis=1)]


@final
@dataclass(frozen=True, slots=True)
class LearnerWorld(World):
    """A greedy learner with a floor writes the log, and learns after every `batch` rows. The candidate plays one arm.

    Attributes:
        n: rows.
        means: mean reward of every arm at an average context.
        dim: features; 0 for none.
        floor: probability of every arm that does not look best.
        batch: rows between two fits of the learner.
        arm: what the candidate plays.
        thompson: whether the learner samples from normal posteriors of two arms instead, without a floor.

    """

    n: Count
    means: tuple[float, ...]
    dim: int = 0
    floor: NonNegative = 0.02
    batch: Count = 50
    arm: int = 0
    thompson: bool = False

    @property
    def learned(self) -> bool:
        return True

    def cases(self, seeds: range) -> Iterator[Case]:
        from kernelbandits.paper.evaluation.learners import batch_learner

        truth = _learner_truth(self)
        rng = np.random.default_rng((seeds.start, len(seeds), 31))
        contexts, arms, rewards, propensities = batch_learner(self, len(seeds), rng)
        chances = np.zeros((self.n, len(self.means)))
        chances[:, self.arm] = 1.0
        for i in range(len(seeds)):
            log = Log(contexts[i], arms[i], rewards[i], propensities[i], len(self.means), learned=True)
            yield Case(log, chances, truth)


def mean_rewards(world: LearnerWorld, contexts: Array) -> Array:
    """Mean rewards at contexts (…, d), shape (…, K)."""
    level = np.array(world.means)
    if not world.dim:
        return np.broadcast_to(level, (*contexts.shape[:-1], len(level)))
    b = np.random.default_rng(5).standard_normal((world.dim, len(level))) / np.sqrt(world.dim)
    return np.asarray(expit(np.log(level / (1.0 - level)) + contexts @ b))


@cache
def _learner_truth(world: LearnerWorld) -> float:
    x = np.random.default_rng(99).standard_normal((_MANY, world.dim))
    return float(mean_rewards(world, x)[:, world.arm].mean())


@final
@dataclass(frozen=True, slots=True)
class OwnLearnerWorld(World):
    """The library's own LinearUCB with a floor writes the log, row by row. The candidate plays one arm."""

    n: Count = 600
    floor: Positive = 0.05
    arm: int = 0

    @property
    def learned(self) -> bool:
        return True

    def cases(self, seeds: range) -> Iterator[Case]:
        world = LearnerWorld(self.n, (0.3, 0.4, 0.5), dim=4, arm=self.arm)
        policy, chances = ExplorationFloor(LinearUCB(), epsilon=self.floor), np.zeros((self.n, 3))
        chances[:, self.arm] = 1.0
        for seed in seeds:
            rng = np.random.default_rng((seed, 37))
            agent = policy.start(Problem(3, world.dim, self.n), rng.spawn(1)[0])
            x = rng.standard_normal((self.n, world.dim))
            luck, means = rng.random(self.n), mean_rewards(world, x)
            arms, propensities = np.empty(self.n, dtype=np.int64), np.empty(self.n)
            rewards = np.empty(self.n)
            for t in range(self.n):
                decision = agent.choose(x[t])
                arms[t], propensities[t] = decision.arm, decision.propensity
                rewards[t] = float(luck[t] < means[t, decision.arm])
                agent.observe(x[t], decision.arm, rewards[t])
            yield Case(Log(x, arms, rewards, propensities, 3, learned=True), chances, _learner_truth(world))


def drawn(chances: Array, rng: np.random.Generator) -> IntArray:
    """One arm per row with these probabilities."""
    limits = chances.cumsum(axis=-1)
    luck = rng.random((*chances.shape[:-1], 1)) * limits[..., -1:]
    return np.asarray((limits > luck).argmax(axis=-1), dtype=np.int64)


WORLDS: dict[str, World] = {
    "plain": SoftmaxWorld(1000),
    "short": SoftmaxWorld(300),
    "large": SoftmaxWorld(10_000),
    "rare, 1 in 200": SoftmaxWorld(10_000, level=-5.8, slope=0.7, n_arms=5, greedy=True),
    "rare, short": SoftmaxWorld(2000, level=-5.8, slope=0.7, n_arms=5, greedy=True),
    "nearly certain": SoftmaxWorld(1000, level=3.0, slope=0.7),
    "weak overlap": SoftmaxWorld(2000, sharp=4.0, floor=0.1, greedy=True),
    "many arms": SoftmaxWorld(2000, n_arms=50),
    "misspecified": SoftmaxWorld(1000, slope=0.3, bent=2.0, n_arms=5),
    "digits": DigitsWorld(),
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
