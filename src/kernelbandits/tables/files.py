"""Tables from files: CSV, CSV in gzip, parquet, or the arrays X and y of an npz file."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.errors import InvalidFile
from kernelbandits.tables.columns import some
from kernelbandits.tables.csv_files import read_csv
from kernelbandits.types import IntArray

_BROKEN = (OSError, EOFError, zipfile.BadZipFile, zlib.error)


def read_frame(path: Path, missing: Sequence[str] = ()) -> pl.DataFrame:
    """Read the table in a file; the texts `missing` stand for missing values. Columns of an npz file are x0, x1, …, y.

    Blanks around texts of a CSV file are removed. A file that is no table is refused in one line (`InvalidFile`).
    """
    with understood(path, tuple(_READERS)) as ending:
        read, clean = _READERS[ending]
        frame = read(path)
        texts = [column for column in frame if column.dtype == pl.String]
        frame = frame.with_columns(clean(column, missing) for column in texts)
    return frame.fill_nan(None) if "nan" in (text.casefold() for text in missing) else frame


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
    except InvalidFile:
        raise
    except (pl.exceptions.PolarsError, ValueError, *_BROKEN) as error:
        words = (str(error).strip() or type(error).__name__).splitlines()[0]
        hint = "; is it complete?" if isinstance(error, _BROKEN) else ""
        raise InvalidFile(f"{path.name} cannot be read: {words}{hint}") from error


def refuse_empty(file: str, frame: pl.DataFrame) -> None:
    """Raise if the table has no rows."""
    if frame.height == 0:
        raise InvalidFile(f"{file} has a header but no rows; expected one row per context")


def sampled(n_rows: int, most: int | None) -> IntArray:
    """Return the numbers of at most `most` random rows, in order; always the same ones, whatever the seed of a run."""
    if most is None or n_rows <= most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).permutation(n_rows)[:most])


def frame_of(X: NDArray[Any], y: NDArray[Any], file: str) -> pl.DataFrame:
    """Return a table with columns x0, x1, … from numbers of shape (n, d), and y with one number or text per row."""
    if X.ndim != 2 or y.shape != X.shape[:1] or X.dtype.kind not in "fiub" or y.dtype.kind not in "fiubU":
        raise InvalidFile(
            f"{file}: X must be numbers of shape (rows, features) and y one number or text per row; "
            f"got X of shape {X.shape} and type {X.dtype}, y of shape {y.shape} and type {y.dtype}"
        )
    return pl.DataFrame({f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])} | {"y": y})


def _csv(path: Path) -> pl.DataFrame:
    return read_csv(path, pl.LazyFrame.collect)


def _npz(path: Path) -> pl.DataFrame:
    with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        absent = [name for name in ("X", "y") if name not in arrays.files]
        if absent:
            raise InvalidFile(f"{path.name} has no array {absent[0]!r}; it has {some(arrays.files)}")
        return frame_of(arrays["X"], arrays["y"], path.name)


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


_READERS: dict[str, tuple[Callable[[Path], pl.DataFrame], Callable[[pl.Series, Sequence[str]], pl.Series]]] = {
    ".csv": (_csv, _bare),
    ".csv.gz": (_csv, _bare),
    ".parquet": (pl.read_parquet, _present),
    ".npz": (_npz, _present),
}
"""For each ending, how the file is read and how its texts are cleaned."""
