"""Columns of a table: which are features, what they hold, and which are refused. Messages name file, row and column."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl
import polars.selectors as cs

from kernelbandits.checks import HUGE
from kernelbandits.errors import InvalidFile, nearest, shown
from kernelbandits.tables.levels import level_texts
from kernelbandits.types import Array, BoolArray, IntArray


def first(mask: pl.Series) -> int | None:
    """Return the first row where the mask is true, or None."""
    return int(mask.arg_max() or 0) if mask.any() else None


def place(row: int, name: str) -> str:
    """Return row and column as they appear in messages; `row` counts from 0."""
    return f"row {row + 1:,} (the first below the header is 1), column {shown(name)}"


def some(words: Sequence[str], most: int = 6) -> str:
    """Return the first few of a list, and how many more there are."""
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more


def refuse_unknown(names: Sequence[str], known: Sequence[str], file: str) -> None:
    """Raise if the table has no column of such a name."""
    for name in names:
        if name not in known:
            raise InvalidFile(f"{file} has no column {name!r}; {nearest(name, known)}")


def refuse_repeated(names: Sequence[str], file: str) -> None:
    """Raise if two columns of a table have the same name."""
    twice = next((name for name, n in Counter(names).items() if n > 1), None)
    if twice is not None:
        raise InvalidFile(f"{file} has two columns called {twice!r}; rename one of them")


def choose_features(
    known: Sequence[str],
    columns: Sequence[str],
    drop: Sequence[str],
    taken: Sequence[str],
    file: str,
    categorical: Sequence[str] = (),
) -> list[str]:
    """Return the feature columns: `columns`, or all known ones, without `drop` and those `taken` for another use."""
    refuse_unknown((*columns, *drop, *categorical, *taken), known, file)
    both = next((name for name in (*columns, *categorical) if name in taken), None)
    if both is not None:
        raise InvalidFile(f"{file}: column {both!r} has another use and cannot be a feature as well; name it once")
    chosen = [name for name in dict.fromkeys(columns or known) if name not in taken and name not in drop]
    if not chosen:
        raise InvalidFile(f"{file} has no column left as a feature; it has {some(known)}")
    return chosen


def is_number(column: pl.Series) -> bool:
    """Whether the type of a column is a number or a truth value."""
    return column.dtype.is_numeric() or column.dtype == pl.Boolean


_FEW = 100  # with fewer rows than this, different numbers are no sign of an identifier


def looks_like_identifier(column: pl.Series) -> bool:
    """Whether a column of numbers has many entries, all of them whole and all different."""
    known = column.drop_nulls()
    if len(known) < _FEW or not column.dtype.is_numeric():
        return False
    whole = column.dtype.is_integer() or bool((known == known.floor()).all())
    return whole and known.n_unique() == len(known)


def mostly_numbers(column: pl.Series) -> int | None:
    """Return the first row of a text column that is no number although more than half of them are, or None."""
    if column.dtype != pl.String:
        return None
    numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
    n_texts, n_numbers = len(column) - column.null_count(), len(column) - numbers.null_count()
    return first(column.is_not_null() & numbers.is_null()) if n_texts / 2 < n_numbers < n_texts else None


def not_numeric(column: pl.Series) -> str:
    """Say why a column cannot be taken as numbers."""
    row = mostly_numbers(column)
    if row is not None:
        return f"{place(row, column.name)} is {shown(column[row])}, not a number"
    return f"column {column.name!r} is not numeric (type {column.dtype}, first {shown(column.drop_nulls()[0])})"


def refuse_non_finite(frame: pl.DataFrame, file: str, remedy: str, start: int = 0) -> None:
    """Raise with row and column at the first NaN, infinity, or number whose square would overflow.

    Here and below, `start` rows of the file come before those of the table.
    """
    floats = frame.select(cs.float())
    ends = pl.concat([floats.select(pl.all().nan_min()), floats.select(pl.all().nan_max())])  # NaN if there is one
    for name in (column.name for column in ends if not (column.drop_nulls().abs() <= HUGE).all()):
        wrong = ~(frame[name].is_finite() & (frame[name].abs() <= HUGE)).fill_null(True)
        row = int(wrong.arg_max() or 0)
        where, found = place(start + row, name), frame[name][row]
        raise InvalidFile(f"{file}: {where} is {found} ({int(wrong.sum())} such); {remedy}")


def refuse_gaps(column: pl.Series, file: str, start: int = 0) -> None:
    """Raise with row and column at the first missing entry."""
    row = first(column.is_null())
    if row is not None:
        where = place(start + row, column.name)
        raise InvalidFile(f"{file}: {where} is empty ({column.null_count()} such); fill it or leave out the row")


def numbers_in(column: pl.Series, file: str, start: int = 0) -> Array:
    """Return a column as finite numbers, none of them missing, shape (n,)."""
    refuse_gaps(column, file, start)
    if not is_number(column):
        raise InvalidFile(f"{file}: {not_numeric(column)}; expected a number in every row")
    refuse_non_finite(column.to_frame(), file, "correct it or leave out the row", start)
    return column.cast(pl.Float64).to_numpy().copy()


def probabilities_in(column: pl.Series, file: str) -> Array:
    """Return a column as propensities, each above 0 and at most 1, shape (n,)."""
    chances = numbers_in(column, file)
    wrong = np.flatnonzero((chances <= 0.0) | (chances > 1.0))
    if len(wrong):
        row, percent = int(wrong[0]), 1.0 < chances.max() <= 100.0 and chances.min() > 0.0
        raise InvalidFile(
            f"{file}: {place(row, column.name)} is {chances[row]:g} ({len(wrong)} such); "
            f"expected a probability above 0 and at most 1{'. Divide percentages by 100' if percent else ''}"
        )
    return chances


def arm_codes(column: pl.Series, arms: Sequence[str], file: str) -> IntArray:
    """Return the number of each row's arm, shape (n,); raise at the first that is not one of the arms."""
    refuse_gaps(column, file)
    texts = level_texts(column)
    codes = _level_codes(texts, pl.Series(arms))
    row = first(pl.Series(codes < 0))
    if row is not None:
        name = str(texts[row])
        raise InvalidFile(f"{file}: {place(row, column.name)} is {shown(name)}, which is no arm; {nearest(name, arms)}")
    return codes


