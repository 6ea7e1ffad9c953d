"""Predictions of arms that are not learned any more, for one round, announced rounds, or a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import numpy as np

from kernelbandits.kernels import StackedExpansions
from kernelbandits.policies.base import Decisions
from kernelbandits.policies.choosing import best_arms
from kernelbandits.types import Array, BoolArray


@final
class Commitment:
    """f̂⁽ⁱ⁾ of every arm, and its values at announced contexts, worked out when first asked for.

    `together` is all of them as one function of contexts (K, d), if there is one: faster for a single round.
    """

    __slots__ = ("_ahead", "_ahead_scores", "_functions", "_together")

    def __init__(self, functions: Sequence[Callable[[Array], Array]], together: StackedExpansions | None) -> None:
        self._functions = functions
        self._together = together
        self._ahead: Array | None = None
        self._ahead_scores: Array | None = None

    def look_ahead(self, contexts: Array | None) -> None:
        """Contexts that will come, shape (B, K, d), None to forget them."""
        self._ahead, self._ahead_scores = contexts, None

    def scores(self, contexts: Array, row: int | None) -> Array:
        """f̂⁽ⁱ⁾(x⁽ⁱ⁾) for every arm, shape (K,)."""
        if row is None or self._ahead is None:
            if self._together is not None:
                return self._together(contexts)
            alone: Array = self._predict(contexts[np.newaxis])[0]
            return alone
        if self._ahead_scores is None:
            self._ahead_scores = self._predict(self._ahead)
        scores: Array = self._ahead_scores[row]
        return scores

    def decide_batch(self, contexts: Array, eligible: BoolArray | None, rng: np.random.Generator) -> Decisions:
        """The best arms of B rounds, contexts of shape (B, K, d)."""
        scores = self._predict(contexts)
        if eligible is not None:
            scores = np.where(eligible, scores, -np.inf)
        arms, propensities = best_arms(scores, rng)
        return Decisions(0, arms, propensities, scores, np.zeros(len(arms), dtype=bool))

    def _predict(self, contexts: Array) -> Array:
        """Predictions for contexts of shape (B, K, d), shape (B, K)."""
        return np.stack([function(contexts[:, arm]) for arm, function in enumerate(self._functions)], axis=1)
