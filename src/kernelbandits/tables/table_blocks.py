"""The rows of a table on disk, a block at a time: the same rows and kinds of columns for blocks of any size."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.tables.columns import choose_features, numbers_in, refuse_gaps
from kernelbandits.tables.csv_files import read_csv
from kernelbandits.tables.files import cleaned, number_kinds, present_texts, read_frame, understood
from kernelbandits.tables.table_encoding import TableEncoder
from kernelbandits.types import Array

_BLOCK_VALUES = 2**22


@final
@dataclass(frozen=True, slots=True)
class RowBlocks:
    """A table of n rows in a file."""

    name: str
    n: int
    _frame: pl.LazyFrame
    _missing: tuple[str, ...]
    _kinds: Mapping[str, pl.DataType] | None

    @property
    def schema(self) -> dict[str, pl.DataType]:
        """The kinds of the columns by their names."""
        return {**self._frame.collect_schema(), **(self._kinds or {})}

    @property
    def columns(self) -> list[str]:
        return [*self.schema]

    def block(self, start: int, stop: int, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return the rows from `start` to `stop`, or some columns of them, with null where an entry is missing."""
        return self._collected(self._frame.slice(start, stop - start), start, columns)

    def spread(self, most: int, columns: Sequence[str]) -> pl.DataFrame:
        """Return at most so many rows, evenly spaced; all of them if they are not more."""
        return self._collected(self._frame.gather_every(-(-self.n // most)), 0, columns)

    def name_from(self, start: int) -> str:
        """Name the rows from `start` on in messages."""
        return f"{self.name}, after row {start:,}" if start else self.name

    def _collected(self, frame: pl.LazyFrame, start: int, columns: Sequence[str] | None) -> pl.DataFrame:
        try:
            rows = (frame if columns is None else frame.select(columns)).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            words = str(error).strip().splitlines()[0]
            raise InvalidFile(f"{self.name} cannot be read after row {start:,}: {words}") from error
        return cleaned(rows, self._missing, self._kinds)


@contextmanager
def row_blocks(path: Path, missing: tuple[str, ...] = ()) -> Iterator[RowBlocks]:
    """Open a .parquet, .csv, .csv.gz or .npz file; the texts `missing` stand for missing values.

    CSV cannot be read from the middle, so it is copied as parquet to a temporary folder until the context ends.
    """
    with tempfile.TemporaryDirectory(prefix="kernelbandits-") as folder:
        with understood(path, (".csv", ".csv.gz", ".parquet", ".npz")) as ending:
            is_text = ending.startswith(".csv")
            source = Path(folder) / "table.parquet" if is_text else path
            if is_text:
                read_csv(path, lambda frame: frame.sink_parquet(source))
            frame = read_frame(path, missing).lazy() if ending == ".npz" else pl.scan_parquet(source, glob=False)
            n = int(frame.select(pl.len()).collect().item())
            kinds = number_kinds(present_texts(frame, missing, bare=True)) if is_text else None
        yield RowBlocks(path.name, n, frame, missing, kinds)


class Block(NamedTuple):
    """Rows of a table: features of shape (n, d), rewards and arms of shape (n,); `arms` is None without a column."""

    X: Array
    y: Array
    arms: NDArray[Any] | None


class Scan(NamedTuple):
    """A table of n rows on disk, and which of its columns are features, reward and arm; no rows are kept in memory.

    With an `encoder`, the features are those that it makes of the columns.
    """

    rows: RowBlocks
    features: tuple[str, ...]
    reward: str
    arm: str | None
    encoder: TableEncoder | None = None

    @property
    def name(self) -> str:
        return self.rows.name

    @property
    def n(self) -> int:
        return self.rows.n

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[Block]:
        """Yield the rows from `start` to `stop` in blocks of about 32 MB, checked."""
        stop = self.n if stop is None else min(stop, self.n)
        step = max(256, _BLOCK_VALUES // (len(self.features) + 1))
        taken = [self.reward] if self.arm is None else [self.reward, self.arm]
        for begin in range(start, stop, step):
            columns = [*self.features, *taken] if self.encoder is None else None
            yield self._checked(self.rows.block(begin, min(begin + step, stop), columns), begin)

    def _checked(self, frame: pl.DataFrame, begin: int) -> Block:
        y, arms = numbers_in(frame[self.reward], self.name, begin), None
        if self.arm is not None:
            refuse_gaps(frame[self.arm], self.name, begin)
            arms = frame[self.arm].to_numpy()
        if self.encoder is not None:
            return Block(self.encoder.transform_frame(frame, self.rows.name_from(begin)), y, arms)
        X = np.empty((frame.height, len(self.features)))
        for j, name in enumerate(self.features):
            X[:, j] = numbers_in(frame[name], self.name, begin)
        return Block(X, y, arms)


@contextmanager
def scan(
    path: Path | str,
    *,
    reward_column: str,
    arm_column: str | None = None,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    encoder: TableEncoder | None = None,
) -> Iterator[Scan]:
    """Open a file as `row_blocks` does. Features are `columns`, or all but arm, reward and `drop`.

    With an `encoder` they are what it makes of the columns that it was fitted to.
    """
    if encoder is not None and (columns or drop):
        raise InvalidArgument("give either an encoder, which knows its columns, or columns and drop")
    with row_blocks(Path(path), () if encoder is None else encoder.missing) as rows:
        taken = [reward_column] if arm_column is None else [reward_column, arm_column]
        features, schema = choose_features(rows.columns, columns, drop, taken, rows.name), rows.schema
        for name in (reward_column,) if encoder is not None else (*features, reward_column):
            if not (schema[name].is_numeric() or schema[name] == pl.Boolean):
                raise InvalidFile(
                    f"{rows.name}: column {name!r} is not numeric (type {schema[name]}); "
                    "encode it as numbers or leave it out with `drop`"
                )
        if not rows.n:
            raise InvalidFile(f"{rows.name} has columns but no rows; expected one row per context")
        names = tuple(features) if encoder is None else encoder.names
        yield Scan(rows, names, reward_column, arm_column, encoder)
