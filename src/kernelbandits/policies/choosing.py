"""Choosing the best-scored arm, ties broken by chance."""

from __future__ import annotations

import numpy as np

from kernelbandits.policies.base import Choice
from kernelbandits.types import Array, BoolArray

TIE = 1e-10
"""Scores this close, relative to their size, are equal: rounding must not decide between arms that are the same."""


def mask_scores(scores: Array, eligible: BoolArray | None) -> Array:
    """Scores with −∞ for arms that are not eligible."""
    return scores if eligible is None else np.where(eligible, scores, -np.inf)


def pick_best(scores: Array, eligible: BoolArray | None, rng: np.random.Generator) -> Choice:
    """The arm with the largest score; of several, each with the same probability. Not an exploring choice."""
    scores = mask_scores(scores, eligible)
    arm = int(scores.argmax())
    best = float(scores[arm])
    tied = scores >= best - TIE * max(1.0, abs(best))
    n_tied = int(np.count_nonzero(tied))
    if n_tied > 1:
        arm = int(rng.choice(np.flatnonzero(tied)))
    return Choice(arm, 1.0 / n_tied, scores, explored=False)
