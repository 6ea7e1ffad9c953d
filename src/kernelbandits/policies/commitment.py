"""Predictions of arms after a commitment, for one round, prefetched rounds, or a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

import numpy as np

from kernelbandits.beliefs import Prefetched
from kernelbandits.kernels import StackedExpansions
from kernelbandits.policies.decisions import Decisions
from kernelbandits.policies.selection import best_arms
from kernelbandits.types import Array, BoolArray


@final
class Commitment:
    """f̂⁽ⁱ⁾ of every arm, and its values at prefetched contexts, computed when first asked for.

    `together` is all of them as one function of contexts (K, d), if there is one: faster for a single round.
    """

    __slots__ = ("_block", "_functions", "_prefetched", "_together")

    def __init__(self, functions: Sequence[Callable[[Array], Array]], together: StackedExpansions | None) -> None:
        self._functions = functions
        self._together = together
        self._block: Prefetched | None = None
        self._prefetched: Array | None = None

    def prefetch(self, block: Prefetched | None) -> None:
        """Prepare for the rounds of a block; None forgets them."""
        self._block, self._prefetched = block, None

    def scores(self, contexts: Array) -> Array:
        """f̂⁽ⁱ⁾(x⁽ⁱ⁾) for every arm, shape (K,)."""
        if self._block is not None and (row := self._block.row_of(contexts)) is not None:
            if self._prefetched is None:
                self._prefetched = self._predict(self._block.contexts)
            prefetched: Array = self._prefetched[row]
            return prefetched
        if self._together is not None:
            return self._together(contexts)
        alone: Array = self._predict(contexts[np.newaxis])[0]
        return alone

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
