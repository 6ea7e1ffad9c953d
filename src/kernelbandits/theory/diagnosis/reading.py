"""Contexts, arms and rewards from a file: CSV, compressed CSV, parquet or npz."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.errors import InvalidFile, nearest
from kernelbandits.tables.places import first, not_numeric, place
from kernelbandits.tables.reading import read_frame, refuse_empty
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What a file holds.

    Attributes:
        contexts: shape (n, d).
        columns: names of the features, d of them.
        arms: the arm played, shape (n,), numbers or texts; None without an arm column.
        rewards: shape (n,); None without a reward column.

    """

    contexts: Array
    columns: tuple[str, ...]
    arms: NDArray[Any] | None = None
    rewards: Array | None = None


def read_sample(
    path: Path,
    *,
    arm_column: str | None = None,
    reward_column: str | None = None,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> Sample:
    """The sample in a file. Features are `columns`, or all but arm, reward and `drop`; each must be numeric."""
    frame = read_frame(path)
    for name in (*columns, *drop, *(c for c in (arm_column, reward_column) if c is not None)):
        if name not in frame.columns:
            raise InvalidFile(f"{path.name} has no column {name!r}; {nearest(name, frame.columns)}")
    refuse_empty(path.name, frame)
    taken = {arm_column, reward_column, *drop}
    features = [name for name in dict.fromkeys(columns or frame.columns) if name not in taken]
    if not features:
        raise InvalidFile(f"{path.name} has no column left as a feature; it has {', '.join(frame.columns)}")
    for name in features if reward_column is None else [*features, reward_column]:
        _refuse_unusable(path, frame[name], is_feature=name != reward_column)
    arms = None if arm_column is None else _arms(path, frame[arm_column])
    rewards = None if reward_column is None else frame[reward_column].cast(pl.Float64).to_numpy().copy()
    contexts = np.empty((frame.height, len(features)))
    for j, name in enumerate(features):  # a column at a time: no second copy of the whole
        contexts[:, j] = frame[name].cast(pl.Float64).to_numpy()
    return Sample(contexts, tuple(features), arms, rewards)


def _refuse_unusable(path: Path, column: pl.Series, *, is_feature: bool) -> None:
    """Raise with row and column at the first entry that is not a finite number."""
    name = column.name
    if column.null_count() == len(column):
        raise InvalidFile(f"{path.name}: column {name!r} is empty throughout" + (_remedy(name) if is_feature else ""))
    if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        raise InvalidFile(f"{path.name}: {not_numeric(column)}" + (_remedy(name) if is_feature else ""))
    row = first(column.is_null())
    if row is not None:
        raise InvalidFile(f"{path.name}: {place(row, name)} is empty ({column.null_count()} such); fill or drop it")
    if not column.dtype.is_float():
        return
    row = first(~column.is_finite())
    if row is not None:
        raise InvalidFile(
            f"{path.name}: {place(row, name)} is {column[row]} ({int((~column.is_finite()).sum())} such); "
            "fill or drop it"
        )


def _remedy(name: str) -> str:
    return f"; encode it as numbers, leave it out with --drop {name!r}, or name the features with --columns"


def _arms(path: Path, column: pl.Series) -> NDArray[Any]:
    row = first(column.is_null())
    if row is not None:
        raise InvalidFile(f"{path.name}: {place(row, column.name)} has no arm ({column.null_count()} such)")
    if column.dtype.is_integer():
        return column.to_numpy().copy()
    return np.array(column.cast(pl.String).to_list())
