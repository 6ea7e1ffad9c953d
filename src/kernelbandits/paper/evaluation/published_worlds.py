"""Worlds of the kind for which zr-obp publishes errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np
from scipy.special import expit, softmax

from kernelbandits.offline import Log
from kernelbandits.paper.evaluation.world import LoggedWorld, WorldCase, drawn
from kernelbandits.specs import Count, NonNegative, Positive
from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True)
class PublishedWorld(LoggedWorld):
    """The kind of world of zr-obp's synthetic example.

    Logistic rewards q with log-odds of variance 5/3, as coefficients from −1 to 1 give with five features, a candidate
    q/Σ_a q, which is what a classifier of arms with weights r/h, as there, tends to, and a writer that prefers poor
    arms, softmax(−0.4 q). The factor makes the world as hard as the published one: InversePropensity, the same formula
    there and here, has the same error. The truth is that of the contexts drawn.
    """

    n: Count = 10_000
    n_arms: Count = 10
    dim: Count = 5

    @property
    def learned(self) -> bool:
        return False

    def cases(self, seeds: range) -> Iterator[WorldCase]:
        b = np.random.default_rng(12345).standard_normal((self.dim, self.n_arms)) * np.sqrt(5.0 / 3.0 / self.dim)
        for seed in seeds:
            rng = np.random.default_rng((seed, 19))
            x = rng.standard_normal((self.n, self.dim))
            means = expit(x @ b)
            logged, chances = softmax(-0.4 * means, axis=1), means / means.sum(axis=1, keepdims=True)
            arms, rows = drawn(logged, rng), np.arange(self.n)
            rewards = (rng.random(self.n) < means[rows, arms]).astype(np.float64)
            log = Log(x, arms, rewards, logged[rows, arms], self.n_arms, learned=False)
            yield WorldCase(log, chances, float((chances * means).sum(axis=1).mean()))


@final
@dataclass(frozen=True, slots=True)
class DigitsWorld(LoggedWorld):
    """Scikit-learn's digits as a bandit: reward 1 for the right class (Dudík et al. 2014). The truth is exact.

    Two ridge classifiers are fitted to 15 % of the rows each; one plays its guess, but a share `floor` of rows
    uniformly, and writes the log; the other, with a share `softness`, is the candidate. Rows of the log are `n` of the
    rest, drawn with replacement. If not `resampled`, each comes once and one classifier, fitted to 30 %, serves both,
    as in zr-obp's example.
    """

    n: Count = 1000
    floor: Positive = 0.2
    softness: NonNegative = 0.0
    resampled: bool = True

    @property
    def learned(self) -> bool:
        return False

    def cases(self, seeds: range) -> Iterator[WorldCase]:
        x, labels, logged, chances = _digits(self.floor, self.softness, not self.resampled)
        right = chances[np.arange(len(labels)), labels]
        for seed in seeds:
            rng = np.random.default_rng((seed, 23))
            rows = rng.integers(len(labels), size=self.n) if self.resampled else np.arange(len(labels))
            arms = drawn(logged[rows], rng)
            rewards = (arms == labels[rows]).astype(np.float64)
            log = Log(x[rows], arms, rewards, logged[rows, arms], 10, learned=False)
            yield WorldCase(log, chances[rows], float(right.mean()))


@cache
def _digits(floor: float, softness: float, together: bool) -> tuple[Array, IntArray, Array, Array]:
    from kernelbandits.paper.data_sets import digits_points

    x, labels = digits_points()
    order = np.random.default_rng(0).permutation(len(labels))
    x, labels = x[order], labels[order]
    first, second = int(0.15 * len(x)), int(0.3 * len(x))
    scores = []
    for rows in (slice(0, second),) * 2 if together else (slice(0, first), slice(first, second)):
        A = np.concatenate([np.ones((len(x), 1)), x], axis=1)
        gram = A[rows].T @ A[rows] + 3.0 * np.eye(A.shape[1])
        scores.append(A[second:] @ np.linalg.solve(gram, A[rows].T @ np.eye(10)[labels[rows]]))
    logged, chances = (np.eye(10)[each.argmax(axis=1)] for each in scores)
    return (
        x[second:],
        labels[second:],
        (1.0 - floor) * logged + floor / 10,
        (1.0 - softness) * chances + softness / 10,
    )
