"""Fitted encodings: what turns the rows of a table into points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import polars as pl

from kernelbandits.errors import InvalidFile, nearest
from kernelbandits.tables.categories import Levels, fit_levels
from kernelbandits.tables.columns import is_number, not_numeric, refuse_non_finite, some
from kernelbandits.tables.components import project
from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class NumberedColumns:
    """The columns of a table as numbers: missing ones filled, categories as 0/1 columns. Nothing is scaled.

    Attributes:
        numerical: names of the p numerical columns.
        means: what a missing number becomes, shape (p,).
        gaps: numerical columns with a 0/1 column that marks missing entries.
        categories: levels of the categorical columns.
        names: names of all resulting columns: numbers, marks of gaps, levels.
        notes: what was done, one line each.

    """

    numerical: tuple[str, ...]
    means: Array
    gaps: tuple[str, ...]
    categories: tuple[Levels, ...]
    names: tuple[str, ...]
    notes: tuple[str, ...]

    def transform(self, frame: pl.DataFrame) -> Array:
        """Return the columns of a table, shape (n, p + gaps + levels)."""
        points = np.empty((frame.height, len(self.names)))
        for j, name in enumerate(self.numerical):  # a column at a time: no second copy of the whole
            points[:, j] = frame[name].cast(pl.Float64).fill_null(float(self.means[j])).to_numpy()
        start = len(self.numerical)
        for j, name in enumerate(self.gaps, start=start):
            points[:, j] = frame[name].is_null().to_numpy()
        start += len(self.gaps)
        for levels in self.categories:
            stop = start + len(levels.names)
            points[:, start:stop] = levels.transform(frame[levels.column])
            start = stop
        return points


def number_columns(
    frame: pl.DataFrame, numerical: Sequence[str], categorical: Sequence[str], rare: int
) -> NumberedColumns:
    """Fit fillings and levels to a table. Categorical columns with a single level are left out."""
    missing = {name: frame[name].null_count() for name in numerical}
    gaps = tuple(name for name in numerical if 0 < missing[name] < frame.height)
    found = [fit_levels(frame[name], rare) for name in categorical]
    categories = tuple(levels for levels in found if len(levels.names) > 1)
    labels = [name for levels in categories for name in levels.names]
    notes = []
    if gaps:
        told = some([f"{name!r} ({missing[name]})" for name in gaps])
        notes.append(f"missing numbers in {told}: filled with the mean, with a 0/1 column that marks them")
    if categories:
        notes.append(f"{len(categories)} categorical columns as {len(labels)} columns of 0 and 1")
    pooled = [f"{levels.column!r} ({levels.n_pooled})" for levels in categories if levels.n_pooled]
    if pooled:
        notes.append(f"levels with fewer than {rare} rows share one column: {some(pooled)}")
    absent = [(levels.column, frame[levels.column].null_count()) for levels in categories]
    if any(n for _, n in absent):
        notes.append(f"missing categories are a separate level: {some([f'{name!r} ({n})' for name, n in absent if n])}")
    single = [repr(levels.column) for levels in found if len(levels.names) == 1]
    if single:
        notes.append(f"left out, because they have one level, or none with {rare} rows: {some(single)}")
    names = (*numerical, *(f"{name} is missing" for name in gaps), *labels)
    return NumberedColumns(tuple(numerical), _means(frame, numerical), gaps, categories, names, tuple(notes))


def _means(frame: pl.DataFrame, names: Sequence[str]) -> Array:
    """Return the mean of the entries present in each column with missing ones, shape (p,); 0 elsewhere."""
    if not any(frame[name].null_count() for name in names):
        return np.zeros(len(names))
    entries = np.empty((frame.height, len(names)))
    for j, name in enumerate(names):
        entries[:, j] = frame[name].cast(pl.Float64).fill_null(0.0).to_numpy()
    n_present = np.array([frame.height - frame[name].null_count() for name in names])
    means: Array = entries.sum(axis=0) / np.maximum(n_present, 1)
    return means


@final
@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """A fitted `Encoding`: x = scale · ((z_kept − shift) · factors − center) V for the numbered columns z.

    Attributes:
        columns: how columns become numbers z.
        kept: positions of the q columns of z that are used.
        shift, factors, center: shape (q,).
        axes: principal axes V, shape (q, d); None keeps all q columns.
        scale: factor of all points.
        names: names of the d features.
        notes: what was done, one line each, for a reader of the results.

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
        for name in (*self.columns.numerical, *(levels.column for levels in self.columns.categories)):
            if name not in frame.columns:
                raise InvalidFile(f"{file} has no column {name!r}; {nearest(name, frame.columns)}")
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
