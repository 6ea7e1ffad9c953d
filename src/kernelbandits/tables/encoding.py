"""From a table to points: numbers scaled, categories as 0/1 columns, missing values filled, and all of it said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from kernelbandits.errors import InvalidArgument, InvalidFile, nearest
from kernelbandits.specs import Count, Positive, Spec
from kernelbandits.tables.scaling import LEVEL, Scaling, UnitVariance, principal_components, to_level
from kernelbandits.types import Array

if TYPE_CHECKING:
    import polars as pl


@final
@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Points made from the rows of a table.

    Attributes:
        points: shape (n, d); centred, and the average of ‖x‖²/d is the encoding's `level`.
        names: what each of the d columns is.
        notes: what was done, in lines for a reader of the results.

    """

    points: Array
    names: tuple[str, ...]
    notes: tuple[str, ...]


@final
@dataclass(frozen=True, slots=True)
class Encoding(Spec):
    """How the columns of a table become features.

    Numbers are centred and scaled; a missing number is its column's mean, with a 0/1 column beside it that says so.
    Texts, and columns named in `categorical`, are one 0/1 column a level; missing is a level of its own, and levels
    with fewer than `rare` rows share one. So a category weighs at most as much as a number of variance 1. Columns that
    do not vary are left out. At last everything is centred, reduced to `dim` principal components if that is given, and
    multiplied by one number such that ‖x‖²/d averages `level` (½ as in the paper's designs).

    Attributes:
        columns: names of the features; none given means all that are not used otherwise.
        drop: columns to leave out.
        categorical: columns to take as categories although they hold numbers.
        missing: texts that stand for no value; "NaN" among them lets NaN stand for it too.

    """

    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: tuple[str, ...] = ("", "?", "NA", "N/A", "null")
    rare: Count = 10
    scaling: Scaling = UnitVariance()
    dim: Count | None = None
    level: Positive = LEVEL

    def _validate(self) -> None:
        for field in ("columns", "drop", "categorical"):
            names = getattr(self, field)
            twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
            if twice is not None:
                raise InvalidArgument(f"Encoding: {field} names {twice!r} twice")
        both = next((name for name in self.drop if name in (*self.columns, *self.categorical)), None)
        if both is not None:
            raise InvalidArgument(f"Encoding: {both!r} is named as a feature and in drop; name it once")
        if self.columns:
            other = next((name for name in self.categorical if name not in self.columns), None)
            if other is not None:
                raise InvalidArgument(
                    f"Encoding: categorical has {other!r}, which is not in columns; {nearest(other, self.columns)}"
                )

    def features(self, known: Sequence[str], taken: Sequence[str], file: str) -> list[str]:
        """The columns of a table that are features; `taken` are those with another use, such as the label."""
        for name in (*self.columns, *self.drop, *self.categorical, *taken):
            if name not in known:
                raise InvalidFile(f"{file} has no column {name!r}; {nearest(name, known)}")
        both = next((name for name in (*self.columns, *self.categorical) if name in taken), None)
        if both is not None:
            raise InvalidFile(f"{file}: column {both!r} cannot be a feature as well; name it once")
        chosen = [name for name in self.columns or known if name not in taken and name not in self.drop]
        if not chosen:
            raise InvalidFile(f"{file} has no column left as a feature; it has {', '.join(known)}")
        return chosen

    def split(self, frame: pl.DataFrame, file: str) -> tuple[list[str], list[str]]:
        """The numerical and the categorical columns of a table of features; raises if it has what cannot be used."""
        from kernelbandits.tables.categories import categorical_among
        from kernelbandits.tables.numbers import refuse_non_finite

        categorical = categorical_among(frame, self.categorical, file)
        numerical = [name for name in frame.columns if name not in categorical]
        for name in numerical:
            refuse_non_finite(frame[name], file, 'fill it, leave it empty, or list "NaN" in missing')
        return numerical, categorical

    def encode(self, frame: pl.DataFrame, file: str) -> Encoded:
        """The rows of a table of features as points; `file` names it in messages."""
        from kernelbandits.tables.categories import encode_categories
        from kernelbandits.tables.numbers import encode_numbers

        numerical, categorical = self.split(frame, file)
        first = encode_numbers(frame, numerical, self.scaling)
        second = encode_categories(frame, categorical, self.rare)
        points = np.concatenate([first.points, second.points], axis=1)
        names, notes = (*first.names, *second.names), (*first.notes, *second.notes)
        if not names:
            raise InvalidFile(f"{file}: no feature varies ({'; '.join(notes)})")
        points -= points.mean(axis=0)
        encoded = Encoded(points, names, notes)
        encoded = encoded if self.dim is None else _reduced(encoded, self.dim, file)
        note = f"{len(encoded.names)} features, scaled so that ‖x‖²/d averages {self.level:g}"
        return Encoded(to_level(encoded.points, self.level), encoded.names, (*encoded.notes, note))


def _reduced(encoded: Encoded, dim: int, file: str) -> Encoded:
    """The first `dim` principal components."""
    n, d = encoded.points.shape
    if dim > min(n, d):
        raise InvalidFile(f"{file}: dim must be at most {min(n, d)} for {n} rows of {d} encoded columns; got {dim}")
    points, share = principal_components(encoded.points, dim)
    note = f"{d} columns reduced to {dim} principal components, which hold {share:.1%} of the variance"
    return Encoded(points, tuple(f"component {j + 1}" for j in range(dim)), (*encoded.notes, note))
