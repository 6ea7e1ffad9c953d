"""Tables as their owners hold them: data frames, Arrow tables, dictionaries of columns, files; and single rows."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import polars as pl

from kernelbandits.errors import InvalidArgument, InvalidFile, shown
from kernelbandits.tables.columns import place, refuse_repeated
from kernelbandits.tables.files import cleaned, read_frame

KINDS = "a data frame, an Arrow table, a dictionary of columns, or the path of a .csv, .parquet or .npz file"


def as_frame(table: Any, missing: Sequence[str] = ()) -> tuple[pl.DataFrame, str]:
    """Return the table as a polars frame, with null where an entry is missing, and its name for messages."""
    if isinstance(table, str | os.PathLike):
        path = Path(table)
        return read_frame(path, missing), path.name
    frame = _from_columns(table) if isinstance(table, Mapping) else _from_native(table)
    return cleaned(frame, missing), "the table"


def as_row(table: Any) -> Mapping[str, Any] | None:
    """Return a row as a mapping from column to entry, or None if this is none.

    Mappings of single entries, named tuples, and rows that pandas takes from a frame are rows.
    """
    if isinstance(table, Mapping):
        return None if any(_is_column(value) for value in table.values()) else table
    if isinstance(table, tuple) and hasattr(table, "_asdict"):
        row: Mapping[str, Any] = table._asdict()
        return row
    if getattr(table, "ndim", 0) == 1 and hasattr(table, "to_dict"):
        entries: Mapping[str, Any] = table.to_dict()
        return entries
    return None


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _from_native(table: Any) -> pl.DataFrame:
    try:
        eager = nw.from_native(table, pass_through=False)
    except TypeError as error:
        row = "; one row may also be a mapping from column to entry, or a named tuple"
        raise InvalidArgument(f"table must be {KINDS}{row}; got {type(table).__name__}") from error
    except nw.exceptions.NarwhalsError as error:
        raise InvalidArgument(f"the table cannot be read: {one_line(error)}") from error
    if isinstance(eager, nw.LazyFrame):
        eager = eager.collect("polars")
    names = [str(name) for name in eager.columns]
    refuse_repeated(names, "the table")
    try:
        frame: pl.DataFrame = eager.to_polars()
        frame.columns = names
        return frame
    except (ValueError, TypeError, OverflowError, NotImplementedError, ImportError):
        # a column of mixed kinds, which is found and named entry by entry
        return _from_columns({column.name: column.to_list() for column in eager.iter_columns()})


def _from_columns(columns: Mapping[Any, Any]) -> pl.DataFrame:
    names = [str(name) for name in columns]
    if not names:
        raise InvalidArgument("the table has no columns; expected one list of entries per feature")
    refuse_repeated(names, "the table")
    if "" in names:
        raise InvalidFile("the table has a column whose name is empty; name it")
    named = dict(zip(names, columns.values(), strict=True))
    _refuse_mixture(named)
    made = [_series(name, values) for name, values in named.items()]
    uneven = next((series for series in made if len(series) != len(made[0])), None)
    if uneven is not None:
        raise InvalidFile(
            f"the table has columns of different lengths: {names[0]!r} has {len(made[0])} entries, "
            f"{uneven.name!r} has {len(uneven)}"
        )
    return pl.DataFrame(made)


def _refuse_mixture(columns: Mapping[str, Any]) -> None:
    """Raise if some columns are lists and others single entries; the message names one of the rarer kind."""
    lists = [name for name, values in columns.items() if _is_column(values)]
    singles = [name for name in columns if name not in lists]
    if 0 < len(lists) < len(singles):
        odd, other = lists[0], singles[0]
        raise InvalidFile(
            f"the row: column {odd!r} is {shown(columns[odd])}; expected a single entry, as column {other!r} has"
        )
    if singles:
        others = f", as column {lists[0]!r} has" if lists else ""
        raise InvalidFile(
            f"the table: column {singles[0]!r} is {shown(columns[singles[0]])}; expected a list of entries{others}"
        )


def _series(name: str, values: Any) -> pl.Series:
    try:
        return pl.Series(name, values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return _mixed(name, list(values))


def _mixed(name: str, values: list[Any]) -> pl.Series:
    """Return numbers of different kinds as floats; raise at the first entry that is no number."""
    known = [(row, value) for row, value in enumerate(values) if value is not None and value == value]
    numeric = [isinstance(value, int | float) or hasattr(value, "__float__") for _, value in known]
    if all(numeric):
        return pl.Series(name, [None if value is None else float(value) for value in values])
    if all(isinstance(value, str) for _, value in known):  # pandas has NaN among texts
        return pl.Series(name, [value if isinstance(value, str) else None for value in values], dtype=pl.String)
    odd = next((row for (row, _), number in zip(known, numeric, strict=True) if number != numeric[0]), None)
    if odd is None:
        row, value = known[0]
        kind = type(value).__name__
        raise InvalidFile(f"the table: {place(row, name)} is of type {kind}, neither a number nor a text; leave it out")
    raise InvalidFile(
        f"the table: {place(odd, name)} is {shown(values[odd])}, of type {type(values[odd]).__name__}; "
        f"the entries before are of type {type(known[0][1]).__name__}. Give one kind per column"
    )


def one_line(error: Exception) -> str:
    """Return the message of an error, or its kind if it has none."""
    return " ".join((str(error) or type(error).__name__).split())
