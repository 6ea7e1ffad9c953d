"""The column that says which class, or which arm, a row belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np
import polars as pl

from kernelbandits.errors import InvalidFile
from kernelbandits.tables.categories import level_codes
from kernelbandits.tables.columns import not_numeric, refuse_non_finite, some
from kernelbandits.types import BoolArray, IntArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Classes of rows.

    Attributes:
        names: the sorted classes.
        codes: position of the class among `names`, for each of the m rows that have one, shape (m,).
        present: which rows have a class, shape (n,).

    """

    names: tuple[str, ...]
    codes: IntArray
    present: BoolArray


def refuse_labels(column: pl.Series, cuts: Sequence[float], file: str) -> None:
    """Raise if a column cannot hold classes."""
    refuse_non_finite(column, file, "correct it, or leave it empty to leave out the row")
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
    names, codes = _between(column.filter(present), cuts) if cuts else _distinct(column.filter(present))
    _refuse_few(column.name, names, codes, min_rows, file)
    return Labels(names, codes, present.to_numpy())


def _distinct(values: pl.Series) -> tuple[tuple[str, ...], IntArray]:
    plain = values.cast(pl.String) if values.dtype in (pl.Categorical, pl.Enum) else values
    levels = plain.unique().sort()
    names = tuple(f"{level:.12g}" if isinstance(level, float) else str(level) for level in levels)
    return names, level_codes(plain, levels)


def _between(values: pl.Series, cuts: Sequence[float]) -> tuple[tuple[str, ...], IntArray]:
    middle = (f"{low:g} to {high:g}" for low, high in pairwise(cuts))
    names = (f"below {cuts[0]:g}", *middle, f"from {cuts[-1]:g}")
    return names, np.searchsorted(cuts, values.cast(pl.Float64).to_numpy(), side="right")


def _refuse_few(column: str, names: tuple[str, ...], codes: IntArray, min_rows: int, file: str) -> None:
    counts = np.bincount(codes, minlength=len(names))
    if (counts > 0).sum() < 2:
        raise InvalidFile(
            f"{file}: every row of column {column!r} has the class {names[int(codes[0])]!r}; "
            "expected at least two classes"
        )
    few = np.flatnonzero(counts < min_rows)
    if len(few):
        told = some([f"{names[i]!r} ({counts[i]})" for i in few])
        raise InvalidFile(
            f"{file}: column {column!r} has {len(names)} classes, of which {len(few)} have fewer than {min_rows} rows: "
            f"{told}; leave these out or join them, give cuts for a number, or lower min_rows"
        )
