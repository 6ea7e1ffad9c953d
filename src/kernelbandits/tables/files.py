"""Tables from files: CSV, CSV in gzip, parquet, or arrays X and y of an npz file; in memory or by blocks of rows."""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.errors import InvalidArgument, InvalidFile, KernelBanditsError
from kernelbandits.linalg import require_memory
from kernelbandits.tables.columns import choose_features, first, numbers_in, place, some
from kernelbandits.tables.csv_files import read_csv, require_memory_for
from kernelbandits.tables.parquet_files import read_parquet
from kernelbandits.tables.table_encoding import TableEncoder
from kernelbandits.types import Array

_BLOCK_VALUES = 2**22
_LONGEST_NAME = 1000
Cleaner = Callable[[pl.Series, Sequence[str]], pl.Series]
_BROKEN = (OSError, EOFError, zipfile.BadZipFile, zlib.error)


def read_frame(path: Path, missing: Sequence[str] = ()) -> pl.DataFrame:
    """Read the table in a file; the texts `missing` stand for missing values. Columns of an npz file are x0, x1, …, y.

    Blanks around texts of a CSV file are removed. A file that is no table is refused in one line (`InvalidFile`).
    """
    with understood(path, tuple(_READERS)) as ending:
        read, clean = _READERS[ending]
        frame = read(path)
        long = max(map(len, frame.columns), default=0)
        if long > _LONGEST_NAME:
            raise InvalidFile(f"{path.name} has a column whose name has {long:,} characters; expected a header")
        return cleaned(frame, missing, clean)


def cleaned(frame: pl.DataFrame, missing: Sequence[str], clean: Cleaner | None = None) -> pl.DataFrame:
    """Return the table with null for the texts `missing`, and for NaN if it is among them."""
    texts = [column for column in frame if column.dtype == pl.String]
    frame = frame.with_columns((clean or _present)(column, missing) for column in texts)
    return frame.fill_nan(None) if "nan" in (text.casefold() for text in missing) else frame


def frame_of(X: NDArray[Any], y: NDArray[Any], file: str) -> pl.DataFrame:
    """Return a table with columns x0, x1, … from numbers of shape (n, d), and y with one number or text per row."""
    if X.ndim != 2 or y.shape != X.shape[:1] or X.dtype.kind not in "fiub" or y.dtype.kind not in "fiubU":
        raise InvalidFile(
            f"{file}: X must be numbers of shape (rows, features) and y one number or text per row; "
            f"got X of shape {X.shape} and type {X.dtype}, y of shape {y.shape} and type {y.dtype}"
        )
    return pl.DataFrame({f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])} | {"y": y})


class Block(NamedTuple):
    """Rows of a table: features of shape (n, d), rewards and arms of shape (n,); `arms` is None without a column."""

    X: Array
    y: Array
    arms: NDArray[Any] | None


