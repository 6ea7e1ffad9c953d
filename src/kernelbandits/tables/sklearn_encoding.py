"""A scikit-learn transformer or pipeline in the place of an `Encoding`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import polars as pl

from kernelbandits.checks import HUGE
from kernelbandits.errors import InvalidArgument, InvalidFile, counted, shown
from kernelbandits.reporting import short_html, short_repr
from kernelbandits.tables.columns import refuse_unknown
from kernelbandits.tables.table_encoding import TableEncoder, TableEncoding
from kernelbandits.tables.table_kinds import as_frame, one_line
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True)
class SklearnEncoding(TableEncoding):
    """Features made by a scikit-learn transformer or pipeline, or by anything with `fit` and `transform`.

    The transformer gets a polars frame of the feature columns, null where an entry is missing, and returns an array of
    shape (n, d). It is copied before it is fitted. Its output is used as it is; kernels want ‖x‖²/d of about ½.

    Attributes:
        transformer: such as `StandardScaler()` or `make_pipeline(SimpleImputer(), PCA(10))`.
        columns, drop, missing: as in `Encoding`.

    >>> from sklearn.preprocessing import StandardScaler
    >>> SklearnEncoding(StandardScaler()).fit({"age": [20.0, 30.0, 60.0]}).transform({"age": 20.0}).round(2)
    array([-0.98])

    See also `Encoding`, `TableEncoder`, `SklearnEncoder`, `Scaling`.
    """

    transformer: object
    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    missing: tuple[str, ...] = ("", "?", "NA", "N/A", "n/a", "null", "NaN")

    def _validate(self) -> None:
        lacking = [name for name in ("fit", "transform") if not callable(getattr(self.transformer, name, None))]
        if lacking or isinstance(self.transformer, type):
            raise InvalidArgument(
                "SklearnEncoding: transformer must be an object with the methods fit and transform, such as "
                f"StandardScaler(); got {shown(self.transformer)}"
            )

    def check(self, frame: pl.DataFrame, file: str) -> None:
        if frame.height == 0:
            raise InvalidFile(f"{file} has a header but no rows; expected one row per context")

    def fit(self, table: Any, others: Sequence[str] = ()) -> SklearnEncoder:
        """Fit a copy of the transformer to a table; the columns `others` are no features."""
        frame, file = as_frame(table, self.missing)
        return self.encode(frame.select(self.features(frame.columns, others, file)), file)[0]

    def encode(self, frame: pl.DataFrame, file: str) -> tuple[SklearnEncoder, Array]:
        self.check(frame, file)
        fitted: Any = deepcopy(self.transformer)
        kind = type(fitted).__name__
        try:
            fitted.fit(frame)
        except Exception as error:  # a transformer may raise anything
            raise InvalidFile(f"{file}: {kind} cannot be fitted to it: {one_line(error)}") from error
        points = transformed(fitted, frame, file)
        size = float(np.mean(points * points))
        notes = (f"{counted(points.shape[1], 'feature')} made by {kind}; ‖x‖²/d averages {size:.3g}",)
        return SklearnEncoder(fitted, frame.clear(), _names(fitted, points.shape[1]), notes, self.missing), points


@final
@dataclass(frozen=True, slots=True, eq=False)
class SklearnEncoder(TableEncoder):
    """A fitted scikit-learn transformer.

    Attributes:
        transformer: the fitted copy.
        template: a table without rows, with the columns it was fitted to, in their order and of their types.
        names: names of the d features, those of the transformer if it gives any.
        notes: which transformer made how many features, and of what size.
        missing: texts that stand for a missing value.

    >>> from sklearn.preprocessing import StandardScaler
    >>> print(*SklearnEncoding(StandardScaler()).fit({"age": [20.0, 30.0, 60.0]}).notes)
    1 feature made by StandardScaler; ‖x‖²/d averages 1

    See also `Encoding`, `SklearnEncoding`, `Scaling`, `UnitVariance`.
    """

    transformer: Any
    template: pl.DataFrame
    names: tuple[str, ...]
    notes: tuple[str, ...]
    missing: tuple[str, ...]

    __repr__ = short_repr
    _repr_html_ = short_html

    def refuse(self, frame: pl.DataFrame, file: str) -> None:
        refuse_unknown(self.template.columns, frame.columns, file)

    def _transform_frame(self, frame: pl.DataFrame, file: str) -> Array:
        try:  # the columns that were fitted, in their order and of their types
            conformed = frame.select(self.template.columns).cast(self.template.schema)
        except pl.exceptions.PolarsError as error:
            raise InvalidFile(f"{file}: a column has another type than when fitted: {one_line(error)}") from error
        points = transformed(self.transformer, conformed, file)
        if points.shape[1] != len(self.names):
            raise InvalidFile(f"{file}: the transformer made {points.shape[1]} features, {len(self.names)} when fitted")
        return points

    def transform_row(self, row: Mapping[str, Any]) -> Array:
        point: Array = self.transform_frame(*as_frame({name: [entry] for name, entry in row.items()}, self.missing))[0]
        return point

    def to_json(self) -> str:
        raise InvalidArgument(
            f"an encoder made by {type(self.transformer).__name__} cannot be saved without code; it needs that "
            "transformer, pickled by you and trusted by whoever loads it. An Encoding can be saved"
        )


def transformed(fitted: Any, frame: pl.DataFrame, file: str) -> Array:
    """Return what a fitted transformer makes of a table, as finite numbers of shape (n, d)."""
    kind = type(fitted).__name__
    try:
        made = fitted.transform(frame)
        points = np.array(made.toarray() if hasattr(made, "toarray") else made, dtype=np.float64, order="C")
    except Exception as error:  # a transformer may raise anything
        raise InvalidFile(f"{file}: {kind} cannot transform it: {one_line(error)}") from error
    if points.ndim != 2 or len(points) != frame.height or points.shape[1] == 0:
        raise InvalidFile(f"{file}: {kind} made shape {points.shape}; expected ({frame.height}, features)")
    wrong = np.argwhere(~(np.abs(points) <= HUGE))
    if len(wrong):
        row, j = (int(i) for i in wrong[0])
        where = f"row {row + 1:,} (the first below the header is 1), feature {j}"
        remedy = "put an imputer first" if np.isnan(points[row, j]) else "correct the row, or scale the feature"
        raise InvalidFile(f"{file}: {kind} made {points[row, j]} of {where} ({len(wrong)} such); {remedy}")
    return points


def _names(fitted: Any, dim: int) -> tuple[str, ...]:
    try:
        names = tuple(str(name) for name in fitted.get_feature_names_out())
    except Exception:  # not every transformer has names, and a pipeline has them only if every step does
        names = ()
    return names if len(names) == dim else tuple(f"feature {j}" for j in range(dim))
