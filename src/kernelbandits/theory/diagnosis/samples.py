"""Contexts, arms and rewards from a file, and features scaled as in the paper's designs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits import checks
from kernelbandits.errors import InvalidFile
from kernelbandits.tables import LEVEL, Encoding, moments, numbers_in, read_frame, refuse_gaps
from kernelbandits.types import Array, ArrayLike


@final
@dataclass(frozen=True, slots=True, eq=False)
class ContextSample:
    """Contexts (n, d) with the names of their features, and arms and rewards (n,) where they are known.

    `notes` says what was done to missing values and texts, in at most one line.
    """

    contexts: Array
    columns: tuple[str, ...]
    arms: NDArray[Any] | None
    rewards: Array | None
    notes: tuple[str, ...]


def read_sample(
    path: Path,
    *,
    arm_column: str | None = None,
    reward_column: str | None = None,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> ContextSample:
    """Read a file. Features are `columns`, or all but arm, reward and `drop`.

    Numbers stay as they are. Missing values and texts are encoded as in an experiment, but not scaled.
    """
    encoding = Encoding(columns=tuple(columns), drop=tuple(drop))
    frame = read_frame(path, encoding.missing)
    taken = [name for name in (arm_column, reward_column) if name is not None]
    features = frame.select(encoding.features(frame.columns, taken, path.name))
    found = encoding.number(features, path.name)
    notes = ("; ".join(found.notes),) if found.notes else ()
    if not found.names:
        raise InvalidFile(f"{path.name} has no usable feature ({'; '.join(notes)}); name others with --columns")
    arms = None if arm_column is None else _arms(path, frame[arm_column])
    rewards = None if reward_column is None else numbers_in(frame[reward_column], path.name)
    return ContextSample(found.transform(features), found.names, arms, rewards, notes)


def _arms(path: Path, column: pl.Series) -> NDArray[Any]:
    refuse_gaps(column, path.name)
    if column.dtype.is_integer():
        return column.to_numpy().copy()
    return np.array(column.cast(pl.String).to_list())


@final
@dataclass(frozen=True, slots=True, eq=False)
class Standardised:
    """X = (raw − mean) · scale, by column, scale 0 for a column that does not vary. Do the same to later contexts."""

    contexts: Array
    mean: Array
    scale: Array


def standardise(X: ArrayLike) -> Standardised:
    """Scale every column to mean 0 and one common variance, such that ‖x‖²/d averages ½.

    Columns that do not vary become 0. If all d columns vary, each has variance ½.

    >>> standardise([[0.0, 7.0], [10.0, 7.0]]).contexts
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    points = checks.points("X", X)
    mean, std, varies = moments(points)
    common = np.sqrt(LEVEL * len(std) / max(int(varies.sum()), 1))
    scale = np.where(varies, common / np.where(varies, std, 1.0), 0.0)
    return Standardised((points - mean) * scale, mean, scale)