def _level_codes(column: pl.Series, levels: pl.Series) -> IntArray:
    """Return the position of each entry among the levels, shape (n,); −1 for entries that are no level."""
    positions = pl.Series(np.arange(len(levels)))
    return column.replace_strict(levels, positions, default=-1, return_dtype=pl.Int64).to_numpy()


class Labels(NamedTuple):
    """Classes of rows: sorted names, the class of each of the m rows that have one, and which of the n rows do."""

    names: tuple[str, ...]
    codes: IntArray
    present: BoolArray


def refuse_labels(column: pl.Series, cuts: Sequence[float], file: str) -> None:
    """Raise if a column cannot hold classes."""
    refuse_non_finite(column.to_frame(), file, "correct it, or leave it empty to leave out the row")
    if column.null_count() == len(column):
        raise InvalidFile(f"{file}: column {column.name!r} is empty in every row; expected a class")
    if column.dtype.is_nested():
        raise InvalidFile(f"{file}: column {column.name!r} is of type {column.dtype}; expected a number or a text")
    if cuts and not column.dtype.is_numeric():
        raise InvalidFile(f"{file}: {not_numeric(column)}; cuts need numbers")


def read_labels(column: pl.Series, cuts: Sequence[float], min_rows: int, file: str) -> Labels:
    """Return the classes in a column; with `cuts` the intervals (−∞, c₁), [c₁, c₂), …, [c_m, ∞) of a number.

    Raise if there is only one class, or one with fewer than `min_rows` rows.
    """
    refuse_labels(column, cuts, file)
    present = column.is_not_null()
    names, codes = _classes(column.filter(present), cuts)
    counts = np.bincount(codes, minlength=len(names))
    if (counts > 0).sum() < 2:
        raise InvalidFile(
            f"{file}: every row of column {column.name!r} has the class {names[int(codes[0])]!r}; "
            "expected at least two classes"
        )
    few = [f"{name!r} ({count})" for name, count in zip(names, counts, strict=True) if count < min_rows]
    if few:
        raise InvalidFile(
            f"{file}: column {column.name!r} has {len(names)} classes, of which {len(few)} have fewer than {min_rows} "
            f"rows: {some(few)}; leave these out or join them, give cuts for a number, or lower min_rows"
        )
    return Labels(names, codes, present.to_numpy())


def _classes(values: pl.Series, cuts: Sequence[float]) -> tuple[tuple[str, ...], IntArray]:
    if cuts:
        middle = (f"{low:g} to {high:g}" for low, high in pairwise(cuts))
        names = (f"below {cuts[0]:g}", *middle, f"from {cuts[-1]:g}")
        return names, np.searchsorted(cuts, values.cast(pl.Float64).to_numpy(), side="right")
    plain = values.cast(pl.String) if values.dtype in (pl.Categorical, pl.Enum) else values
    levels = plain.unique().sort()
    names = tuple(f"{level:.12g}" if isinstance(level, float) else str(level) for level in levels)
    return names, _level_codes(plain, levels)
