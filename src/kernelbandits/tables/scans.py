"""Tables larger than memory: parquet or CSV, read a block of rows at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.errors import InvalidFile, nearest
from kernelbandits.tables.places import place
from kernelbandits.types import Array

_BLOCK_VALUES = 2**22
_SNIFFED = 1000


class Block(NamedTuple):
    """Rows of a table: features of shape (n, d), rewards and arms of shape (n,); None without a column of arms."""

    X: Array
    y: Array
    arms: NDArray[Any] | None


@final
@dataclass(frozen=True, slots=True)
class Scan:
    """A table on disk with the names of its columns. Nothing of it is held.

    Attributes:
        name: of the file, for messages.
        frame: the polars scan.
        n: number of rows.
        features: names of the d feature columns.
        reward: name of the column of targets.
        arm: name of the column of arms, or None.

    """

    name: str
    frame: pl.LazyFrame
    n: int
    features: tuple[str, ...]
    reward: str
    arm: str | None

    @property
    def dim(self) -> int:
        """Number of features d."""
        return len(self.features)

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[Block]:
        """The rows from `start` to `stop`, a block of about 32 MB at a time, checked."""
        stop = self.n if stop is None else min(stop, self.n)
        rows = max(256, _BLOCK_VALUES // (self.dim + 1))
        names = [*self.features, self.reward, *([] if self.arm is None else [self.arm])]
        chosen = self.frame.select(names)
        for first in range(start, stop, rows):
            yield self._checked(chosen.slice(first, min(rows, stop - first)).collect(), first)

    def _checked(self, frame: pl.DataFrame, first: int) -> Block:
        for column in frame.iter_columns():
            if column.null_count():
                row = first + int(column.is_null().arg_max() or 0)
                raise InvalidFile(f"{self.name}: {place(row, column.name)} is empty; fill or drop it")
        values = np.empty((frame.height, self.dim))
        for j, name in enumerate(self.features):
            values[:, j] = frame[name].cast(pl.Float64).to_numpy()
        rewards = frame[self.reward].cast(pl.Float64).to_numpy().copy()
        for columns, array in ((self.features, values), ((self.reward,), rewards[:, np.newaxis])):
            if not np.isfinite(array).all():
                row, j = (int(i) for i in np.argwhere(~np.isfinite(array))[0])
                where = place(first + row, columns[j])
                raise InvalidFile(f"{self.name}: {where} is {array[row, j]}; fill or drop it")
        arms = None if self.arm is None else frame[self.arm].to_numpy()
        return Block(values, rewards, arms)


@contextmanager
def scan(
    path: Path | str,
    *,
    reward_column: str,
    arm_column: str | None = None,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> Iterator[Scan]:
    """Open a .parquet, .csv or .csv.gz file. Features are `columns`, or all but arm, reward and `drop`.

    CSV cannot be read from the middle: it is rewritten as parquet in a temporary folder, which goes with the context.
    """
    path = Path(path)
    with tempfile.TemporaryDirectory(prefix="kernelbandits-") as folder:
        try:
            frame = _frame(path, Path(folder))
            schema = dict(frame.collect_schema())
            n = int(frame.select(pl.len()).collect().item())
        except pl.exceptions.PolarsError as error:
            raise InvalidFile(f"{path.name} cannot be read: {str(error).strip().splitlines()[0]}") from error
        features = _features(path, schema, reward_column, arm_column, columns, drop)
        if not n:
            raise InvalidFile(f"{path.name} has columns but no rows; expected one row per context")
        yield Scan(path.name, frame, n, features, reward_column, arm_column)


def _frame(path: Path, folder: Path) -> pl.LazyFrame:
    if not path.is_file():
        raise InvalidFile(f"no such file: {path}; give a .csv, .csv.gz or .parquet file")
    name = path.name.lower()
    if name.endswith(".parquet"):
        return pl.scan_parquet(path)
    if not name.endswith((".csv", ".csv.gz")):
        raise InvalidFile(f"{path.name}: expected a file that ends in .csv, .csv.gz or .parquet")
    copy = folder / "table.parquet"
    try:
        pl.scan_csv(path, infer_schema_length=_SNIFFED).sink_parquet(copy)
    except pl.exceptions.NoDataError:
        raise
    except pl.exceptions.ComputeError:  # a later row has another type than the first thousand: look at all of them
        pl.scan_csv(path, infer_schema_length=None).sink_parquet(copy)
    return pl.scan_parquet(copy)


def _features(
    path: Path,
    schema: dict[str, pl.DataType],
    reward: str,
    arm: str | None,
    columns: Sequence[str],
    drop: Sequence[str],
) -> tuple[str, ...]:
    for name in (reward, *columns, *drop, *([] if arm is None else [arm])):
        if name not in schema:
            raise InvalidFile(f"{path.name} has no column {name!r}; {nearest(name, schema)}")
    taken = {reward, arm, *drop}
    features = tuple(name for name in dict.fromkeys(columns or schema) if name not in taken)
    if not features:
        raise InvalidFile(f"{path.name} has no column left as a feature; it has {', '.join(schema)}")
    for name in (*features, reward):
        if not (schema[name].is_numeric() or schema[name] == pl.Boolean):
            raise InvalidFile(
                f"{path.name}: column {name!r} is not numeric (type {schema[name]}); "
                "encode it as numbers or leave it out with `drop`"
            )
    return features
