"""CSV files, plain or gzip: read in memory, or as blocks of texts, so that memory does not grow with the file."""

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import IO, NamedTuple, TypeVar

import polars as pl

from kernelbandits.errors import InvalidFile, shown
from kernelbandits.linalg import available_memory, memory_text, require_memory
from kernelbandits.tables.columns import place, refuse_repeated, refuse_unknown

_LONGEST_HEADER = 1 << 23
_LARGEST_RATIO = 1032  # of gzip
BLOCK_BYTES = 1 << 24  # text read at a time: enough to parse with all threads, little compared with a polars process
_OTHER_KINDS = {b"PK": "a zip archive; unpack it", b"PAR1": "a parquet file", b"BZh": "a bzip2 file; unpack it"}
_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "bars"}
T = TypeVar("T")


class TextBlock(NamedTuple):
    """Rows of a file, all columns as texts; `start` rows of the file come before them."""

    rows: pl.DataFrame
    start: int


def read_csv(path: Path, use: Callable[[pl.LazyFrame], T]) -> T:
    """Return `use(scan)` for a scan of the file with the types of its columns; types are those of the first rows.

    If a later row does not fit them, `use` is called again with the types of all rows.
    """
    with _opened(path) as file:
        _, names = _header(path, file)
    try:
        try:
            return use(pl.scan_csv(path, infer_schema_length=1000, glob=False))
        except pl.exceptions.ComputeError:
            return use(pl.scan_csv(path, infer_schema_length=None, glob=False))
    except pl.exceptions.ComputeError as error:
        with _opened(path) as file:
            _header(path, file)
            _refuse_bad_row(path, names, file, fewest=0)
        raise InvalidFile(f"{path.name} cannot be read: {str(error).strip().splitlines()[0]}") from error


def require_memory_for(path: Path) -> None:
    """Raise `TooLarge` if the text of the file does not fit into memory. Of gzip data, only reading tells the size."""
    size, most = path.stat().st_size, available_memory()
    with _opened(path) as file:
        if isinstance(file, gzip.GzipFile) and size * _LARGEST_RATIO > most:
            size = 0
            while size <= most and (piece := file.read(BLOCK_BYTES)):
                size += len(piece)
    require_memory(size, f"{path.name}, unpacked,", "leave out rows or columns")


def read_blocks(path: Path, columns: Sequence[str], block_bytes: int = BLOCK_BYTES) -> Iterator[TextBlock]:
    """Yield these columns of a CSV file as texts, block by block. An empty field is the text ''.

    Every row must have as many fields as the header.
    """
    if not path.is_file():
        raise InvalidFile(f"no such file: {path}; expected a .csv or .csv.gz file")
    start = 0
    try:
        with _opened(path) as file:
            header, names = _header(path, file)
            refuse_unknown(columns, names, path.name)
            for text in _whole_lines(file, block_bytes):
                rows = _parsed(path, header, names, columns, text, start)
                yield TextBlock(rows, start)
                start += rows.height
    except EOFError as error:
        words = f"{path.name}: the gzip data end too early, after row {start:,}; get the file again"
        raise InvalidFile(words) from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise InvalidFile(f"{path.name}: the gzip data are broken after row {start:,} ({error})") from error
    if not start:
        raise InvalidFile(f"{path.name} has a header but no rows")


def _opened(path: Path) -> gzip.GzipFile | IO[bytes]:
    """Open the text of a file. Its first bytes say what it is, whatever its name."""
    with path.open("rb") as file:
        magic = file.read(4)
    for prefix, kind in _OTHER_KINDS.items():
        if magic.startswith(prefix):
            raise InvalidFile(f"{path.name} is {kind}; expected CSV or CSV in gzip")
    return gzip.open(path, "rb") if magic.startswith(b"\x1f\x8b") else path.open("rb")


def _header(path: Path, file: gzip.GzipFile | IO[bytes]) -> tuple[bytes, list[str]]:
    """Read the header: its bytes without byte order mark, and the names in it. Raise if there is none."""
    line = file.readline(_LONGEST_HEADER)
    if not line:
        raise InvalidFile(f"{path.name} is empty; expected a header and rows")
    if len(line) == _LONGEST_HEADER:
        raise InvalidFile(f"{path.name}: the first line is longer than {memory_text(len(line))}; expected a header")
    try:
        text = line.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise InvalidFile(f"{path.name}: the header is not UTF-8 text ({error.reason}); expected CSV") from error
    try:
        names = next(csv.reader([text]), [])
    except csv.Error as error:
        raise InvalidFile(f"{path.name}: the header cannot be read ({error}); expected names and commas") from error
    for delimiter, word in _DELIMITERS.items():
        if len(names) == 1 and delimiter in text:
            raise InvalidFile(
                f"{path.name} seems to be separated by {word} (its header is {text[:60]!r}); "
                "expected commas: write it again with commas"
            )
    if all(_is_number(name) for name in names):
        raise InvalidFile(f"{path.name} has no header: its first row is {', '.join(names[:3])} …; name the columns")
    refuse_repeated(names, path.name)
    return text.encode() + b"\n", names


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _whole_lines(file: gzip.GzipFile | IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the rest of the file in pieces of about `size` bytes that end where a line ends."""
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
    lines = text.rstrip(b"\r\n")
    try:
        frame = pl.read_csv(io.BytesIO(header + lines + b"\n"), infer_schema_length=0, columns=list(columns))
    except pl.exceptions.PolarsError as error:
        _refuse_bad_row(path, names, io.BytesIO(lines), len(names), start)
        words = str(error).strip().splitlines()[0]
        raise InvalidFile(f"{path.name} cannot be read after row {start:,}: {words}") from error
    if any(frame.null_count().row(0)):
        _refuse_bad_row(path, names, io.BytesIO(lines), len(names), start)
    return frame.fill_null("")


def _refuse_bad_row(path: Path, names: list[str], lines: Iterable[bytes], fewest: int, start: int = 0) -> None:
    """Raise at the first row with more fields than the header, fewer than `fewest`, or bytes that are no text."""
    rows = csv.reader(line.decode("utf-8", "replace") for line in lines)
    for row in count(start):
        where = f"{path.name}: row {row + 1:,} (the first below the header is 1)"
        try:
            fields = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise InvalidFile(f"{where}: {error}") from error
        if not fewest <= len(fields) <= len(names):
            raise InvalidFile(f"{where} has {len(fields)} fields; the header has {len(names)}")
        for name, field in zip(names, fields, strict=False):
            if "�" in field:
                raise InvalidFile(f"{path.name}: {place(row, name)} is not UTF-8 text: {shown(field)}")
