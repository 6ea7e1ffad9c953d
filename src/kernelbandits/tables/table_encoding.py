"""What every way of turning tables into points has in common, before and after it is fitted."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kernelbandits.specs import Spec
from kernelbandits.types import Array

if TYPE_CHECKING:
    import polars as pl


class TableEncoder(ABC):
    """A fitted encoding: it turns the rows of any table with the same columns into points.

    >>> encoder = Encoding().fit({"age": [20.0, 30.0, 60.0]})
    >>> encoder.transform({"town": ["a", "b"], "age": [25.0, 45.0]}).shape
    (2, 1)

    See also `Encoding`, `TableEncoding`, `SklearnEncoding`, `SklearnEncoder`.
    """

    __slots__ = ()

    names: tuple[str, ...]  # of the d features
    notes: tuple[str, ...]  # how they are made, one line each
    missing: tuple[str, ...]  # texts that stand for a missing value

    @property
    def dim(self) -> int:
        """Number of features d."""
        return len(self.names)

    @property
    def width(self) -> int:
        """Number of columns while a table is encoded, which decides how much memory that takes."""
        return self.dim

    def transform(self, table: Any) -> Array:
        """Encode a table, shape (n, d), or one row, shape (d,): a mapping from column to entry, or a named tuple.

        A row that pandas took from a frame, `frame.iloc[0]`, is a row too. A table may have further columns, and its
        columns may be in another order. The answer for a row is that of the table which holds it; after a reduction to
        components up to rounding.
        """
        from kernelbandits.tables.table_kinds import as_frame, as_row

        row = as_row(table)
        if row is not None:
            return self.transform_row(row)
        frame, file = as_frame(table, self.missing)
        return self.transform_frame(frame, file)

    def transform_frame(self, frame: pl.DataFrame, file: str) -> Array:
        """Encode the rows of a table in which missing entries are null; `file` names it in messages."""
        self.refuse(frame, file)
        return self._transform_frame(frame, file)

    @abstractmethod
    def refuse(self, frame: pl.DataFrame, file: str) -> None:
        """Raise if a column is missing, or holds something other than when it was fitted."""

    @abstractmethod
    def _transform_frame(self, frame: pl.DataFrame, file: str) -> Array:
        """`transform_frame` for columns that were checked."""

    @abstractmethod
    def transform_row(self, row: Mapping[str, Any]) -> Array:
        """Encode one row, shape (d,)."""

    @abstractmethod
    def to_json(self) -> str:
        """Return this encoder as one line of JSON; raise `InvalidArgument` if it cannot be written without code."""


class TableEncoding(Spec, ABC):
    """How the columns of a table become features; `missing` are the texts that stand for a missing value.

    >>> Encoding().fit({"age": [20.0, 30.0, 60.0], "clicked": [0, 1, 0]}, others=["clicked"]).names
    ('age',)

    See also `Encoding`, `Encoder`, `TableEncoder`, `SklearnEncoding`.
    """

    __slots__ = ()

    columns: tuple[str, ...]
    drop: tuple[str, ...]
    missing: tuple[str, ...]
    categorical: tuple[str, ...] = ()

    def features(self, known: Sequence[str], taken: Sequence[str], file: str) -> list[str]:
        """Return the columns of a table that are features; `taken` are those with another use, such as the label."""
        from kernelbandits.tables.columns import choose_features

        return choose_features(known, self.columns, self.drop, taken, file, self.categorical)

    @abstractmethod
    def check(self, frame: pl.DataFrame, file: str) -> None:
        """Raise if a column of a table of features cannot be used."""

    @abstractmethod
    def fit(self, table: Any, others: Sequence[str] = ()) -> TableEncoder:
        """Fit to a table; the columns `others` are no features."""

    @abstractmethod
    def encode(self, frame: pl.DataFrame, file: str) -> tuple[TableEncoder, Array]:
        """Fit to a table of features and encode it, in one pass: the encoder and points of shape (n, d)."""
