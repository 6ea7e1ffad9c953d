"""Fitted encodings: what turns the rows of a table into points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import final

import numpy as np
import polars as pl
from threadpoolctl import threadpool_limits

from kernelbandits.errors import InvalidFile
from kernelbandits.linalg import require_memory
from kernelbandits.tables.columns import is_number, level_codes, not_numeric, refuse_non_finite, refuse_unknown, some
from kernelbandits.types import Array, IntArray

_COPIES = 3
"""Arrays of the size of the encoded table that are in memory while it is encoded."""


@final
@dataclass(frozen=True, slots=True)
class Levels:
    """The levels of a categorical column. Each of the `common` ones gets a column of 0 and 1; None stands for missing.

    The `n_pooled` rare levels share one column, and so do levels that were not seen when fitted.
    """

    column: str
    common: tuple[str | None, ...]
    n_pooled: int

    @property
    def names(self) -> list[str]:
        """Names of the 0/1 columns."""
        named = [f"{self.column} is missing" if level is None else f"{self.column} = {level}" for level in self.common]
        return [*named, f"{self.column} is rare"] if self.n_pooled else named

    def transform(self, column: pl.Series) -> Array:
        """Return the 0/1 columns of the entries, shape (n, p)."""
        width = len(self.common)
        codes = level_codes(column.cast(pl.String), pl.Series(self.common, dtype=pl.String), other=width)
        return np.asarray(codes[:, np.newaxis] == np.arange(len(self.names)), dtype=np.float64)


def fit_levels(column: pl.Series, rare: int) -> Levels:
    """Return the levels of a column; those in fewer than `rare` rows are pooled, missing entries are a level."""
    counts = sorted(
        column.cast(pl.String).value_counts().iter_rows(),
        key=lambda pair: (-pair[1], pair[0] is None, pair[0] or ""),
    )
    common = tuple(level for level, count in counts if count >= rare or level is None)
    return Levels(column.name, common, len(counts) - len(common))


@final
@dataclass(frozen=True, slots=True, eq=False)
class NumberedColumns:
    """The columns of a table as numbers: missing ones filled, categories as 0/1 columns. Nothing is scaled.

    A missing number becomes the mean of its column, and 0/1 columns mark those of the columns `gaps`. `names` are those
    of all resulting columns: p numbers, marks of gaps, levels.
    """

    numerical: tuple[str, ...]
    means: Array
    gaps: tuple[str, ...]
    categories: tuple[Levels, ...]
    names: tuple[str, ...]
    notes: tuple[str, ...]

    def transform(self, frame: pl.DataFrame) -> Array:
        """Return the columns of a table, shape (n, p + gaps + levels)."""
        shape = (frame.height, len(self.names))
        what = f"a table of {shape[0]:,} rows and {shape[1]:,} encoded columns"
        require_memory(_COPIES * 8 * prod(shape), what, "use fewer rows (max_rows) or pool more levels (rare)")
        points = np.empty(shape)
        for j, name in enumerate(self.numerical):  # a column at a time: no second copy of the whole
            points[:, j] = frame[name].cast(pl.Float64).fill_null(float(self.means[j])).to_numpy()
        for j, name in enumerate(self.gaps, start=len(self.numerical)):
            points[:, j] = frame[name].is_null().to_numpy()
        start = len(self.numerical) + len(self.gaps)
        for levels in self.categories:
            points[:, start : start + len(levels.names)] = levels.transform(frame[levels.column])
            start += len(levels.names)
        return points


def number_columns(
    frame: pl.DataFrame, numerical: Sequence[str], categorical: Sequence[str], rare: int
) -> NumberedColumns:
    """Fit fillings and levels to a table. Categorical columns with a single level are left out."""
    missing = {name: frame[name].null_count() for name in (*numerical, *categorical)}
    gaps = {name: missing[name] for name in numerical if 0 < missing[name] < frame.height}
    found = [fit_levels(frame[name], rare) for name in categorical]
    categories = tuple(levels for levels in found if len(levels.names) > 1)
    labels = [name for levels in categories for name in levels.names]
    pooled = {levels.column: levels.n_pooled for levels in categories if levels.n_pooled}
    absent = {levels.column: missing[levels.column] for levels in categories if missing[levels.column]}
    single = [repr(levels.column) for levels in found if len(levels.names) == 1]
    notes = {
        f"missing numbers in {_counted(gaps)}: filled with the mean, with a 0/1 column that marks them": gaps,
        f"{len(categories)} categorical columns as {len(labels)} columns of 0 and 1": categories,
        f"levels with fewer than {rare} rows share one column: {_counted(pooled)}": pooled,
        f"missing categories are a separate level: {_counted(absent)}": absent,
        f"left out, because they have one level, or none with {rare} rows: {some(single)}": single,
    }
    applying = tuple(note for note, subject in notes.items() if subject)
    names = (*numerical, *(f"{name} is missing" for name in gaps), *labels)
    return NumberedColumns(tuple(numerical), _means(frame, numerical), tuple(gaps), categories, names, applying)


def _counted(counts: dict[str, int]) -> str:
    return some([f"{name!r} ({count})" for name, count in counts.items()])


def _means(frame: pl.DataFrame, names: Sequence[str]) -> Array:
    """Return the mean of the entries present in each column with missing ones, shape (p,); 0 elsewhere."""
    if not any(frame[name].null_count() for name in names):
        return np.zeros(len(names))
    entries = np.empty((frame.height, len(names)))
    for j, name in enumerate(names):
        entries[:, j] = frame[name].cast(pl.Float64).fill_null(0.0).to_numpy()
    n_present = np.array([frame.height - frame[name].null_count() for name in names])
    return np.asarray(entries.sum(axis=0) / np.maximum(n_present, 1))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """A fitted `Encoding`: x = scale · ((z_kept − shift) · factors − center) V for the numbered columns z.

    `kept` are the positions of the q columns of z that are used; `shift`, `factors` and `center` have shape (q,), the
    principal axes V shape (q, d), or None to keep all q. `names` are those of the d features; `notes` tell the steps.
    """

    columns: NumberedColumns
    kept: IntArray
    shift: Array
    factors: Array
    center: Array
    axes: Array | None
    scale: float
    names: tuple[str, ...]
    notes: tuple[str, ...]

    def transform(self, frame: pl.DataFrame, file: str) -> Array:
        """Encode the rows of a table with the same columns, shape (n, d); `file` names the table in messages."""
        categorical = [levels.column for levels in self.columns.categories]
        refuse_unknown((*self.columns.numerical, *categorical), frame.columns, file)
        for column in frame.select(self.columns.numerical):
            if not (is_number(column) or column.null_count() == len(column)):
                raise InvalidFile(f"{file}: {not_numeric(column)}; it was numeric when the encoding was fitted")
            refuse_non_finite(column, file, "correct it, or leave it empty")
        points = scaled(self.columns.transform(frame), self.kept, self.shift, self.factors)
        points -= self.center
        if self.axes is not None:
            points = project(points, self.axes)
        points *= self.scale
        return points


def scaled(columns: Array, kept: IntArray, shift: Array, factors: Array) -> Array:
    """Return (z_kept − shift) · factors, shape (n, q)."""
    points = np.take(columns, kept, axis=1)  # in C order, unlike columns[:, kept]: sums over rows keep their bits
    points -= shift
    points *= factors
    return points


def principal_axes(centred: Array, dim: int) -> tuple[Array, float]:
    """Return the `dim` directions of largest variance, shape (p, dim), and the share of variance they hold.

    The sign of a direction is such that its largest entry is positive.
    """
    with threadpool_limits(1):  # the last bit must not depend on the number of threads
        values, vectors = np.linalg.eigh(centred.T @ centred)
        top = vectors[:, ::-1][:, :dim]
        largest = top[np.abs(top).argmax(axis=0), np.arange(dim)]
        return top * np.sign(largest), float(values[::-1][:dim].sum() / values.sum())


def project(centred: Array, axes: Array) -> Array:
    """Return the coordinates of centred points along the axes, shape (n, dim)."""
    with threadpool_limits(1):
        return centred @ axes