@final
@dataclass(frozen=True, slots=True)
class Scan:
    """A table of n rows on disk, and which of its columns are features, reward and arm; no rows are kept in memory.

    With an `encoder`, the features are those that it makes of the columns.
    """

    name: str
    frame: pl.LazyFrame
    n: int
    features: tuple[str, ...]
    reward: str
    arm: str | None
    encoder: TableEncoder | None = None

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[Block]:
        """Yield the rows from `start` to `stop` in blocks of about 32 MB, checked."""
        stop = self.n if stop is None else min(stop, self.n)
        rows = max(256, _BLOCK_VALUES // (len(self.features) + 1))
        taken = [self.reward] if self.arm is None else [self.reward, self.arm]
        chosen = self.frame if self.encoder is not None else self.frame.select(*self.features, *taken)
        for begin in range(start, stop, rows):
            try:
                block = chosen.slice(begin, min(rows, stop - begin)).collect()
            except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
                words = f"{self.name} cannot be read after row {begin:,}: {str(error).strip().splitlines()[:1]}"
                raise InvalidFile(words) from error
            yield self._checked(block, begin) if self.encoder is None else self._encoded(block, begin, self.encoder)

    def _encoded(self, frame: pl.DataFrame, begin: int, encoder: TableEncoder) -> Block:
        frame = cleaned(frame, encoder.missing)
        for name in (self.reward, *([] if self.arm is None else [self.arm])):
            row = first(frame[name].is_null())
            if row is not None:
                raise InvalidFile(f"{self.name}: {place(begin + row, name)} is empty; fill or drop it")
        rows = f"{self.name}, rows from {begin + 1:,} on" if begin else self.name
        X, y = encoder.transform_frame(frame, rows), numbers_in(frame[self.reward], rows)
        return Block(X, y, None if self.arm is None else frame[self.arm].to_numpy())

    def _checked(self, frame: pl.DataFrame, begin: int) -> Block:
        for column in frame:
            row = first(column.is_null()) if column.null_count() else None
            if row is not None:
                raise InvalidFile(f"{self.name}: {place(begin + row, column.name)} is empty; fill or drop it")
        X = np.empty((frame.height, len(self.features)))
        for j, name in enumerate(self.features):
            X[:, j] = frame[name].cast(pl.Float64).to_numpy()
        y = frame[self.reward].cast(pl.Float64).to_numpy().copy()
        for columns, array in ((self.features, X), ((self.reward,), y[:, np.newaxis])):
            if not np.isfinite(array).all():
                row, j = (int(i) for i in np.argwhere(~np.isfinite(array))[0])
                where = place(begin + row, columns[j])
                raise InvalidFile(f"{self.name}: {where} is {array[row, j]}; fill or drop it")
        return Block(X, y, None if self.arm is None else frame[self.arm].to_numpy())


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
    """Open a .parquet, .csv or .csv.gz file. Features are `columns`, or all but arm, reward and `drop`.

    With an `encoder` they are what it makes of the columns that it was fitted to.
    CSV cannot be read from the middle, so it is copied as parquet to a temporary folder until the context ends.
    """
    path = Path(path)
    with tempfile.TemporaryDirectory(prefix="kernelbandits-") as folder:
        with understood(path, (".csv", ".csv.gz", ".parquet")) as ending:
            source = path if ending == ".parquet" else Path(folder) / "table.parquet"
            if ending != ".parquet":
                read_csv(path, lambda frame: frame.sink_parquet(source))
            frame = pl.scan_parquet(source, glob=False)
            schema = frame.collect_schema()
            n = int(frame.select(pl.len()).collect().item())
        taken = [reward_column] if arm_column is None else [reward_column, arm_column]
        if encoder is not None and (columns or drop):
            raise InvalidArgument("give either an encoder, which knows its columns, or columns and drop")
        features = choose_features(schema.names(), columns, drop, taken, path.name)
        for name in (reward_column,) if encoder is not None else (*features, reward_column):
            if not (schema[name].is_numeric() or schema[name] == pl.Boolean):
                raise InvalidFile(
                    f"{path.name}: column {name!r} is not numeric (type {schema[name]}); "
                    "encode it as numbers or leave it out with `drop`"
                )
        if not n:
            raise InvalidFile(f"{path.name} has columns but no rows; expected one row per context")
        names = tuple(features) if encoder is None else encoder.names
        yield Scan(path.name, frame, n, names, reward_column, arm_column, encoder)


@contextmanager
def understood(path: Path, endings: Sequence[str]) -> Iterator[str]:
    """Give the ending of a file's name, and turn errors of reading the file into `InvalidFile` with one line."""
    listed = f"{', '.join(endings[:-1])} or {endings[-1]}"
    if not path.is_file():
        raise InvalidFile(f"no such file: {path}; give a {listed} file")
    ending = next((ending for ending in endings if path.name.lower().endswith(ending)), None)
    if ending is None:
        raise InvalidFile(f"{path.name}: expected a file that ends in {listed}")
    try:
        yield ending
    except KernelBanditsError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:  # a file may make a reader raise anything
        words = (str(error).strip() or type(error).__name__).splitlines()[0]
        hint = "; is it complete?" if isinstance(error, _BROKEN) else ""
        raise InvalidFile(f"{path.name} cannot be read: {words}{hint}") from error


def _csv(path: Path) -> pl.DataFrame:
    require_memory_for(path)
    return read_csv(path, pl.LazyFrame.collect)


def _npz(path: Path) -> pl.DataFrame:
    with zipfile.ZipFile(path) as arrays:
        names = [name.removesuffix(".npy") for name in arrays.namelist()]
        absent = next((name for name in ("X", "y") if name not in names), None)
        if absent is not None:
            raise InvalidFile(f"{path.name} has no array {absent!r}; it has {some(names)}")
        for name in ("X", "y"):
            require_memory(3 * _unpacked(arrays, name), f"array {name!r} of {path.name}", "leave out rows or columns")
        return frame_of(_array(arrays, "X"), _array(arrays, "y"), path.name)


def _unpacked(arrays: zipfile.ZipFile, name: str) -> int:
    """Return the bytes of an array, by its own header: the archive's may lie, but then reading ends early."""
    with arrays.open(f"{name}.npy") as file:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
    return prod(shape) * dtype.itemsize


def _array(arrays: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with arrays.open(f"{name}.npy") as file:
        return np.asarray(np.lib.format.read_array(file, allow_pickle=False))


def _present(texts: pl.Series, missing: Sequence[str]) -> pl.Series:
    """Return the texts, with null for those that stand for a missing value."""
    gone = texts.is_in(list(missing))
    return texts.set(gone, None) if gone.any() else texts


def _bare(column: pl.Series, missing: Sequence[str]) -> pl.Series:
    """Return a text column of a CSV file without blanks around its entries; as numbers, if all of them then are."""
    texts = _present(column.str.strip_chars(), missing)
    if texts.null_count() == len(texts):
        return texts
    for kind in (pl.Int64, pl.Float64):
        numbers = texts.cast(kind, strict=False)
        if numbers.null_count() == texts.null_count():
            return numbers
    return texts


_READERS: dict[str, tuple[Callable[[Path], pl.DataFrame], Cleaner]] = {
    ".csv": (_csv, _bare),
    ".csv.gz": (_csv, _bare),
    ".parquet": (read_parquet, _present),
    ".npz": (_npz, _present),
}
"""For each ending, how the file is read and how its texts are cleaned."""
