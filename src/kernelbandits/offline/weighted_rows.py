"""What a log says about candidates, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class WeightedRows:
    """The rows of a log as a candidate sees them, each array of shape (n,).

    Attributes:
        weights: π(a|x)/h(a|x) of the arm that was played.
        rewards: its reward.
        chances: π(a|x), with which the candidate would have played it.
        predicted: q̂(x, a), what a reward model predicts of it; 0 without a model.
        expected: v̂ = Σ_a π(a|x) q̂(x, a), what the model predicts of the candidate; 0 without a model.

    >>> rows = WeightedRows(*np.array([[4, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 1], [0.5] * 4, [0.5] * 4]))
    >>> rows.effective_size, InversePropensity().value(rows)
    (2.0, 1.0)

    See also `evaluate`, `SwitchDoublyRobust`, `SubGaussianWeights`.
    """

    weights: Array
    rewards: Array
    chances: Array
    predicted: Array
    expected: Array

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def effective_size(self) -> float:
        """(Σw)²/Σw²: as many rows that the candidate itself had written would tell about as much (Kish 1965)."""
        total = float(self.weights.sum())
        return total**2 / float(np.square(self.weights).sum()) if total > 0.0 else 0.0

    @property
    def typical_weight(self) -> float:
        """(s₂²s₃)^⅓ for s₂ = Σw²/Σw, the mean weight of rows that count, and s₃ = Σw³/Σw², of those that decide most.

        A further row would have a weight between the two. With s₂ alone, intervals of logs with few, large weights
        covered in 93 to 95 % of the study's logs; with s₃ alone, those of rare rewards were twice as wide as needed.
        """
        return _typical(self.weights) or 1.0

    @property
    def most_changes(self) -> float:
        """An upper bound of the share of decisions in which the candidate departs from the log, E max(1 − w, 0).

        These terms are between 0 and 1, so their mean is known well also where large weights are few. Three standard
        errors and three rows are added: of a share of 3/n a log shows nothing with a probability of 1/20.
        """
        lack = np.maximum(1.0 - self.weights, 0.0)
        return min(float(lack.sum() + 3.0 * np.sqrt(np.square(lack).sum()) + 3.0) / len(self), 1.0)

    def some(self, most: int) -> WeightedRows:
        """At most so many rows, evenly spaced."""
        step = -(-len(self) // most)
        return WeightedRows(*(column[::step] for column in self._columns))

    def with_typical(self, rewards: Sequence[float], weight: float) -> WeightedRows:
        """The rows, and one more for each of some rewards: of this weight and average predictions."""
        m, counted = len(rewards), float(self.weights.sum())
        predicted = float(self.weights @ self.predicted) / counted if counted else float(self.predicted.mean())
        added = (weight, 0.0, float(self.chances.mean()), predicted, float(self.expected.mean()))
        joined = [np.append(column, np.full(m, value)) for column, value in zip(self._columns, added, strict=True)]
        joined[1][-m:] = rewards
        return WeightedRows(*joined)

    @property
    def _columns(self) -> tuple[Array, ...]:
        return self.weights, self.rewards, self.chances, self.predicted, self.expected


def typical_changes(changes: Array) -> tuple[float, float]:
    """Return by how much a typical row counts more for one candidate than for another, and by how much less.

    Rows that count the same for both say nothing of their difference, however many they are. Changes average 0, so
    where no row counts more, one is missing that makes up for all that count less.
    """
    more, less = np.maximum(changes, 0.0), np.maximum(-changes, 0.0)
    return _typical(more) or float(less.sum()), _typical(less) or float(more.sum())


def _typical(weights: Array) -> float:
    """(s₂²s₃)^⅓ for s₂ = Σw²/Σw and s₃ = Σw³/Σw²; 0 if all weights are 0."""
    first, second, third = (float((weights**power).sum()) for power in (1, 2, 3))
    return ((second / first) ** 2 * (third / second)) ** (1.0 / 3.0) if first > 0.0 else 0.0
