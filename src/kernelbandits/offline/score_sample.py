"""Scores as intervals see them: few points that stand for many rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from kernelbandits.reporting import short_repr
from kernelbandits.types import Array, IntArray

_MIDDLE, _TAIL = 240, 80


@final
@dataclass(frozen=True, slots=True, eq=False)
class ScoreSample:
    """Scores of the rows of a log, whose mean is wanted."""

    scores: Array  # one per row in the order of the log, shape (n,); given the past, each has the value as its mean
    importances: Array  # what each row counts, known before its reward, shape (n,); constant within `parts`
    parts: IntArray  # first rows of the parts of the log within which importances are constant, and n at the end
    extremes: tuple[float, float]  # scores of a row with a typical weight and the smallest and largest possible reward
    limits: tuple[float, float]  # the smallest and the largest possible value
    effective_size: float  # how many rows count

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def value(self) -> float:
        """The mean of the scores, each counted by its importance."""
        return float(self.importances @ self.scores / self.importances.sum())

    def points(self) -> ScorePoints:
        """The scores as few points: within each part, neighbours in size are joined, but not the most extreme ones."""
        n_parts = len(self.parts) - 1
        middle, tail = max(_MIDDLE // n_parts, 30), max(_TAIL // n_parts, 15)
        joined = [joined_neighbours(self.scores[a:b], middle, tail) for a, b in pairwise(self.parts.tolist())]
        values, counts = (np.concatenate(each) for each in zip(*joined, strict=True))
        importances = np.repeat(self.importances[self.parts[:-1]], [len(part) for part, _ in joined])
        return ScorePoints(values, importances, counts)


@final
@dataclass(frozen=True, slots=True, eq=False)
class ScorePoints:
    """Values with their importances, and the number of rows that each stands for; each of shape (m,)."""

    values: Array
    importances: Array
    counts: Array

    def with_one(self, value: float) -> ScorePoints:
        """The points with one more row of average importance."""
        mean = float(self.counts @ self.importances / self.counts.sum())
        return ScorePoints(
            np.append(self.values, value), np.append(self.importances, mean), np.append(self.counts, 1.0)
        )

    @property
    def mean(self) -> float:
        weights = self.counts * self.importances
        return float(weights @ self.values / weights.sum())

    @property
    def standard_error(self) -> float:
        spread = self.counts @ np.square(self.importances * (self.values - self.mean))
        return float(np.sqrt(spread) / (self.counts @ self.importances))


def joined_neighbours(values: Array, middle: int, tail: int) -> tuple[Array, Array]:
    """Return at most middle + 2 · tail points and how many values each is the mean of; the tails stay as they are."""
    n = len(values)
    if n <= middle + 2 * tail:
        return values, np.ones(n)
    sorted_values = np.sort(values)
    inner = sorted_values[tail : n - tail]
    edges = np.linspace(0, len(inner), middle + 1).astype(np.int64)
    sizes = np.diff(edges).astype(np.float64)
    means = np.add.reduceat(inner, edges[:-1]) / sizes
    ones = np.ones(tail)
    return (
        np.concatenate([sorted_values[:tail], means, sorted_values[n - tail :]]),
        np.concatenate([ones, sizes, ones]),
    )
