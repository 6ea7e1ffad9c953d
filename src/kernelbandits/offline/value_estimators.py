"""Estimators of a candidate's value. Each is one formula; w are weights, q̂ predictions, v̂ = Σ_a π(a|x) q̂(x, a).

An estimator returns one score per row. The mean of the scores is the estimate, and their spread is that of the
estimate, also for ratios, whose scores are linearised.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.offline.slope import chosen_threshold
from kernelbandits.offline.weighted_rows import WeightedRows
from kernelbandits.specs import Positive, Probability, Spec
from kernelbandits.types import Array


class ValueEstimator(Spec, ABC):
    """How to estimate what a candidate would have earned per row. See also `evaluate`, `DoublyRobust`.

    >>> [each.unbiased for each in (DoublyRobust(), InversePropensity(), ClippedWeights(), DirectMethod())]
    [True, True, False, False]
    """

    __slots__ = ()

    needs_model: bool = False
    """Whether it uses a reward model."""
    unbiased: bool = False
    """Whether its mean is the value (nearly, for ratios) if propensities are right; else intervals leave bias out."""

    @abstractmethod
    def scores(self, rows: WeightedRows) -> Array:
        """One score per row, shape (n,); their mean is the estimate."""

    def value(self, rows: WeightedRows) -> float:
        """The estimate."""
        return float(self.scores(rows).mean())


@final
@dataclass(frozen=True, slots=True)
class Replay(ValueEstimator):
    """Σ π r / Σ π over the rows: the mean reward where candidate and log agree (Li, Chu, Langford & Wang 2011).
    See also `evaluate`, `ClippedWeights`.

    For logs whose arms were drawn uniformly, because no propensity enters; elsewhere it is biased.

    >>> rows = WeightedRows(*np.array([[4, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 1], [0.5] * 4, [0.5] * 4]))
    >>> round(Replay().value(rows), 2)
    0.33
    """

    def scores(self, rows: WeightedRows) -> Array:
        return _ratio(rows.chances, rows.rewards)


@final
@dataclass(frozen=True, slots=True)
class InversePropensity(ValueEstimator):
    """Mean of w r (Horvitz & Thompson 1952). See also `evaluate`, `DoublyRobust`.

    >>> rows = WeightedRows(*np.array([[4, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 1], [0.5] * 4, [0.5] * 4]))
    >>> round(InversePropensity().value(rows), 2)
    1.0
    """

    unbiased = True

    def scores(self, rows: WeightedRows) -> Array:
        return rows.weights * rows.rewards


@final
@dataclass(frozen=True, slots=True)
class SelfNormalized(ValueEstimator):
    """Σ w r / Σ w (Hájek 1971; Swaminathan & Joachims 2015): it shifts as the rewards do.
    See also `evaluate`, `InversePropensity`.

    >>> rows = WeightedRows(*np.array([[4, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 1], [0.5] * 4, [0.5] * 4]))
    >>> round(SelfNormalized().value(rows), 2)
    0.67
    """

    unbiased = True

    def scores(self, rows: WeightedRows) -> Array:
        return _ratio(rows.weights, rows.rewards)


@final
@dataclass(frozen=True, slots=True)
class ClippedWeights(ValueEstimator):
    """Mean of min(w, λ) r (Ionides 2008). Without a threshold λ, SLOPE chooses it.
    See also `evaluate`, `DirectMethod`.

    Attributes:
        threshold: λ; a larger weight counts as this one. None lets SLOPE choose.

    >>> rows = WeightedRows(*np.array([[4, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 1], [0.5] * 4, [0.5] * 4]))
    >>> round(ClippedWeights(threshold=2.0).value(rows), 2)
    0.5
    """

    threshold: Positive | None = None

    def scores(self, rows: WeightedRows) -> Array:
        return chosen_threshold(self.threshold, rows.weights, lambda c: np.minimum(rows.weights, c) * rows.rewards)


@final
@dataclass(frozen=True, slots=True)
class SubGaussianWeights(ValueEstimator):
    """Mean of w r / (1 − λ + λ w) (Metelli, Russo & Restelli 2021). See also `evaluate`, `SubGaussianDoublyRobust`.

    Attributes:
        shrinkage: λ, above 0 and below 1; no weight counts for more than 1/λ.

    >>> rows = WeightedRows(*np.array([[4, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 1], [0.5] * 4, [0.5] * 4]))
    >>> round(SubGaussianWeights(shrinkage=0.1).value(rows), 2)
    0.77
    """

    shrinkage: Probability = 0.01

    def scores(self, rows: WeightedRows) -> Array:
        return _harmonic(rows.weights, self.shrinkage) * rows.rewards


@final
@dataclass(frozen=True, slots=True)
class DirectMethod(ValueEstimator):
    """Mean of v̂: what the reward model predicts, with its bias (Beygelzimer & Langford 2009).
    See also `evaluate`, `SelfNormalized`.

    >>> rows = WeightedRows(*np.array([[4, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 1], [0.5] * 4, [0.5] * 4]))
    >>> round(DirectMethod().value(rows), 2)
    0.5
    """

    needs_model = True

    def scores(self, rows: WeightedRows) -> Array:
        return rows.expected


@final
@dataclass(frozen=True, slots=True)
class DoublyRobust(ValueEstimator):
    """Mean of v̂ + w (r − q̂) (Robins, Rotnitzky & Zhao 1994; Dudík, Langford & Li 2011).
    See also `evaluate`, `ValueEstimator`.

    >>> rows = WeightedRows(*np.array([[4, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 1], [0.5] * 4, [0.5] * 4]))
    >>> round(DoublyRobust().value(rows), 2)
    0.75
    """

    needs_model = True
    unbiased = True

    def scores(self, rows: WeightedRows) -> Array:
        return rows.expected + rows.weights * (rows.rewards - rows.predicted)


@final
@dataclass(frozen=True, slots=True)
class SelfNormalizedDoublyRobust(ValueEstimator):
    """Mean of v̂, plus Σ w (r − q̂) / Σ w (Kallus & Uehara 2019). See also `evaluate`, `Replay`.

    >>> rows = WeightedRows(*np.array([[4, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 1], [0.5] * 4, [0.5] * 4]))
    >>> round(SelfNormalizedDoublyRobust().value(rows), 2)
    0.67
    """

    needs_model = True
    unbiased = True

    def scores(self, rows: WeightedRows) -> Array:
        return rows.expected + _ratio(rows.weights, rows.rewards - rows.predicted)


@final
@dataclass(frozen=True, slots=True)
class SwitchDoublyRobust(ValueEstimator):
    """Mean of v̂ + 1{w ≤ τ} w (r − q̂) (Wang, Agarwal & Dudík 2017). Without a threshold τ, SLOPE chooses it.
    See also `evaluate`, `SubGaussianWeights`.

    Attributes:
        threshold: τ; a row with a larger weight counts with what the model predicts alone. None lets SLOPE choose.

    >>> rows = WeightedRows(*np.array([[4, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 1], [0.5] * 4, [0.5] * 4]))
    >>> round(SwitchDoublyRobust(threshold=2.0).value(rows), 2)
    0.25
    """

    threshold: Positive | None = None

    needs_model = True

    def scores(self, rows: WeightedRows) -> Array:
        error = rows.weights * (rows.rewards - rows.predicted)
        return chosen_threshold(
            self.threshold, rows.weights, lambda c: rows.expected + np.where(rows.weights <= c, error, 0.0)
        )


@final
@dataclass(frozen=True, slots=True)
class ShrunkDoublyRobust(ValueEstimator):
    """Mean of v̂ + ŵ (r − q̂) with ŵ = λ w / (w² + λ), optimistic shrinkage. Without λ, SLOPE chooses it.
    See also `evaluate`, `SelfNormalizedDoublyRobust`.

    Su, Dimakopoulou, Krishnamurthy & Dudík (2020).

    Attributes:
        shrinkage: λ > 0; no weight counts for more than √λ/2, and a large λ is `DoublyRobust`. None: SLOPE chooses.

    >>> rows = WeightedRows(*np.array([[4, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 1], [0.5] * 4, [0.5] * 4]))
    >>> round(ShrunkDoublyRobust(shrinkage=4.0).value(rows), 2)
    0.4
    """

    shrinkage: Positive | None = None

    needs_model = True

    def scores(self, rows: WeightedRows) -> Array:
        w, error = rows.weights, rows.rewards - rows.predicted
        root = None if self.shrinkage is None else float(np.sqrt(self.shrinkage))
        return chosen_threshold(root, w, lambda c: rows.expected + c * c * w / (w * w + c * c) * error)


@final
@dataclass(frozen=True, slots=True)
class SubGaussianDoublyRobust(ValueEstimator):
    """Mean of v̂ + w (r − q̂) / (1 − λ + λ w) (Metelli, Russo & Restelli 2021).
    See also `evaluate`, `ShrunkDoublyRobust`.

    Attributes:
        shrinkage: λ, above 0 and below 1; no weight counts for more than 1/λ.

    >>> rows = WeightedRows(*np.array([[4, 1, 0, 1], [1, 0, 1, 0], [1, 1, 0, 1], [0.5] * 4, [0.5] * 4]))
    >>> round(SubGaussianDoublyRobust(shrinkage=0.1).value(rows), 2)
    0.63
    """

    shrinkage: Probability = 0.01

    needs_model = True

    def scores(self, rows: WeightedRows) -> Array:
        return rows.expected + _harmonic(rows.weights, self.shrinkage) * (rows.rewards - rows.predicted)


ALL_ESTIMATORS: tuple[ValueEstimator, ...] = (
    DoublyRobust(),
    SelfNormalizedDoublyRobust(),
    InversePropensity(),
    SelfNormalized(),
    ClippedWeights(),
    SubGaussianWeights(),
    DirectMethod(),
    SwitchDoublyRobust(),
    ShrunkDoublyRobust(),
    SubGaussianDoublyRobust(),
    Replay(),
)


def _ratio(weights: Array, values: Array) -> Array:
    """Scores of Σ w y / Σ w = R: R + w (y − R)/w̄. If all weights are 0, so are the scores."""
    mean = float(weights.mean())
    if mean == 0.0:
        return np.zeros(len(weights))
    ratio = float(weights @ values) / (mean * len(weights))
    return ratio + weights * (values - ratio) / mean


def _harmonic(weights: Array, shrinkage: float) -> Array:
    return weights / (1.0 - shrinkage + shrinkage * weights)
