"""Widths of confidence with which optimism returns to every arm."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits.beliefs import LearningTracker
from kernelbandits.policies.propensities import normal_quantiles
from kernelbandits.types import Array


@final
class ReturningWidths:
    """Quantiles q = Φ⁻¹(1 − nᵢ/t) for the levels of arms, and `width` for what rewards elsewhere cannot tell.

    What is beyond the level has a width between both, by how much contexts tell about each other, but at most
    `width` · max(q, 1): the more contexts tell, the fewer of them have to be explored.
    """

    __slots__ = ("_tracker", "_width")
    _tracker: LearningTracker
    _width: float

    def __init__(self, tracker: LearningTracker, width: float) -> None:
        self._tracker = tracker
        self._width = width

    def times(self, std: Array) -> Array:
        """Deviations of shape (…, K), each part of them times its width."""
        counts, (levels, reach) = self._tracker.counts, self._tracker.learnable()
        quantiles = normal_quantiles(np.maximum(counts, 1) / max(int(counts.sum()), 2))
        widths = np.maximum(quantiles - self._width, 0.0)
        widths *= reach
        widths += self._width
        np.minimum(widths, self._width * np.maximum(quantiles, 1.0), out=widths)
        variances = std * std
        levels = np.minimum(levels, variances)
        variances -= levels
        variances *= widths * widths
        quantiles *= quantiles
        variances += quantiles * levels
        wide: Array = np.sqrt(variances)
        return wide
