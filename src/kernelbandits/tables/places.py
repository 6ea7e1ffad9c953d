"""Where in a table something is wrong, in words."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl


def first(mask: pl.Series) -> int | None:
    """The first row where the mask is true, None if there is none."""
    return int(mask.arg_max() or 0) if mask.any() else None


def place(row: int, name: str) -> str:
    """Row and column, in the words of all messages."""
    return f"row {row + 1} (the first below the header is 1), column {name!r}"


def some(words: Sequence[str], most: int = 6) -> str:
    """The first few of a list, and how many more there are."""
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def mostly_numbers(column: pl.Series) -> int | None:
    """The first row of a text column that is not a number although more than half of them are; None otherwise."""
    texts = column.drop_nulls()
    numbers = texts.str.strip_chars().cast(pl.Float64, strict=False)
    n_numbers = len(numbers) - numbers.null_count()
    if not len(numbers) / 2 < n_numbers < len(numbers):
        return None
    return first(column.is_not_null() & column.str.strip_chars().cast(pl.Float64, strict=False).is_null())


def not_numeric(column: pl.Series) -> str:
    """Why a column cannot be taken as numbers."""
    if column.dtype == pl.String:
        row = mostly_numbers(column)
        if row is not None:
            return f"{place(row, column.name)} is {column[row]!r}, not a number"
        texts = column.drop_nulls()
        if len(texts) and texts.str.strip_chars().cast(pl.Float64, strict=False).null_count() == 0:
            return f"column {column.name!r} holds numbers with blanks around them"
    return f"column {column.name!r} is not numeric (type {column.dtype}, first {column.drop_nulls()[0]!r})"
