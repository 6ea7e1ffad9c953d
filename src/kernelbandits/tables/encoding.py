"""How the columns of a table become points."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from kernelbandits.errors import InvalidArgument, InvalidFile, counted, nearest, shown
from kernelbandits.linalg import EPS
from kernelbandits.specs import Count, Positive, Spec
from kernelbandits.tables.table_encoding import TableEncoding
from kernelbandits.types import Array, BoolArray

if TYPE_CHECKING:
    import polars as pl

    from kernelbandits.tables.encoder import Encoder
    from kernelbandits.tables.numbered_columns import NumberedColumns

LEVEL = 0.5
"""Average of ‖x‖²/d in the paper's designs (before c̃). Then ‖x − z‖²/d averages 1, as kernel lengths assume."""
UNEQUAL = 30.0
"""Columns whose sizes differ by a larger factor are reported, because the largest then dominate all distances."""
_SMALLEST, _LARGEST = 5e-3, 50.0
"""Average variances of a column far outside of which distances are all nearly 0, or all too large for a kernel."""


def moments(points: Array) -> tuple[Array, Array, BoolArray]:
    """Return mean and standard deviation of every column, shape (d,), and whether it varies by more than rounding."""
    std = points.std(axis=0)
    return points.mean(axis=0), std, std > 8.0 * EPS * np.abs(points).max(axis=0)


def scale_warning(points: Array, names: Sequence[str]) -> str:
    """Say what is wrong with the scales of columns, points of shape (n, d); empty if nothing is."""
    std = points.std(axis=0)
    varying = np.flatnonzero(std > 0.0)
    if not len(varying):
        return ""
    low, high = (int(varying[pick(std[varying])]) for pick in (np.argmin, np.argmax))
    factor, level = std[high] / std[low], float(np.mean(std**2))
    if factor > UNEQUAL:
        pair = f"{shown(names[high])} varies {factor:.3g} times as much as {shown(names[low])}"
        return f"columns are in different units: {pair}, so a few columns decide all distances"
    if not _SMALLEST <= level <= _LARGEST:
        return f"columns are far from unit size: their variances average {level:.3g}"
    return ""


class Scaling(Spec, ABC):
    """How numerical columns are made comparable.

    >>> [each.factors(np.array([1.0, 7.0])).round(3).tolist() for each in (UnitVariance(), CommonUnit())]
    [[1.0, 0.143], [0.2, 0.2]]

    See also `Encoding`, `SklearnEncoder`, `UnitVariance`, `CommonUnit`.
    """

    __slots__ = ()

    @abstractmethod
    def factors(self, std: Array) -> Array:
        """Return the factor of each centred column, shape (p,), given its standard deviation (above 0)."""

    @abstractmethod
    def words(self) -> str:
        """Describe the scaling in a note."""


@final
@dataclass(frozen=True, slots=True)
class UnitVariance(Scaling):
    """Every column has variance 1: for columns in different units (age, income).

    >>> UnitVariance().factors(np.array([1.0, 4.0]))  # of columns with these standard deviations
    array([1.  , 0.25])

    See also `Encoding`, `Scaling`, `CommonUnit`, `SklearnEncoder`.
    """

    def factors(self, std: Array) -> Array:
        return 1.0 / std

    def words(self) -> str:
        return "each to mean 0 and variance 1"


@final
@dataclass(frozen=True, slots=True)
class CommonUnit(Scaling):
    """One factor for all columns, such that their variances average 1: for columns in one unit (pixels).

    >>> CommonUnit().factors(np.array([1.0, 7.0]))  # of columns with these standard deviations
    array([0.2, 0.2])

    See also `Encoding`, `UnitVariance`, `Scaling`.
    """

    def factors(self, std: Array) -> Array:
        return np.full(len(std), np.sqrt(len(std) / max(float(std @ std), np.finfo(float).tiny)))

    def words(self) -> str:
        return "each to mean 0, all by one factor to variance 1 on average"


