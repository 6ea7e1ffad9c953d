"""Tables from files: CSV, CSV in gzip, parquet, or arrays X and y of an npz file."""

import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.errors import InvalidFile, KernelBanditsError
from kernelbandits.linalg import available_memory, require_memory
from kernelbandits.tables.columns import some
from kernelbandits.tables.csv_files import read_csv, require_memory_for

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)
_LONGEST_NAME = 1000
_BROKEN = (OSError, EOFError, zipfile.BadZipFile, zlib.error)
_BYTES_PER_VALUE = 16
_TOO_LARGE = 3
_TRIAL = f"""
import sys, polars
try:
    scan = polars.scan_parquet(sys.argv[1], glob=False)
    size = {_BYTES_PER_VALUE} * scan.select(polars.len()).collect().item() * len(scan.collect_schema())
    if size > int(sys.argv[2]):
        print(size)
        sys.exit({_TOO_LARGE})
    polars.read_parquet(sys.argv[1], glob=False)
except Exception:  # the next process can say what it is
    pass
"""


def read_frame(path: Path, missing: Sequence[str] = ()) -> pl.DataFrame:
    """Read the table in a file; the texts `missing` stand for missing values. Columns of an npz file are x0, x1, …, y.

    Blanks around texts of a CSV file are removed. A file that is no table is refused in one line (`InvalidFile`).
    """
    with understood(path, tuple(_READERS)) as ending:
        frame = _READERS[ending](path)
        long = max(map(len, frame.columns), default=0)
        if long > _LONGEST_NAME:
            raise InvalidFile(f"{path.name} has a column whose name has {long:,} characters; expected a header")
        is_text = ending.startswith(".csv")
        frame = present_texts(frame, missing, bare=is_text)
        return _numbered(frame, missing, number_kinds(frame.lazy()) if is_text else {})


def cleaned(
    frame: pl.DataFrame, missing: Sequence[str], kinds: Mapping[str, pl.DataType] | None = None
) -> pl.DataFrame:
    """Return the table with null for the texts `missing`, and for NaN if it is among them.

    With `kinds`, those of a CSV file, blanks around texts are removed, and columns of these names become numbers.
    """
    return _numbered(present_texts(frame, missing, bare=kinds is not None), missing, kinds or {})


def present_texts(frame: Frame, missing: Sequence[str], *, bare: bool) -> Frame:
    """Return the table with null for the texts `missing`; `bare` removes blanks around texts first."""
    texts = pl.col(pl.String)
    stripped = frame.with_columns(texts.str.strip_chars()) if bare else frame
    return stripped.with_columns(pl.when(texts.is_in(list(missing))).then(None).otherwise(texts).name.keep())


def number_kinds(frame: pl.LazyFrame) -> dict[str, pl.DataType]:
    """Return the text columns in which every entry that is not missing is a number, and of which kind."""
    names = [name for name, kind in frame.collect_schema().items() if kind == pl.String]
    if not names:
        return {}
    kinds = (pl.Int64(), pl.Float64(), pl.String())
    counts = frame.select(pl.struct(pl.col(names).cast(kind, strict=False).count()).alias(str(kind)) for kind in kinds)
    whole, floats, texts = counts.collect(engine="streaming").row(0)
    found = {name: kinds[0] if whole[name] == texts[name] else kinds[1] for name in names}
    return {name: kind for name, kind in found.items() if 0 < texts[name] == max(whole[name], floats[name])}


def _numbered(frame: pl.DataFrame, missing: Sequence[str], kinds: Mapping[str, pl.DataType]) -> pl.DataFrame:
    frame = frame.with_columns(pl.col(name).cast(kind) for name, kind in kinds.items() if name in frame.columns)
    return frame.fill_nan(None) if "nan" in (text.casefold() for text in missing) else frame


def frame_of(X: NDArray[Any], y: NDArray[Any], file: str) -> pl.DataFrame:
    """Return a table with columns x0, x1, … from numbers of shape (n, d), and y with one number or text per row."""
    if X.ndim != 2 or y.shape != X.shape[:1] or X.dtype.kind not in "fiub" or y.dtype.kind not in "fiubU":
        raise InvalidFile(
            f"{file}: X must be numbers of shape (rows, features) and y one number or text per row; "
            f"got X of shape {X.shape} and type {X.dtype}, y of shape {y.shape} and type {y.dtype}"
        )
    return pl.DataFrame({f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])} | {"y": y})


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


def _parquet(path: Path) -> pl.DataFrame:
    """Read a parquet file; refuse one that is larger than memory, or damaged: on some, polars ends the process."""
    command = [sys.executable, "-P", "-c", _TRIAL, str(path.absolute()), str(available_memory())]
    trial = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (the path is an argument, no code)
    if trial.returncode == _TOO_LARGE:
        require_memory(int(trial.stdout), path.name, "leave out rows or columns")
    if trial.returncode:
        raise InvalidFile(f"{path.name} cannot be read: its content is damaged; get the file again")
    return pl.read_parquet(path, glob=False)


def _npz(path: Path) -> pl.DataFrame:
    with zipfile.ZipFile(path) as arrays:
        names = [name.removesuffix(".npy") for name in arrays.namelist()]
        absent = next((name for name in ("X", "y") if name not in names), None)
        if absent is not None:
            raise InvalidFile(f"{path.name} has no array {absent!r}; it has {some(names)}")
        for name in ("X", "y"):
            require_memory(3 * _unpacked(arrays, name), f"array {name!r} of {path.name}", "leave out rows or columns")
    with np.load(path, allow_pickle=False) as read:
        return frame_of(read["X"], read["y"], path.name)


def _unpacked(arrays: zipfile.ZipFile, name: str) -> int:
    """Return the bytes of an array, by its own header: the archive's may lie, but then reading ends early."""
    with arrays.open(f"{name}.npy") as file:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
    return prod(shape) * dtype.itemsize


_READERS = {".csv": _csv, ".csv.gz": _csv, ".parquet": _parquet, ".npz": _npz}  # by the ending of the name
