"""Samples of the rewards, for estimates whose cost is cubic in their number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.pair_kernel import pairs_of
from kernelbandits.types import Array


class PairSample(NamedTuple):
    """Pairs of context and arm, shape (n, d + 1), and their rewards less the level of all arms, shape (n,)."""

    pairs: Array
    rewards: Array


def sample(data: ArmData, arms: list[int], most: int) -> PairSample:
    """About `most` rewards of these arms: all of an arm with few, equally many of each other arm, evenly spread."""
    counts = data.counts[arms]
    sizes = np.minimum(counts[:, np.newaxis], np.arange(1, most + 1)).sum(axis=0)
    each = max(int(np.searchsorted(sizes, most, side="right")), 2)
    parts = [data.thinned(arm, each) for arm in arms]
    return PairSample(pairs_of(arms, [X for X, _ in parts]), np.concatenate([y for _, y in parts]) - data.level)


def related(B: Array, arms: list[int]) -> list[list[int]]:
    """The arms in groups such that arms of different groups have no covariance, directly or through others."""
    touching = (B != 0.0) | np.eye(len(B), dtype=np.bool_)
    labels = np.arange(len(B))
    while True:
        lowest = np.where(touching, labels, len(B)).min(axis=1)
        if np.array_equal(lowest, labels):
            return [group for label in np.unique(labels) if (group := [arm for arm in arms if labels[arm] == label])]
        labels = lowest
