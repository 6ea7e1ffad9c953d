"""The columns of a table as numbers, before anything is scaled."""

from collections.abc import Iterable, Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from kernelbandits.errors import InvalidFile, counted
from kernelbandits.linalg import require_memory
from kernelbandits.tables.columns import is_number, not_numeric, refuse_non_finite, refuse_unknown, some
from kernelbandits.tables.levels import Levels, fit_levels
from kernelbandits.types import Array

_COPIES = 3  # arrays of the size of the encoded table that are in memory while it is encoded
_APART = 8  # numbers between two columns, as entries that are a power of 2 apart take each other's place in the cache


def as_numbers(column: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """A column of this kind as floats; dates and times as microseconds (since 1970), null where an entry is missing."""
    if kind == pl.Duration:
        column = column.dt.total_microseconds()
    elif kind == pl.Time:
        column = column.cast(pl.Int64) // 1000
    elif kind.is_temporal():
        column = column.cast(pl.Datetime("us")).dt.epoch("us")
    return column.cast(pl.Float64)


class NumberedColumns(NamedTuple):
    """The columns of a table as numbers: missing ones filled, categories as 0/1 columns. Nothing is scaled.

    A missing number becomes the mean of its column, and 0/1 columns mark those of the columns `gaps`. Those of the
    columns `times` are dates or times.
    """

    numerical: tuple[str, ...]
    times: tuple[str, ...]
    means: Array
    gaps: tuple[str, ...]
    categories: tuple[Levels, ...]
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all resulting columns: p numbers, marks of gaps, levels."""
        labels = (name for levels in self.categories for name in levels.names)
        return (*self.numerical, *(f"{name} is missing" for name in self.gaps), *labels)

    @property
    def sources(self) -> tuple[str, ...]:
        """The column of the table that each resulting column comes from."""
        levels = (entry.column for entry in self.categories for _ in entry.names)
        return (*self.numerical, *self.gaps, *levels)

    def transform(self, frame: pl.DataFrame) -> Array:
        """Return the columns of a table one after the other, shape (p + gaps + levels, n)."""
        shape = (len(self.names), frame.height)
        what = f"a table of {shape[1]:,} rows and {shape[0]:,} encoded columns"
        require_memory(_COPIES * 8 * prod(shape), what, "use fewer rows (max_rows) or pool more levels (rare)")
        columns = np.zeros((shape[0], shape[1] + _APART))[:, : shape[1]]
        for row, numbers in zip(columns, _filled(frame, self.numerical, self.means), strict=False):
            row[:] = numbers.to_numpy()
        start = len(self.numerical)
        for row, name in zip(columns[start:], self.gaps, strict=False):
            row[:] = frame[name].is_null().to_numpy()
        start += len(self.gaps)
        for levels in self.categories:
            stop = start + len(levels.names)
            levels.transform(frame[levels.column], columns[start:stop])
            start = stop
        return columns

    def one_hot(self, frame: pl.DataFrame) -> csr_array:
        """Return the 0/1 columns of the levels, shape (n, levels), without the zeros: for very many levels."""
        codes = np.array([levels.codes(frame[levels.column]) for levels in self.categories]).T
        widths = np.array([len(levels.names) for levels in self.categories])
        known = codes < widths
        places = (codes + np.cumsum(widths) - widths)[known]
        starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
        return csr_array((np.ones(len(places)), places, starts), shape=(frame.height, widths.sum()))

    def refuse(self, frame: pl.DataFrame, file: str) -> None:
        """Raise if a column is missing, or holds something other than when it was fitted."""
        refuse_unknown((*self.numerical, *(levels.column for levels in self.categories)), frame.columns, file)
        for levels in self.categories:
            kind = frame[levels.column].dtype
            if kind.is_nested() or kind in (pl.Object, pl.Binary):
                raise InvalidFile(
                    f"{file}: column {levels.column!r} is of type {kind}; it had texts or numbers when the encoding "
                    "was fitted"
                )
        for column in frame.select(self.numerical):
            if column.null_count() == len(column):
                continue
            if (column.name in self.times) != column.dtype.is_temporal():
                was, given = ("dates or times", "numbers") if column.name in self.times else ("numbers", "dates")
                found = not_numeric(column) if not is_number(column) else f"column {column.name!r} has {given}"
                raise InvalidFile(f"{file}: {found}; it had {was} when the encoding was fitted")
            if column.name not in self.times and not is_number(column):
                raise InvalidFile(f"{file}: {not_numeric(column)}; it was numeric when the encoding was fitted")
        refuse_non_finite(frame.select(self.numerical), file, "correct it, or leave it empty")


def number_columns(
    frame: pl.DataFrame, numerical: Sequence[str], categorical: Sequence[str], rare: int
) -> NumberedColumns:
    """Fit fillings and levels to a table. Categorical columns with a single level are left out."""
    missing = {name: frame[name].null_count() for name in (*numerical, *categorical)}
    gaps = {name: missing[name] for name in numerical if 0 < missing[name] < frame.height}
    times = [name for name in numerical if frame[name].dtype.is_temporal()]
    found = [fit_levels(frame[name], rare) for name in categorical]
    categories = tuple(levels for levels in found if len(levels.names) > 1)
    n_labels = sum(len(levels.names) for levels in categories)
    pooled = {levels.column: levels.n_pooled for levels in categories if levels.n_pooled}
    absent = {levels.column: missing[levels.column] for levels in categories if missing[levels.column]}
    single = [repr(levels.column) for levels in found if len(levels.names) == 1]
    notes = {
        f"missing numbers in {_told(gaps)}: filled with the mean, with a 0/1 column that marks them": gaps,
        f"dates and times as numbers: {some([repr(name) for name in times])}": times,
        f"{counted(len(categories), 'categorical column')} as {counted(n_labels, 'column')} of 0 and 1": categories,
        f"levels with fewer than {rare} rows share one column: {_told(pooled)}": pooled,
        f"missing categories are a separate level: {_told(absent)}": absent,
        f"left out, because they have one level, or none with {rare} rows: {some(single)}": single,
    }
    applying = tuple(note for note, subject in notes.items() if subject)
    return NumberedColumns(tuple(numerical), tuple(times), _means(frame, numerical), tuple(gaps), categories, applying)


def _told(counts: dict[str, int]) -> str:
    return some([f"{name!r} ({count})" for name, count in counts.items()])


def _filled(frame: pl.DataFrame, names: Sequence[str], values: Iterable[float]) -> pl.DataFrame:
    """Columns as floats, with a value in the place of what is missing."""
    kinds = frame.schema
    return frame.select(
        as_numbers(pl.col(name), kinds[name]).fill_null(float(value)) for name, value in zip(names, values, strict=True)
    )


def _means(frame: pl.DataFrame, names: Sequence[str]) -> Array:
    """Return the mean of the entries present in each column, shape (p,); 0 if there are none."""
    entries = np.empty((frame.height, len(names)))
    for j, numbers in enumerate(_filled(frame, names, [0.0] * len(names))):
        entries[:, j] = numbers.to_numpy()
    n_present = np.array([frame.height - frame[name].null_count() for name in names])
    return np.asarray(entries.sum(axis=0) / np.maximum(n_present, 1))
