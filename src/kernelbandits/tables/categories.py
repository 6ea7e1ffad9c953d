"""Categorical columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from kernelbandits.errors import InvalidFile
from kernelbandits.tables.blocks import Block
from kernelbandits.tables.places import mostly_numbers, place, some
from kernelbandits.types import Array

_KINDS = (pl.String, pl.Categorical, pl.Enum)


def categorical_among(frame: pl.DataFrame, named: Sequence[str], file: str) -> list[str]:
    """The columns to take as categories: those named, and those of texts. Raises if it cannot be told."""
    found = []
    for column in frame:
        if column.name in named or column.dtype in _KINDS:
            found.append(column.name)
        elif not (column.dtype.is_numeric() or column.dtype in (pl.Boolean, pl.Null)):
            raise InvalidFile(
                f"{file}: column {column.name!r} is of type {column.dtype}, neither a number nor a text; "
                "turn it into one of these, or leave it out with drop"
            )
        row = mostly_numbers(column) if column.dtype == pl.String and column.name not in named else None
        if row is not None:
            raise InvalidFile(
                f"{file}: {place(row, column.name)} is {column[row]!r}, though most of the column are numbers; "
                "mend it, list that text in missing, or name the column in categorical"
            )
    return found


class _Levels(NamedTuple):
    """One column's levels: 0/1 columns of shape (n, p), p names, and how many levels were pooled and rows missing."""

    points: Array
    labels: list[str]
    n_pooled: int
    n_missing: int


def encode_categories(frame: pl.DataFrame, names: Sequence[str], rare: int) -> Block:
    """One 0/1 column a level, most frequent first; missing is a level, and levels below `rare` rows share one."""
    encoded = {name: _one_hot(frame[name].cast(pl.String), rare) for name in names}
    kept = {name: levels for name, levels in encoded.items() if len(levels.labels) > 1}
    labels = [label for levels in kept.values() for label in levels.labels]
    notes = []
    if kept:
        notes.append(f"{len(kept)} categorical columns as {len(labels)} columns of 0 and 1")
    pooled = [f"{name!r} ({levels.n_pooled})" for name, levels in kept.items() if levels.n_pooled]
    if pooled:
        notes.append(f"levels with fewer than {rare} rows share one column: {some(pooled)}")
    missing = [f"{name!r} ({levels.n_missing})" for name, levels in kept.items() if levels.n_missing]
    if missing:
        notes.append(f"missing categories are a level of their own: {some(missing)}")
    constant = [repr(name) for name in names if name not in kept]
    if constant:
        notes.append(f"left out, as they have one level, or none with {rare} rows: {some(constant)}")
    points = [levels.points for levels in kept.values()]
    return Block(np.concatenate([np.empty((frame.height, 0)), *points], axis=1), labels, notes)


def _one_hot(column: pl.Series, rare: int) -> _Levels:
    counts = _counts(column)
    common = [level for level, count in counts if count >= rare or level is None]
    n_pooled = len(counts) - len(common)
    place_of = {level: i for i, level in enumerate(common)}
    codes = np.array([place_of.get(level, len(common)) for level in column.to_list()])
    labels = [f"{column.name} is missing" if level is None else f"{column.name} = {level}" for level in common]
    if n_pooled:
        labels.append(f"{column.name} is rare")
    return _Levels(np.eye(len(labels))[codes], labels, n_pooled, column.null_count())


def _counts(column: pl.Series) -> list[tuple[str | None, int]]:
    """Levels and their numbers of rows, most frequent first, ties by name; None is missing."""
    return sorted(column.value_counts().iter_rows(), key=lambda pair: (-pair[1], pair[0] is None, pair[0] or ""))
