"""Categorical columns: their levels, and the columns of 0 and 1 that stand for them."""

import math
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from kernelbandits.types import Array, IntArray

_WHOLE = 2.0**53  # below it, every float that is a whole number stands for that one only


def is_missing(value: Any) -> bool:
    """Whether a single entry is None, NaN, or what pandas has in their place."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and math.isnan(value)


def level_text(value: Any) -> str | None:
    """Return the level that an entry stands for. The number 5 is the same level as a whole number and as a float."""
    if isinstance(value, str):
        return str(value)
    if is_missing(value):
        return None
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < _WHOLE else repr(number)
    return str(value)


def level_texts(column: pl.Series) -> pl.Series:
    """Return the level of each entry, null where it is missing."""
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    entries = column.unique()
    texts = pl.Series([level_text(entry) for entry in entries], dtype=pl.String)
    return column.replace_strict(entries, texts, return_dtype=pl.String)


class Levels(NamedTuple):
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

    def transform(self, column: pl.Series, out: Array) -> None:
        """Write the 0/1 columns of the entries into `out`, shape (p, n), which is 0."""
        codes = self.codes(column)
        rows = np.flatnonzero(codes < len(out))  # a level that was not seen is all 0 if none was rare
        out[codes[rows], rows] = 1.0

    def codes(self, column: pl.Series) -> IntArray:
        """The position of each entry among the common levels, shape (n,); their number if it is none of them."""
        texts = level_texts(column)
        other, known = len(self.common), [level for level in self.common if level is not None]
        places = np.array([*(i for i, level in enumerate(self.common) if level is not None), other])
        found = texts.cast(pl.Enum(known), strict=False).to_physical().fill_null(len(known))
        codes: IntArray = places[found.to_numpy()]
        if None in self.common:
            codes[texts.is_null().to_numpy()] = self.common.index(None)
        return codes


def fit_levels(column: pl.Series, rare: int) -> Levels:
    """Return the levels of a column by name; those in fewer than `rare` rows are pooled, missing ones are the last."""
    counts = level_texts(column).value_counts().iter_rows()
    found: list[tuple[str | None, int]] = sorted(counts, key=lambda pair: (pair[0] is None, pair[0] or ""))
    common = tuple(level for level, count in found if count >= rare or level is None)
    return Levels(column.name, common, len(found) - len(common))
