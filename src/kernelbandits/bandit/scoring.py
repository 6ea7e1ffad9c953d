"""Scores of whole tables, in blocks of rows that do not depend on how the table is cut."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator

import numpy as np
import polars as pl

from kernelbandits.linalg import one_thread
from kernelbandits.policies import Agent
from kernelbandits.tables import TableEncoder
from kernelbandits.types import Array, ArrayLike

_SCORED = 1024
"""Rows that are scored together: always the same number, because the last bits of a product depend on its shape."""
_MOST_ENCODED, _ENTRIES = 16_384, 2**23
"""Rows that are encoded together, and about how many entries they may have in all (64 MB)."""


def encoded_rows(encoder: TableEncoder) -> int:
    """Number of rows that are encoded together: a power of 2 that depends on the encoder alone."""
    fitting = 1 << (_ENTRIES // encoder.width).bit_length() - 1 if encoder.width < _ENTRIES else 1
    return min(max(fitting, _SCORED), _MOST_ENCODED)


def point_blocks(frame: pl.DataFrame, file: str, encoder: TableEncoder) -> Iterator[Array]:
    """Yield the encoded rows of a table in blocks, shape (at most 1,024, d), all of them checked first."""
    encoder.refuse(frame, file)  # here, where the numbers of rows are those of the table
    rows = encoded_rows(encoder)
    for start in range(0, frame.height, rows):
        points = encoder._transform_frame(frame[start : start + rows], f"{file}, after row {start:,}")
        for first in range(0, len(points), _SCORED):
            yield points[first : first + _SCORED]


def scored(
    agent: Agent,
    encoder: TableEncoder,
    frame: pl.DataFrame,
    file: str,
    eligible: Collection[str] | ArrayLike | None,
    lock: threading.RLock,
) -> pl.DataFrame:
    """Score all rows of a table; the lock is held for one block at a time."""
    names, left = agent.problem.arms, agent.active
    found, done = np.empty((len(_COLUMNS), np.count_nonzero(left), frame.height)), 0
    for points in point_blocks(frame, file, encoder):
        with lock, one_thread():  # the last bit must not depend on the number of threads
            if agent.problem.arms != names or not np.array_equal(agent.active, left):
                return scored(agent, encoder, frame, file, eligible, lock)  # an arm came or went meanwhile
            scores = agent.score(points, eligible)
        for part, field in zip(found, _COLUMNS.values(), strict=True):
            part[:, done : done + len(points)] = getattr(scores, field).T[left]
        done += len(points)
    shown = [name for name, stays in zip(names, left.tolist(), strict=True) if stays]
    titles = [f"{kind}_{name}" for kind in _COLUMNS for name in shown]
    return pl.DataFrame(dict(zip(titles, found.reshape(len(titles), -1), strict=True)))


_COLUMNS = {"mean": "means", "deviation": "deviations", "probability": "probabilities"}
"""How columns begin, and the field of `Scores` that they show."""
