"""The column that says which class, or which arm, a row belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
import polars as pl

from kernelbandits.errors import InvalidFile
from kernelbandits.tables.numbers import refuse_non_finite
from kernelbandits.tables.places import not_numeric, some
from kernelbandits.types import BoolArray, IntArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Classes of rows.

    Attributes:
        names: the classes in their order: by value for numbers, by letter for texts.
        codes: number of the class of each row that has one, shape (m,).
        present: which rows have one, shape (n,), m of them.

    """

    names: tuple[str, ...]
    codes: IntArray
    present: BoolArray


def refuse_labels(column: pl.Series, cuts: Sequence[float], file: str) -> None:
    """Raise if a column cannot hold classes, with the row where it can be named."""
    refuse_non_finite(column, file, "mend it, or leave it empty to leave out the row")
    if column.null_count() == len(column):
        raise InvalidFile(f"{file}: column {column.name!r} is empty throughout; expected a class in every row")
    if column.dtype.is_nested():
        raise InvalidFile(f"{file}: column {column.name!r} is of type {column.dtype}; expected a number or a text")
    if cuts and not column.dtype.is_numeric():
        raise InvalidFile(f"{file}: {not_numeric(column)}; cuts need numbers")


def read_labels(column: pl.Series, cuts: Sequence[float], min_rows: int, file: str) -> Labels:
    """The classes in a column; with `cuts` those of the intervals (−∞, c₁), [c₁, c₂), …, [c_m, ∞) of a number.

    At least two classes, and in each at least `min_rows` rows.
    """
    refuse_labels(column, cuts, file)
    present = column.is_not_null()
    names, codes = _between(column.filter(present), cuts) if cuts else _distinct(column.filter(present))
    _refuse_few(column.name, names, codes, min_rows, file)
    return Labels(names, codes, present.to_numpy())


def _distinct(values: pl.Series) -> tuple[tuple[str, ...], IntArray]:
    plain = values.cast(pl.String) if values.dtype in (pl.Categorical, pl.Enum) else values
    levels = plain.unique().sort()
    codes = plain.replace_strict(levels, pl.Series(np.arange(len(levels))), return_dtype=pl.Int64)
    return tuple(f"{level:.12g}" if isinstance(level, float) else str(level) for level in levels), codes.to_numpy()


def _between(values: pl.Series, cuts: Sequence[float]) -> tuple[tuple[str, ...], IntArray]:
    middle = (f"{low:g} to {high:g}" for low, high in pairwise(cuts))
    names = (f"below {cuts[0]:g}", *middle, f"from {cuts[-1]:g}")
    return names, np.searchsorted(cuts, values.cast(pl.Float64).to_numpy(), side="right")


def _refuse_few(column: str, names: tuple[str, ...], codes: IntArray, min_rows: int, file: str) -> None:
    counts = np.bincount(codes, minlength=len(names))
    if (counts > 0).sum() < 2:
        raise InvalidFile(
            f"{file}: every row of column {column!r} is of one class, {names[int(codes[0])]!r}; expected at least two"
        )
    few = np.flatnonzero(counts < min_rows)
    if len(few):
        told = some([f"{names[i]!r} ({counts[i]})" for i in few])
        raise InvalidFile(
            f"{file}: column {column!r} has {len(names)} classes, of which {len(few)} have fewer than {min_rows} rows: "
            f"{told}; leave these out or join them, give cuts for a number, or lower min_rows"
        )