@final
@dataclass(frozen=True, slots=True)
class Encoding(TableEncoding):
    """How the columns of a table become features.

    Numbers are centred and scaled. A missing number becomes its column's mean, and a 0/1 column marks it. Texts, and
    columns named in `categorical`, get one 0/1 column per level; missing is a separate level, and levels with fewer
    than `rare` rows share one. So a category weighs at most as much as a number of variance 1. Dates and times are
    numbers too. Columns that do not vary are left out, and so are, in tables of 100 rows or more, whole numbers that
    are all different, which look like identifiers, unless `columns` names them. Finally all columns are centred,
    reduced to `dim` principal components if that is given, and multiplied by one number such that ‖x‖²/d averages
    `level` (½ as in the paper's designs).

    Attributes:
        columns: names of the features; empty means all columns without another use.
        drop: columns to leave out.
        categorical: columns to take as categories although they hold numbers.
        missing: texts that stand for a missing value; if "NaN" is among them, the number NaN does too.
        rare: levels with fewer rows share one column; in a small table, 1 keeps every level.
        scaling: how numbers are made comparable.
        dim: number of principal components; None keeps all.
        level: the mean of ‖x‖²/d at the end.

    >>> table = {"id": [1, 2, 3], "age": [20.0, None, 60.0]}
    >>> encoder = Encoding(drop=("id",)).fit(table)
    >>> encoder.names
    ('age', 'age is missing')
    >>> round(float(np.mean(encoder.transform(table) ** 2)), 6)
    0.5

    See also `Encoder`, `TableEncoding`.
    """

    columns: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    missing: tuple[str, ...] = ("", "?", "NA", "N/A", "n/a", "null", "NaN")
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
        other = next((name for name in self.categorical if self.columns and name not in self.columns), None)
        if other is not None:
            raise InvalidArgument(
                f"Encoding: categorical has {other!r}, which is not in columns; {nearest(other, self.columns)}"
            )

    def check(self, frame: pl.DataFrame, file: str) -> None:
        self.split(frame, file)

    def split(self, frame: pl.DataFrame, file: str) -> tuple[list[str], list[str]]:
        """Return the numerical and the categorical columns of a table of features; raise if one cannot be used."""
        import polars as pl

        from kernelbandits.tables.columns import is_number, mostly_numbers, place, refuse_non_finite

        if frame.height == 0:
            raise InvalidFile(f"{file} has a header but no rows; expected one row per context")
        numerical, categorical = [], []
        for column in frame:
            if column.name in self.categorical or column.dtype in (pl.String, pl.Categorical, pl.Enum):
                categorical.append(column.name)
                row = None if column.name in self.categorical else mostly_numbers(column)
                if row is not None:
                    raise InvalidFile(
                        f"{file}: {place(row, column.name)} is {shown(column[row])}, not a number, though most of the "
                        "column are; correct it, leave the column out, or list it in Encoding's missing or categorical"
                    )
            elif is_number(column) or column.dtype == pl.Null or column.dtype.is_temporal():
                numerical.append(column.name)
            else:
                raise InvalidFile(
                    f"{file}: column {column.name!r} is of type {column.dtype}, neither a number nor a text; "
                    "convert it, or leave it out with drop"
                )
        remedy = 'correct it, leave it empty, or list "NaN" in Encoding\'s missing'
        refuse_non_finite(frame.select(numerical), file, remedy)
        return numerical, categorical

    def number(self, frame: pl.DataFrame, file: str) -> NumberedColumns:
        """Fit only the first step: missing numbers filled, categories as 0/1 columns, nothing scaled."""
        from kernelbandits.tables.columns import looks_like_identifier, some
        from kernelbandits.tables.numbered_columns import number_columns

        numerical, categorical = self.split(frame, file)
        odd = [name for name in numerical if name not in self.columns and looks_like_identifier(frame[name])]
        numbered = number_columns(frame, [name for name in numerical if name not in odd], categorical, self.rare)
        if not odd:
            return numbered
        listed = some([repr(name) for name in odd])
        note = f"left out, because whole numbers that are all different look like identifiers: {listed}"
        return numbered._replace(notes=(*numbered.notes, note))

    def fit(self, table: Any, others: Sequence[str] = ()) -> Encoder:
        """Fit fillings, levels, scales and components to a table; the columns `others` are no features.

        A table is a polars or pandas data frame, an Arrow table, a dictionary of columns, or the path of a .csv,
        .csv.gz, .parquet or .npz file.

        >>> encoder = Encoding(rare=1).fit({"age": [20, 40, 60], "city": ["Rome", None, "Oslo"]})
        >>> encoder.names
        ('age', 'city = Oslo', 'city = Rome', 'city is missing')
        >>> encoder.transform({"age": 40, "city": "Oslo"}).shape
        (4,)
        """
        from kernelbandits.tables.table_kinds import as_frame

        frame, file = as_frame(table, self.missing)
        return self.encode(frame.select(self.features(frame.columns, others, file)), file)[0]

    def encode(self, frame: pl.DataFrame, file: str) -> tuple[Encoder, Array]:
        from kernelbandits.tables.columns import some
        from kernelbandits.tables.encoder import Encoder, principal_axes, project, row_major, scaled

        columns = self.number(frame, file)
        numbers = columns.transform(frame)
        p = len(columns.numerical)
        mean, std, varies = moments(np.ascontiguousarray(numbers[:p].T))
        q, notes = int(varies.sum()), [*columns.notes]
        if q:
            notes.insert(0, f"{counted(q, 'numerical column')}, {self.scaling.words()}")
        if q < p:
            constant = [repr(name) for name, moves in zip(columns.numerical, varies, strict=True) if not moves]
            notes.append(f"left out, because they do not vary: {some(constant)}")
        numbered = columns.names
        kept = np.concatenate([np.flatnonzero(varies), np.arange(p, len(numbered))])
        names = tuple(numbered[j] for j in kept)
        if not names:
            raise InvalidFile(f"{file}: no feature varies ({'; '.join(notes)})")
        shift, factors = np.zeros(len(kept)), np.ones(len(kept))  # 0/1 columns are not scaled
        shift[:q], factors[:q] = mean[varies], self.scaling.factors(std[varies])
        points = row_major(scaled(numbers[kept], shift, factors))  # in C order: sums over rows keep their bits
        center, axes = points.mean(axis=0), None
        points -= center
        if self.dim is not None:
            limit = min(points.shape)
            if self.dim > limit:
                shape = f"{len(points)} rows of {len(kept)} encoded columns"
                raise InvalidFile(f"{file}: dim must be at most {limit} for {shape}; got {self.dim}")
            axes, share = principal_axes(points, self.dim)
            points, names = project(points, axes), tuple(f"component {j + 1}" for j in range(self.dim))
            held = f"{self.dim} principal components, which hold {share:.1%} of the variance"
            notes.append(f"{counted(len(kept), 'column')} reduced to {held}")
        size = np.mean(np.einsum("ij,ij->i", points, points)) / points.shape[1]
        scale = float(np.sqrt(self.level / size))
        notes.append(f"{counted(len(names), 'feature')}, scaled so that ‖x‖²/d averages {self.level:g}")
        points *= scale
        return Encoder(columns, kept, shift, factors, center, axes, scale, names, tuple(notes), self.missing), points
