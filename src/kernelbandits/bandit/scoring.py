"""Scores of whole tables, in blocks of rows that do not depend on how the table is cut."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator

import numpy as np
import polars as pl

from kernelbandits.linalg import one_thread
from kernelbandits.policies import Agent, Scores
from kernelbandits.tables import Encoder
from kernelbandits.types import Array, ArrayLike

ENCODED, _SCORED = 16_384, 1024
"""Rows that are encoded and scored together: always as many, because the last bits of a product depend on its shape."""


def point_blocks(frame: pl.DataFrame, file: str, encoder: Encoder) -> Iterator[Array]:
    """Yield the encoded rows of a table in blocks, shape (at most 1,024, d), all of them checked first."""
    encoder.columns.refuse(frame, file)  # here, where the numbers of rows are those of the table
    for start in range(0, frame.height, ENCODED):
        points = encoder.transform_frame(frame[start : start + ENCODED], file)
        for first in range(0, len(points), _SCORED):
            yield points[first : first + _SCORED]


def shared(points: Array, n_arms: int) -> Array:
    """Contexts of shape (n, K, d) in which all arms show the same points (n, d)."""
    return np.repeat(points[:, np.newaxis], n_arms, axis=1)


def scored(
    agent: Agent,
    encoder: Encoder,
    frame: pl.DataFrame,
    file: str,
    eligible: Collection[str] | ArrayLike | None,
    lock: threading.RLock,
) -> pl.DataFrame:
    """Score all rows of a table; the lock is held for one block at a time."""
    parts: list[pl.DataFrame] = []
    for points in point_blocks(frame, file, encoder):
        with lock, one_thread():  # the last bit must not depend on the number of threads
            scores = agent.score(shared(points, agent.problem.n_arms), eligible)
            names, left = agent.problem.arms, np.flatnonzero(agent.active)
        if parts and parts[-1].width != 3 * len(left):
            return scored(agent, encoder, frame, file, eligible, lock)  # an arm came or went meanwhile
        parts.append(_frame(scores, [(names[arm], arm) for arm in left.tolist()]))
    return pl.concat(parts, rechunk=True)


def _frame(scores: Scores, arms: list[tuple[str, int]]) -> pl.DataFrame:
    kinds = (("mean", scores.means), ("deviation", scores.deviations), ("probability", scores.probabilities))
    return pl.DataFrame({f"{kind}_{name}": values[:, arm] for kind, values in kinds for name, arm in arms})
