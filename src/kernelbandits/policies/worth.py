"""What a commitment would be worth, from leave-one-out predictions: no distribution is assumed, nothing is fitted.

A round shows every arm a context of its own, so a round can be put together from any past draw of each arm: prediction
p⁽ⁱ⁾ⱼ, made without that draw, and reward y⁽ⁱ⁾ⱼ. Averages over all n₁ ⋯ n_K such rounds have closed forms in the arms'
empirical distribution functions, and they are unbiased for rounds to come, for predictions from n − 1 draws an arm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np

from kernelbandits.types import Array

Pairs = Sequence[tuple[Array, Array]]
"""(predictions, rewards) of every arm, arrays of shape (nᵢ,)."""


@final
class Worth(NamedTuple):
    """Mean rewards of a round: of the best reward, of the arm with the best prediction, and of an arm in turn."""

    best: float
    committed: float
    explored: float

    @property
    def commit_regret(self) -> float:
        """Regret of a round after the commitment."""
        return self.best - self.committed

    @property
    def explore_regret(self) -> float:
        """Regret of a round of exploration."""
        return self.best - self.explored


def worth(pairs: Pairs) -> Worth:
    """Averages over all rounds that can be put together from the arms' draws: O(n K log n) for n draws in all."""
    explored = float(np.mean([rewards.mean() for _, rewards in pairs]))
    return Worth(_mean_of_largest([rewards for _, rewards in pairs]), _mean_of_chosen(pairs), explored)


def _mean_of_largest(samples: Sequence[Array]) -> float:
    """E max of one draw from each sample: P(max ≤ v) = Πₖ Fₖ(v)."""
    values = np.unique(np.concatenate(samples))
    below = np.ones(len(values))
    for sample in samples:
        below *= np.searchsorted(np.sort(sample), values, side="right") / len(sample)
    return float(values @ np.diff(below, prepend=0.0))


def _mean_of_chosen(pairs: Pairs) -> float:
    """E of the reward whose prediction is the largest: Σᵢⱼ y⁽ⁱ⁾ⱼ/nᵢ Πₖ≠ᵢ Fₖ(p⁽ⁱ⁾ⱼ).

    A tie counts as half below in F. That is exact for ties of two; weights are scaled to sum to 1 for ties of more.
    """
    predictions, rewards = (np.concatenate(part) for part in zip(*pairs, strict=True))
    weights = np.ones(len(predictions))
    start = 0
    for own, _ in pairs:
        stop, ordered = start + len(own), np.sort(own)
        below = np.searchsorted(ordered, predictions, side="left") + np.searchsorted(ordered, predictions, side="right")
        share = below / (2.0 * len(own))
        share[start:stop] = 1.0 / len(own)
        weights *= share
        start = stop
    return float(weights @ rewards / weights.sum())
