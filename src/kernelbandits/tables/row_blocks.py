"""The rows of a table on disk, a block at a time: the same rows and kinds of columns for blocks of any size."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import polars as pl

from kernelbandits.errors import InvalidFile
from kernelbandits.tables.columns import refuse_unknown
from kernelbandits.tables.csv_files import read_csv
from kernelbandits.tables.files import cleaned, read_frame, understood


@final
@dataclass(frozen=True, slots=True)
class RowBlocks:
    """A table of n rows in a file. `kinds` are those text columns of a CSV file that hold numbers in every row."""

    name: str
    n: int
    _frame: pl.LazyFrame
    _missing: tuple[str, ...]
    _kinds: Mapping[str, Any]
    _is_text: bool

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._frame.collect_schema().names()

    def block(self, start: int, stop: int, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return the rows from `start` to `stop`, or some columns of them, with null where an entry is missing."""
        return self._collected(self._frame.slice(start, stop - start), start, columns)

    def spread(self, most: int, columns: Sequence[str]) -> pl.DataFrame:
        """Return at most so many rows, evenly spaced; all of them if they are not more."""
        return self._collected(self._frame.gather_every(-(-self.n // most)), 0, columns)

    def _collected(self, frame: pl.LazyFrame, start: int, columns: Sequence[str] | None) -> pl.DataFrame:
        try:
            rows = (frame if columns is None else frame.select(columns)).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            words = str(error).strip().splitlines()[0]
            raise InvalidFile(f"{self.name} cannot be read after row {start:,}: {words}") from error
        if self._is_text:
            rows = rows.with_columns(pl.col(pl.String).str.strip_chars())
        rows = cleaned(rows, self._missing)
        return rows.with_columns(pl.col(name).cast(kind) for name, kind in self._kinds.items() if name in rows.columns)

    def refuse_unknown(self, columns: tuple[str, ...]) -> None:
        """Raise if the table has no column of such a name."""
        refuse_unknown(columns, self.columns, self.name)


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
            kinds = _number_kinds(frame, missing) if is_text else {}
        yield RowBlocks(path.name, n, frame, missing, kinds, is_text)


def _number_kinds(frame: pl.LazyFrame, missing: tuple[str, ...]) -> dict[str, Any]:
    """Return the text columns in which every entry that is not missing is a number, and of which kind."""
    texts = [name for name, kind in frame.collect_schema().items() if kind == pl.String]
    if not texts:
        return {}
    stripped = frame.select(pl.col(texts).str.strip_chars())
    present = stripped.select(
        pl.when(pl.col(texts).is_in(list(missing))).then(None).otherwise(pl.col(texts)).name.keep()
    )
    kinds = {"texts": pl.String(), "floats": pl.Float64(), "whole": pl.Int64()}
    empty = {
        key: present.select(pl.col(texts).cast(kind, strict=False).null_count()).collect(engine="streaming").row(0)
        for key, kind in kinds.items()
    }
    n = int(frame.select(pl.len()).collect().item())
    found: dict[str, Any] = {}
    for j, name in enumerate(texts):
        fits = next((key for key in ("whole", "floats") if empty[key][j] == empty["texts"][j] < n), None)
        if fits is not None:
            found[name] = kinds[fits]
    return found
