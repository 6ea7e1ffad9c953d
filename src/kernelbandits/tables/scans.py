"""Tables larger than memory: parquet or CSV, read by blocks of rows."""

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

from kernelbandits.errors import InvalidFile
from kernelbandits.tables.columns import choose_features, place
from kernelbandits.tables.csv_files import read_csv
from kernelbandits.tables.files import understood
from kernelbandits.types import Array

_BLOCK_VALUES = 2**22


class Block(NamedTuple):
    """Rows of a table: features of shape (n, d), rewards and arms of shape (n,); `arms` is None without a column."""

    X: Array
    y: Array
    arms: NDArray[Any] | None


@final
@dataclass(frozen=True, slots=True)
class Scan:
    """A table on disk; no rows are kept in memory.

    Attributes:
        name: name of the file, for messages.
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
        """Yield the rows from `start` to `stop` in blocks of about 32 MB, checked."""
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

    CSV cannot be read from the middle, so it is copied as parquet to a temporary folder until the context ends.
    """
    path = Path(path)
    with tempfile.TemporaryDirectory(prefix="kernelbandits-") as folder:
        with understood(path, (".csv", ".csv.gz", ".parquet")) as ending:
            frame = pl.scan_parquet(path if ending == ".parquet" else _copied(path, Path(folder) / "table.parquet"))
            schema = frame.collect_schema()
            n = int(frame.select(pl.len()).collect().item())
        taken = [reward_column] if arm_column is None else [reward_column, arm_column]
        features = choose_features(schema.names(), columns, drop, taken, path.name)
        for name in (*features, reward_column):
            if not (schema[name].is_numeric() or schema[name] == pl.Boolean):
                raise InvalidFile(
                    f"{path.name}: column {name!r} is not numeric (type {schema[name]}); "
                    "encode it as numbers or leave it out with `drop`"
                )
        if not n:
            raise InvalidFile(f"{path.name} has columns but no rows; expected one row per context")
        yield Scan(path.name, frame, n, tuple(features), reward_column, arm_column)


def _copied(path: Path, copy: Path) -> Path:
    read_csv(path, lambda frame: frame.sink_parquet(copy))
    return copy
