"""Contexts, arms and rewards from a file: CSV, compressed CSV or parquet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.errors import InvalidFile, nearest
from kernelbandits.types import Array

_SNIFFED = 1000


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
    frame = _frame(path)
    if all(_is_number(name) for name in frame.columns):
        raise InvalidFile(
            f"{path.name} has no header: its first row is {', '.join(frame.columns[:3])} …; name the columns"
        )
    for name in (*columns, *drop, *(c for c in (arm_column, reward_column) if c is not None)):
        if name not in frame.columns:
            raise InvalidFile(f"{path.name} has no column {name!r}; {nearest(name, frame.columns)}")
    if frame.height == 0:
        raise InvalidFile(f"{path.name} has a header but no rows; expected one row per context")
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


def _frame(path: Path) -> pl.DataFrame:
    if not path.is_file():
        raise InvalidFile(f"no such file: {path}; give a .csv, .csv.gz or .parquet file")
    name = path.name.lower()
    if not name.endswith((".csv", ".csv.gz", ".parquet")):
        raise InvalidFile(f"{path.name}: expected a file that ends in .csv, .csv.gz or .parquet")
    try:
        return pl.read_parquet(path) if name.endswith(".parquet") else _csv(path)
    except pl.exceptions.NoDataError as error:
        raise InvalidFile(f"{path.name} is empty; expected a header and one row per context") from error
    except pl.exceptions.PolarsError as error:
        raise InvalidFile(f"{path.name} cannot be read: {str(error).strip().splitlines()[0]}") from error


def _csv(path: Path) -> pl.DataFrame:
    try:
        return pl.read_csv(path, infer_schema_length=_SNIFFED)
    except pl.exceptions.NoDataError:
        raise
    except pl.exceptions.ComputeError:  # a later row has another type than the first thousand: look at all of them
        return pl.read_csv(path, infer_schema_length=None)


def _refuse_unusable(path: Path, column: pl.Series, *, is_feature: bool) -> None:
    """Raise with row and column at the first entry that is not a finite number."""
    name = column.name
    if column.null_count() == len(column):
        raise InvalidFile(f"{path.name}: column {name!r} is empty throughout" + (_remedy(name) if is_feature else ""))
    if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        raise InvalidFile(f"{path.name}: {_not_numeric(column)}" + (_remedy(name) if is_feature else ""))
    row = _first(column.is_null())
    if row is not None:
        raise InvalidFile(f"{path.name}: {_place(row, name)} is empty ({column.null_count()} such); fill or drop it")
    if not column.dtype.is_float():
        return
    row = _first(~column.is_finite())
    if row is not None:
        raise InvalidFile(
            f"{path.name}: {_place(row, name)} is {column[row]} ({int((~column.is_finite()).sum())} such); "
            "fill or drop it"
        )


def _not_numeric(column: pl.Series) -> str:
    if column.dtype == pl.String:
        numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
        if 2 * (len(numbers) - numbers.null_count()) > len(numbers):  # numbers, but for a few entries
            row = _first(numbers.is_null())
            if row is None:
                return f"column {column.name!r} holds numbers with blanks around them"
            return f"{_place(row, column.name)} is {column[row]!r}, not a number"
    return f"column {column.name!r} is not numeric (type {column.dtype}, first {column[0]!r})"


def _remedy(name: str) -> str:
    return f"; encode it as numbers, leave it out with --drop {name!r}, or name the features with --columns"


def _arms(path: Path, column: pl.Series) -> NDArray[Any]:
    row = _first(column.is_null())
    if row is not None:
        raise InvalidFile(f"{path.name}: {_place(row, column.name)} has no arm ({column.null_count()} such)")
    if column.dtype.is_integer():
        return column.to_numpy().copy()
    return np.array(column.cast(pl.String).to_list())


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _first(mask: pl.Series) -> int | None:
    return int(mask.arg_max() or 0) if mask.any() else None


def _place(row: int, name: str) -> str:
    return f"row {row + 1} (the first below the header is 1), column {name!r}"
