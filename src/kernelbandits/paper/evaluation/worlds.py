"""Worlds: sources of logs whose truth is known, so that intervals can be held to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, final

import numpy as np
from scipy.special import expit, softmax

from kernelbandits.offline import Log
from kernelbandits.paper.data_sets import digits_points
from kernelbandits.specs import Count, NonNegative, Positive, Spec
from kernelbandits.types import Array, IntArray

MANY = 400_000
"""Rows from which a truth is computed."""


class WorldCase(NamedTuple):
    """A log, a candidate's probabilities in its rows, shape (n, K), the candidate's true value, and mean rewards."""

    log: Log
    chances: Array
    truth: float
    means: Array | None = None


class LoggedWorld(Spec, ABC):
    """A source of logs whose truth is known, `n` rows each."""

    __slots__ = ()

    @abstractmethod
    def cases(self, seeds: range) -> Iterator[WorldCase]:
        """One case for each seed, always the same."""


def drawn(chances: Array, rng: np.random.Generator) -> IntArray:
    """One arm per row with these probabilities."""
    limits = chances.cumsum(axis=-1)
    luck = rng.random((*chances.shape[:-1], 1)) * limits[..., -1:]
    return np.asarray((limits > luck).argmax(axis=-1), dtype=np.int64)


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


@final
@dataclass(frozen=True, slots=True)
class DigitsWorld(LoggedWorld):
    """Scikit-learn's digits as a bandit: reward 1 for the right class (Dudík et al. 2014). The truth is exact.

    Two ridge classifiers are fitted to 15 % of the rows each; one plays its guess, but a share `floor` of rows
    uniformly, and writes the log; the guess of the other is the candidate. Rows of the log are `n` of the rest, drawn
    with replacement.
    """

    n: Count = 1000
    floor: Positive = 0.2

    def cases(self, seeds: range) -> Iterator[WorldCase]:
        x, labels, logged, chances = _digits(self.floor)
        right = chances[np.arange(len(labels)), labels]
        for seed in seeds:
            rng = np.random.default_rng((seed, 23))
            rows = rng.integers(len(labels), size=self.n)
            arms = drawn(logged[rows], rng)
            rewards = (arms == labels[rows]).astype(np.float64)
            log = Log(x[rows], arms, rewards, logged[rows, arms], 10, learned=False)
            yield WorldCase(log, chances[rows], float(right.mean()))


@cache
def _digits(floor: float) -> tuple[Array, IntArray, Array, Array]:
    x, labels = digits_points()
    order = np.random.default_rng(0).permutation(len(labels))
    x, labels = x[order], labels[order]
    first, second = int(0.15 * len(x)), int(0.3 * len(x))
    scores = []
    for rows in (slice(0, first), slice(first, second)):
        A = np.concatenate([np.ones((len(x), 1)), x], axis=1)
        gram = A[rows].T @ A[rows] + 3.0 * np.eye(A.shape[1])
        scores.append(A[second:] @ np.linalg.solve(gram, A[rows].T @ np.eye(10)[labels[rows]]))
    logged, chances = (np.eye(10)[each.argmax(axis=1)] for each in scores)
    return x[second:], labels[second:], (1.0 - floor) * logged + floor / 10, chances
