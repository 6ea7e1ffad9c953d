"""When a batch learner fits again."""

from __future__ import annotations

GROWTH = 1.2
"""A batch learner fits again once it has a fifth more rewards: often enough, at a cost in proportion to one fit."""


def is_due(n_rewards: int, n_fitted: int, least: int = 1) -> bool:
    """Whether so many rewards call for a new fit, given how many the last one had (0: none yet)."""
    return n_rewards >= max(least, GROWTH * n_fitted) and n_rewards > n_fitted
