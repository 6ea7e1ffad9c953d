"""Categorical columns: their levels, and 0/1 columns for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
import polars as pl
from scipy import sparse

from kernelbandits.errors import InvalidFile
from kernelbandits.tables.columns import is_number, mostly_numbers, place
from kernelbandits.types import Array, IntArray


def categorical_among(frame: pl.DataFrame, named: Sequence[str], file: str) -> list[str]:
    """Return the categorical columns: those named and those of texts. Raise if a column is neither text nor number."""
    found = []
    for column in frame:
        if column.name in named or column.dtype in (pl.String, pl.Categorical, pl.Enum):
            found.append(column.name)
        elif not (is_number(column) or column.dtype == pl.Null):
            raise InvalidFile(
                f"{file}: column {column.name!r} is of type {column.dtype}, neither a number nor a text; "
                "convert it, or leave it out with drop"
            )
        row = mostly_numbers(column) if column.dtype == pl.String and column.name not in named else None
        if row is not None:
            raise InvalidFile(
                f"{file}: {place(row, column.name)} is {column[row]!r}, not a number, though most of the column are "
                "numbers; correct it, leave the column out, or list it in Encoding's missing or categorical"
            )
    return found


def level_codes(column: pl.Series, levels: pl.Series, other: int = -1) -> IntArray:
    """Return the position of each entry among the levels, shape (n,); `other` for entries that are no level."""
    positions = pl.Series(np.arange(len(levels)))
    return column.replace_strict(levels, positions, default=other, return_dtype=pl.Int64).to_numpy()


@final
@dataclass(frozen=True, slots=True)
class Levels:
    """The levels of a categorical column, each a column of 0 and 1.

    Attributes:
        column: name of the column.
        common: levels with a 0/1 column of their own, most frequent first; None stands for missing.
        n_pooled: number of rare levels. They share one column, and so do levels that were not seen when fitted.

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
        return np.eye(width + 1, len(self.names))[codes]


def fit_levels(column: pl.Series, rare: int) -> Levels:
    """Return the levels of a column; those in fewer than `rare` rows are pooled, missing entries are a level."""
    counts = sorted(
        column.cast(pl.String).value_counts().iter_rows(),
        key=lambda pair: (-pair[1], pair[0] is None, pair[0] or ""),
    )
    common = tuple(level for level, count in counts if count >= rare or level is None)
    return Levels(column.name, common, len(counts) - len(common))


def sparse_one_hot(features: pl.DataFrame) -> sparse.csr_array:
    """Return a 0/1 column for every value of every text column, shape (n, p); one 1 per row and text column."""
    n, m = features.shape
    columns = np.empty((n, m), dtype=np.int64)
    width = 0
    for j, texts in enumerate(features):
        levels = texts.unique().sort()
        columns[:, j] = level_codes(texts, levels) + width
        width += len(levels)
    return sparse.csr_array((np.ones(n * m), columns.ravel(), np.arange(0, n * m + 1, m)), shape=(n, width))
