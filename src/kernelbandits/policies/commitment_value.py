"""The value of a commitment, from leave-one-out predictions: no distribution is assumed, nothing is fitted.

Every arm has its own context in a round, so any past draws, one of each arm, form a possible round: predictions p⁽ⁱ⁾ⱼ,
made without that draw, and rewards y⁽ⁱ⁾ⱼ. Averages over all n₁ ⋯ n_K such rounds have closed forms in the arms'
empirical distribution functions. They are unbiased for future rounds with predictions from n − 1 draws per arm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np

from kernelbandits.types import Array

Pairs = Sequence[tuple[Array, Array]]
"""(predictions, rewards) of every arm, arrays of shape (nᵢ,)."""


@final
class CommitmentValue(NamedTuple):
    """Mean over rounds of the best reward, and of the reward of the arm with the best prediction."""

    best: float
    committed: float


def commitment_value(pairs: Pairs) -> CommitmentValue:
    """Averages over all rounds that the arms' draws can form: O(n K log n) for n draws in all."""
    return CommitmentValue(_mean_of_largest([rewards for _, rewards in pairs]), _mean_of_chosen(pairs))


def _mean_of_largest(samples: Sequence[Array]) -> float:
    """E max of one draw from each sample: P(max ≤ v) = Πₖ Fₖ(v)."""
    values = np.unique(np.concatenate(samples))
    below = np.ones(len(values))
    for sample in samples:
        below *= np.searchsorted(np.sort(sample), values, side="right") / len(sample)
    return float(values @ np.diff(below, prepend=0.0))


def _mean_of_chosen(pairs: Pairs) -> float:
    """E of the reward whose prediction is the largest."""
    weights = _chances_of_draws([predictions for predictions, _ in pairs])
    return float(weights @ np.concatenate([rewards for _, rewards in pairs]))


def chances(samples: Sequence[Array]) -> Array:
    """Probability that a draw from each sample is the largest, shape (K,)."""
    edges = np.cumsum([0] + [len(sample) for sample in samples[:-1]])
    chance: Array = np.add.reduceat(_chances_of_draws(samples), edges)
    return chance


def _chances_of_draws(samples: Sequence[Array]) -> Array:
    """Probability of each draw to come up and be the largest, Πₖ≠ᵢ Fₖ(s⁽ⁱ⁾ⱼ)/nᵢ, one sample after the other.

    A tie counts as half below in F. That is exact for ties of two; all is scaled to sum to 1 for ties of more.
    """
    draws = np.concatenate(samples)
    weights = np.ones(len(draws))
    start = 0
    for sample in samples:
        stop, ordered = start + len(sample), np.sort(sample)
        below = np.searchsorted(ordered, draws, side="left") + np.searchsorted(ordered, draws, side="right")
        share = below / (2.0 * len(sample))
        share[start:stop] = 1.0 / len(sample)
        weights *= share
        start = stop
    scaled: Array = weights / weights.sum()
    return scaled
