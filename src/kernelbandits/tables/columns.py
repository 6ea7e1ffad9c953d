"""Checks of table columns. Messages name the file, the row and the column."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from kernelbandits.checks import HUGE
from kernelbandits.errors import InvalidFile, nearest
from kernelbandits.types import Array


def first(mask: pl.Series) -> int | None:
    """Return the first row where the mask is true, or None."""
    return int(mask.arg_max() or 0) if mask.any() else None


def place(row: int, name: str) -> str:
    """Return row and column as they appear in messages; `row` counts from 0."""
    return f"row {row + 1:,} (the first below the header is 1), column {name!r}"


def some(words: Sequence[str], most: int = 6) -> str:
    """Return the first few of a list, and how many more there are."""
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def choose_features(
    known: Sequence[str],
    columns: Sequence[str],
    drop: Sequence[str],
    taken: Sequence[str],
    file: str,
    categorical: Sequence[str] = (),
) -> list[str]:
    """Return the feature columns: `columns`, or all known ones, without `drop` and those `taken` for another use."""
    for name in (*columns, *drop, *categorical, *taken):
        if name not in known:
            raise InvalidFile(f"{file} has no column {name!r}; {nearest(name, known)}")
    both = next((name for name in (*columns, *categorical) if name in taken), None)
    if both is not None:
        raise InvalidFile(f"{file}: column {both!r} has another use and cannot be a feature as well; name it once")
    chosen = [name for name in dict.fromkeys(columns or known) if name not in taken and name not in drop]
    if not chosen:
        raise InvalidFile(f"{file} has no column left as a feature; it has {', '.join(known)}")
    return chosen


def is_number(column: pl.Series) -> bool:
    """Whether the type of a column is a number or a truth value."""
    return column.dtype.is_numeric() or column.dtype == pl.Boolean


def mostly_numbers(column: pl.Series) -> int | None:
    """Return the first row of a text column that is no number although more than half of them are, or None."""
    numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
    n_texts, n_numbers = len(column) - column.null_count(), len(column) - numbers.null_count()
    return first(column.is_not_null() & numbers.is_null()) if n_texts / 2 < n_numbers < n_texts else None


def not_numeric(column: pl.Series) -> str:
    """Say why a column cannot be taken as numbers."""
    row = mostly_numbers(column) if column.dtype == pl.String else None
    if row is not None:
        return f"{place(row, column.name)} is {column[row]!r}, not a number"
    return f"column {column.name!r} is not numeric (type {column.dtype}, first {column.drop_nulls()[0]!r})"


def refuse_non_finite(column: pl.Series, file: str, remedy: str) -> None:
    """Raise with row and column at the first NaN, infinity, or number whose square would overflow."""
    if not column.dtype.is_float():
        return
    wrong = ~(column.is_finite() & (column.abs() <= HUGE)).fill_null(True)
    row = first(wrong)
    if row is not None:
        raise InvalidFile(f"{file}: {place(row, column.name)} is {column[row]} ({int(wrong.sum())} such); {remedy}")


def refuse_gaps(column: pl.Series, file: str) -> None:
    """Raise with row and column at the first missing entry."""
    row = first(column.is_null())
    if row is not None:
        raise InvalidFile(
            f"{file}: {place(row, column.name)} is empty ({column.null_count()} such); fill it or leave out the row"
        )


def numbers_in(column: pl.Series, file: str) -> Array:
    """Return a column as finite numbers, none of them missing, shape (n,)."""
    refuse_gaps(column, file)
    if not is_number(column):
        raise InvalidFile(f"{file}: {not_numeric(column)}; expected a number in every row")
    refuse_non_finite(column, file, "correct it or leave out the row")
    return column.cast(pl.Float64).to_numpy().copy()
