"""A CSV file, plain or gzip, as a stream of blocks of rows: memory does not grow with the file."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, final

import polars as pl

from kernelbandits.errors import InvalidFile, nearest

BLOCK_BYTES = 1 << 24
"""Text read at a time: enough to parse with all threads, little beside a polars process itself."""

_LONGEST_HEADER = 1 << 16
_GZIP = b"\x1f\x8b"
_OTHER_KINDS = {b"PK": "a zip archive; unpack it", b"PAR1": "a parquet file; write it as CSV", b"BZh": "a bzip2 file"}
_DELIMITERS = (";", "\t", "|")


@final
@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Rows of a file, all columns as texts; `start` rows of the file came before."""

    rows: pl.DataFrame
    start: int


def place(row: int, column: str) -> str:
    """The words for a place in a file; `row` counts from 0."""
    return f"row {row + 1:,} (the first below the header is 1), column {column!r}"


def read_blocks(path: Path, columns: Sequence[str], block_bytes: int = BLOCK_BYTES) -> Iterator[Block]:
    """The rows of a CSV file with these columns, block by block. An empty field is the text ''.

    Raises `InvalidFile` in one line with file, column and row when it comes to something that makes no sense.
    """
    if not path.is_file():
        raise InvalidFile(f"no such file: {path}; expected the Avazu training file, .csv or .csv.gz")
    start = 0
    try:
        with _opened(path) as file:
            header, names = _header(path, file.readline(_LONGEST_HEADER), columns)
            for text in _whole_lines(file, block_bytes):
                rows = _parsed(path, header, names, columns, text, start)
                yield Block(rows, start)
                start += rows.height
    except EOFError as error:
        raise InvalidFile(
            f"{path.name}: the gzip data end too early, after row {start:,}; get the file again"
        ) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InvalidFile(f"{path.name}: the gzip data are broken after row {start:,} ({error})") from error
    if not start:
        raise InvalidFile(f"{path.name} has a header but no rows; expected one row per impression")


def _opened(path: Path) -> gzip.GzipFile | IO[bytes]:
    """The text of the file; what it is shows in its first bytes, whatever its name."""
    with path.open("rb") as file:
        magic = file.read(4)
    if not magic:
        raise InvalidFile(f"{path.name} is empty; expected a header and one row per impression")
    for prefix, kind in _OTHER_KINDS.items():
        if magic.startswith(prefix):
            raise InvalidFile(f"{path.name} is {kind}; expected CSV or CSV in gzip")
    return gzip.open(path, "rb") if magic.startswith(_GZIP) else path.open("rb")


def _header(path: Path, line: bytes, columns: Sequence[str]) -> tuple[bytes, list[str]]:
    """The header as bytes without byte order mark, and the names in it."""
    try:
        text = line.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise InvalidFile(f"{path.name}: the header is not UTF-8 text ({error.reason}); expected CSV") from error
    names = next(csv.reader([text]), [])
    for delimiter in _DELIMITERS:
        if len(names) < len(columns) <= text.count(delimiter) + 1:
            raise InvalidFile(f"{path.name}: fields are separated by {delimiter!r}; expected commas")
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InvalidFile(f"{path.name}: the header has the column {repeated!r} twice")
    for name in columns:
        if name not in names:
            raise InvalidFile(f"{path.name} has no column {name!r} in its header; {nearest(name, names)}")
    return text.encode() + b"\n", names


def _whole_lines(file: gzip.GzipFile | IO[bytes], size: int) -> Iterator[bytes]:
    """The rest of the file in pieces of about `size` bytes that end where a line ends."""
    rest = b""
    while piece := file.read(size):
        cut = piece.rfind(b"\n") + 1
        if not cut:
            rest += piece
            continue
        yield rest + piece[:cut]
        rest = piece[cut:]
    if rest.strip():
        yield rest


def _parsed(
    path: Path, header: bytes, names: list[str], columns: Sequence[str], text: bytes, start: int
) -> pl.DataFrame:
    table = io.BytesIO(header + text.rstrip(b"\r\n") + b"\n")
    try:
        frame = pl.read_csv(table, infer_schema_length=0, columns=list(columns))
    except pl.exceptions.PolarsError as error:
        _refuse_ragged(path, names, text, start)
        words = str(error).strip().splitlines()[0]
        raise InvalidFile(f"{path.name}: cannot be read after row {start:,}: {words}") from error
    if any(frame.null_count().row(0)):
        _refuse_ragged(path, names, text, start)
    return frame.fill_null("")


def _refuse_ragged(path: Path, names: list[str], text: bytes, start: int) -> None:
    """Raise at the first row that has more or fewer fields than the header, or that is no text."""
    for i, fields in enumerate(csv.reader(io.TextIOWrapper(io.BytesIO(text.rstrip(b"\r\n")), "utf-8", "replace", ""))):
        if len(fields) != len(names):
            raise InvalidFile(
                f"{path.name}: row {start + i + 1:,} (the first below the header is 1) has {len(fields)} fields; "
                f"the header has {len(names)}"
            )
        for name, field in zip(names, fields, strict=True):
            if "�" in field:
                raise InvalidFile(f"{path.name}: {place(start + i, name)} is not UTF-8 text: {field!r}")
