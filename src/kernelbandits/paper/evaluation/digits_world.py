"""Digits as a bandit, for coverage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from kernelbandits.offline import Log
from kernelbandits.paper.evaluation.world import LoggedWorld, WorldCase, drawn
from kernelbandits.specs import Count, Positive
from kernelbandits.types import Array, IntArray


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

    @property
    def learned(self) -> bool:
        return False

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
    from kernelbandits.paper.data_sets import digits_points

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
