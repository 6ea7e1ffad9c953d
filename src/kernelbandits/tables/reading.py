"""A table from a file: CSV, compressed CSV, parquet, or the arrays X and y of an npz file."""

from __future__ import annotations

import csv
import gzip
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.errors import InvalidFile
from kernelbandits.tables.places import some
from kernelbandits.types import IntArray

_SNIFFED = 1000
_ENDINGS = ".csv, .csv.gz, .parquet or .npz"


def read_frame(path: Path, missing: Sequence[str] = ()) -> pl.DataFrame:
    """The table in a file; the texts `missing` stand for no value. Columns of an npz file are x0, x1, …, and y.

    Blanks around texts of a CSV file are dropped. One clear line (`InvalidFile`) for a file that is no table.
    """
    if not path.is_file():
        raise InvalidFile(f"no such file: {path}; give a {_ENDINGS} file")
    name = path.name.lower()
    if not name.endswith((".csv", ".csv.gz", ".parquet", ".npz")):
        raise InvalidFile(f"{path.name}: expected a file that ends in {_ENDINGS}")
    read = _parquet if name.endswith(".parquet") else _npz if name.endswith(".npz") else _csv
    try:
        frame = read(path, missing)
    except pl.exceptions.NoDataError as error:
        raise InvalidFile(f"{path.name} is empty; expected a header and one row per context") from error
    except (pl.exceptions.PolarsError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise InvalidFile(f"{path.name} cannot be read: {_reason(error)}") from error
    return frame.fill_nan(None) if "nan" in (text.casefold() for text in missing) else frame


def refuse_empty(file: str, frame: pl.DataFrame) -> None:
    """Raise if the table has no rows."""
    if frame.height == 0:
        raise InvalidFile(f"{file} has a header but no rows; expected one row per context")


def sampled(n_rows: int, most: int | None) -> IntArray:
    """At most `most` of the rows, in their order; always the same ones, so that every seed meets one table."""
    if most is None or n_rows <= most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).permutation(n_rows)[:most])


def _reason(error: Exception) -> str:
    words = str(error).strip().splitlines() or [type(error).__name__]
    return f"{words[0]}; is it complete?" if isinstance(error, OSError | EOFError | zipfile.BadZipFile) else words[0]


def _parquet(path: Path, missing: Sequence[str]) -> pl.DataFrame:
    frame = pl.read_parquet(path)
    return frame.with_columns(_present(frame[name], missing) for name in _texts(frame))


def _csv(path: Path, missing: Sequence[str]) -> pl.DataFrame:
    try:
        try:
            frame = pl.read_csv(path, infer_schema_length=_SNIFFED)
        except pl.exceptions.ComputeError:  # a later row has another type than the first thousand: look at all of them
            frame = pl.read_csv(path, infer_schema_length=None)
    except pl.exceptions.ComputeError as error:
        raise InvalidFile(f"{path.name} cannot be read: {_ragged(path) or _reason(error)}") from error
    _refuse_header(path)
    return frame.with_columns(_bare(frame[name], missing) for name in _texts(frame))


def _texts(frame: pl.DataFrame) -> list[str]:
    return [name for name, kind in frame.schema.items() if kind == pl.String]


def _present(texts: pl.Series, missing: Sequence[str]) -> pl.Series:
    """The texts with those that stand for no value taken out."""
    gone = texts.is_in(list(missing))
    return texts.set(gone, None) if gone.any() else texts


def _bare(column: pl.Series, missing: Sequence[str]) -> pl.Series:
    """A text column of a CSV file without blanks around its entries; as numbers, if they then all are."""
    texts = _present(column.str.strip_chars(), missing)
    if texts.null_count() == len(texts):
        return texts
    for kind in (pl.Int64, pl.Float64):
        numbers = texts.cast(kind, strict=False)
        if numbers.null_count() == texts.null_count():
            return numbers
    return texts


@contextmanager
def _rows(path: Path) -> Iterator[Iterator[list[str]]]:
    """The rows of a CSV file one by one, the header first."""
    opener = gzip.open if path.name.lower().endswith(".gz") else Path.open
    with opener(path, "rt", encoding="utf-8-sig", errors="replace", newline="") as file:
        yield csv.reader(file)


def _refuse_header(path: Path) -> None:
    with _rows(path) as rows:
        names = next(rows)
    if len(names) == 1:
        for mark, word in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
            if mark in names[0]:
                raise InvalidFile(
                    f"{path.name} seems to be separated by {word} (its header is {names[0][:60]!r}); "
                    "expected commas: write it again with commas"
                )
    if all(_is_number(name) for name in names):
        raise InvalidFile(f"{path.name} has no header: its first row is {', '.join(names[:3])} …; name the columns")
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise InvalidFile(f"{path.name} has two columns called {twice!r}; rename one of them")


def _ragged(path: Path) -> str | None:
    """In words, the first row that is longer than the header."""
    with _rows(path) as rows:
        n_columns = len(next(rows))
        for number, row in enumerate(rows, start=1):
            if len(row) > n_columns:
                return f"row {number} (the first below the header is 1) has {len(row)} entries, the header {n_columns}"
    return None


def _npz(path: Path, missing: Sequence[str]) -> pl.DataFrame:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            missing = [name for name in ("X", "y") if name not in arrays.files]
            if missing:
                raise InvalidFile(f"{path.name} has no array {missing[0]!r}; it has {some(arrays.files)}")
            X, y = arrays["X"], arrays["y"]
    except ValueError as error:
        if isinstance(error, InvalidFile):
            raise
        raise InvalidFile(f"{path.name} cannot be read: {_reason(error)}") from error
    frame = frame_of(X, y, path.name)
    return frame.with_columns(_present(frame[name], missing) for name in _texts(frame))


def frame_of(X: NDArray[Any], y: NDArray[Any], file: str) -> pl.DataFrame:
    """A table with columns x0, x1, … from numbers of shape (n, d), and y from one number or text a row."""
    if X.ndim != 2 or y.shape != X.shape[:1] or X.dtype.kind not in "fiub" or y.dtype.kind not in "fiubU":
        raise InvalidFile(
            f"{file}: X must be numbers of shape (rows, features) and y one entry a row; "
            f"got X of shape {X.shape} and type {X.dtype}, y of shape {y.shape} and type {y.dtype}"
        )
    return pl.DataFrame({f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])} | {"y": y})


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
