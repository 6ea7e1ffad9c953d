"""When the rows of a log were written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelbandits.errors import InvalidFile, shown
from kernelbandits.types import Array

if TYPE_CHECKING:
    import polars as pl


def times_in(frame: pl.DataFrame, name: str, file: str) -> Array | None:
    """Return the column of times as seconds, or as the numbers that it has; None if there is no such column."""
    import polars as pl

    from kernelbandits.tables import numbers_in

    if name not in frame.columns:
        return None
    column = frame[name]
    if column.dtype == pl.String:
        column = _parsed(column, file)
    if column.dtype in (pl.Date, pl.Datetime):
        column = column.dt.epoch("us") / 1e6
    elif column.dtype == pl.Duration:
        column = column.dt.total_microseconds() / 1e6
    elif column.dtype == pl.Time:
        column = column.cast(pl.Int64) / 1e9
    return numbers_in(column.alias(name), file)


def _parsed(texts: pl.Series, file: str) -> pl.Series:
    """Texts as times; refused if one of them is none."""
    import polars as pl

    from kernelbandits.tables import first, place

    try:
        times = texts.str.to_datetime(strict=False)
    except pl.exceptions.ComputeError:  # polars knows no format for the first of them
        times = pl.Series(texts.name, [None] * len(texts), dtype=pl.Datetime)
    row = first(times.is_null() & texts.is_not_null())
    if row is not None:
        raise InvalidFile(
            f"{file}: {place(row, texts.name)} is {shown(texts[row])}, which is no time; expected a time such as "
            "2026-01-31 12:00:00, or a number. If the column is something else, name the column of times"
        )
    return times
