"""Single rows, such as a service gets: read entry by entry, because a table of one row takes a millisecond to make."""

import datetime
import math
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, final

import numpy as np
import polars as pl

from kernelbandits.checks import HUGE
from kernelbandits.errors import InvalidFile, nearest, shown
from kernelbandits.tables.levels import is_missing, level_text
from kernelbandits.tables.numbered_columns import NumberedColumns, as_numbers
from kernelbandits.types import Array

_START, _MICROSECOND = datetime.datetime(1970, 1, 1), datetime.timedelta(microseconds=1)
_PLAIN = frozenset((float, int))
_TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


@final
class RowReader:
    """Reads one row as `NumberedColumns.transform` reads a table: the same numbers, and the same refusals."""

    __slots__ = ("_blank", "_categories", "_entries", "_means", "_missing", "_nan_is_missing", "_numerical", "_times")

    def __init__(self, columns: NumberedColumns, missing: Sequence[str]) -> None:
        p = len(columns.numerical)
        marks = {name: p + j for j, name in enumerate(columns.gaps)}
        self._numerical = [(j, name, marks.get(name)) for j, name in enumerate(columns.numerical)]
        self._times = frozenset(columns.times)
        self._entries = itemgetter(*columns.numerical) if p > 1 and not self._times else None
        self._means = [float(mean) for mean in columns.means]
        self._categories: list[tuple[str, dict[str | None, int], int | None]] = []
        start = p + len(marks)
        for levels in columns.categories:
            places = {level: start + i for i, level in enumerate(levels.common)}
            self._categories.append((levels.column, places, start + len(places) if levels.n_pooled else None))
            start += len(levels.names)
        self._blank = np.zeros(start)
        self._missing = frozenset(missing)
        self._nan_is_missing = "nan" in (text.casefold() for text in missing)

    def read(self, row: Mapping[str, Any]) -> Array:
        """Return the numbered columns of a row, shape (p + gaps + levels,)."""
        numbers = self._blank.copy()
        if not self._are_plain(row, numbers):
            self._read_numerical(row, numbers)
        for name, places, rare in self._categories:
            value = self._entry(row, name)
            if type(value) is not str:
                value = self._level(name, value)
            place = places.get(None if value in self._missing else value, rare)
            if place is not None:
                numbers[place] = 1.0
        return numbers

    def _are_plain(self, row: Mapping[str, Any], numbers: Array) -> bool:
        """Write all numerical columns at once if their entries are plain numbers; return whether they are."""
        if self._entries is None:
            return False
        try:
            values = self._entries(row)
        except KeyError:
            return False
        if not _PLAIN.issuperset(map(type, values)) or not (min(values) >= -HUGE and max(values) <= HUGE):
            return False
        numbers[: len(values)] = values
        return not math.isnan(sum(values))

    def _read_numerical(self, row: Mapping[str, Any], numbers: Array) -> None:
        for j, name, mark in self._numerical:
            value = self._entry(row, name)
            if type(value) is not float or not -HUGE <= value <= HUGE:
                value = self._number(name, value)
            if value is None:
                value = self._means[j]
                if mark is not None:
                    numbers[mark] = 1.0
            numbers[j] = value

    def _entry(self, row: Mapping[str, Any], name: str) -> Any:
        try:
            return row[name]
        except KeyError:
            known = {str(key): value for key, value in row.items()}  # tables may have numbers as names of columns
            if name in known:
                return known[name]
            raise InvalidFile(f"the row has no column {name!r}; {nearest(name, known)}") from None

    def _number(self, name: str, value: Any) -> float | None:
        """The number that an entry stands for, None if it is missing; raise if it is neither."""
        if isinstance(value, str) and value in self._missing:
            return None
        if is_missing(value) and (self._nan_is_missing or not isinstance(value, float | np.floating)):
            return None
        if isinstance(value, _TIMES) != (name in self._times):
            wanted = "a date or time" if name in self._times else "a number"
            raise _unfit(name, value, f"{wanted}, as when the encoding was fitted")
        if name in self._times:
            return _microseconds(value)
        if isinstance(value, str | bytes) or not hasattr(value, "__float__"):
            raise _unfit(name, value, "a number, as when the encoding was fitted")
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise _unfit(name, value, "a number") from None
        if not math.isfinite(number) or abs(number) > HUGE:
            raise _unfit(name, value, f"a finite number of at most {HUGE:g}, or None if it is missing")
        return number

    def _level(self, name: str, value: Any) -> str | None:
        if isinstance(value, bytes | Mapping) or (hasattr(value, "__len__") and not isinstance(value, str)):
            raise _unfit(name, value, "a text or a number")
        return level_text(value)


def _microseconds(value: Any) -> float:
    """The number of a date or time, as `as_numbers` has it."""
    if isinstance(value, datetime.datetime):
        value = value - (_START if value.tzinfo is None else _START.replace(tzinfo=datetime.UTC))
    elif isinstance(value, datetime.date):
        value = datetime.timedelta(value.toordinal() - _START.toordinal())
    if isinstance(value, datetime.timedelta):
        return float(value // _MICROSECOND)
    entry = np.array([value]).astype(f"{value.dtype.kind}8[us]") if isinstance(value, np.generic) else [value]
    times = pl.Series(entry)
    return float(pl.select(as_numbers(pl.lit(times), times.dtype)).item())


def _unfit(name: str, value: Any, expected: str) -> InvalidFile:
    return InvalidFile(f"the row: column {name!r} is {shown(value)}; expected {expected}")
