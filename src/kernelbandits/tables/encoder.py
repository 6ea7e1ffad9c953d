"""Fitted encodings: what turns the rows of a table into points. As JSON they keep every bit."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self, final

import numpy as np
import polars as pl

from kernelbandits.errors import InvalidArgument, InvalidFile, counted, shown
from kernelbandits.linalg import one_thread
from kernelbandits.reporting import Drawn, facts_html, plot, rows_picture
from kernelbandits.tables.encoding import LEVEL
from kernelbandits.tables.levels import Levels
from kernelbandits.tables.numbered_columns import NumberedColumns
from kernelbandits.tables.rows import RowReader
from kernelbandits.tables.table_encoding import TableEncoder
from kernelbandits.types import Array, IntArray

_FORMAT = 1


@final
@dataclass(frozen=True, slots=True, eq=False)
class Encoder(TableEncoder):
    """A fitted `Encoding`: x = scale · ((z_kept − shift) · factors − center) V for the numbered columns z.

    `Encoding.fit` makes one; it is not built by hand.

    Attributes:
        columns: how the columns of a table become the numbers z: gaps filled, one 0/1 column per level.
        kept: positions of the q columns of z that are used, shape (q,); the others do not vary.
        shift: mean of each numerical column, 0 for 0/1 columns, shape (q,).
        factors: what `Scaling` gives each numerical column, 1 for 0/1 columns, shape (q,).
        center: mean of each column after that, shape (q,).
        axes: the principal axes V, shape (q, d), or None to keep all q columns.
        scale: the factor that makes ‖x‖²/d average `Encoding.level`.
        names: names of the d features.
        notes: the steps, one line each.
        missing: texts that stand for a missing value.

    >>> encoder = Encoding(rare=1).fit({"age": [20.0, 30.0, 60.0], "town": ["a", "b", "a"]})
    >>> encoder.names
    ('age', 'town = a', 'town = b')
    >>> Encoder.from_json(encoder.to_json()).transform({"age": 40.0, "town": "a"}).shape
    (3,)

    See also `Encoding`, `TableEncoding`, `TableEncoder`.
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
    missing: tuple[str, ...] = ()
    _rows: RowReader = field(init=False, repr=False)

    def __repr__(self) -> str:
        return f"Encoder({counted(len(self.names), 'feature')} from {counted(len(self.columns.names), 'column')})"

    def _repr_html_(self) -> str:
        steps = {f"step {i}": note for i, note in enumerate(self.notes, 1)}
        return facts_html("Encoder", {"columns": self.columns.names, "features": self.names, **steps})

    def plot(self) -> Drawn:
        """Draw how many encoded columns came from each column of the table with pyplot; returns the axes."""
        sources = self.columns.sources
        counts = dict.fromkeys(sources, 0) | Counter(sources[place] for place in self.kept)
        label = "encoded columns" if self.axes is None else f"encoded columns, before {len(self.names)} principal axes"
        return plot(rows_picture("Columns", label, list(counts), list(counts.values()), low=0.0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "_rows", RowReader(self.columns, self.missing))

    @property
    def width(self) -> int:
        return len(self.columns.names)

    def refuse(self, frame: pl.DataFrame, file: str) -> None:
        self.columns.refuse(frame, file)

    def _transform_frame(self, frame: pl.DataFrame, file: str) -> Array:
        columns = self.columns.transform(frame)
        kept = columns if len(self.kept) == len(columns) else columns[self.kept]
        return self._reduced(row_major(scaled(kept, self.shift, self.factors, self.center)))

    def transform_row(self, row: Mapping[str, Any]) -> Array:
        numbers = self._rows.read(row).take(self.kept)
        numbers -= self.shift
        numbers *= self.factors
        numbers -= self.center
        point: Array = self._reduced(numbers[np.newaxis])[0]
        return point

    def to_json(self) -> str:
        columns = self.columns
        return json.dumps(
            {
                "format": _FORMAT,
                "numerical": columns.numerical,
                "times": columns.times,
                "means": columns.means.tolist(),
                "gaps": columns.gaps,
                "categories": [[levels.column, levels.common, levels.n_pooled] for levels in columns.categories],
                "column_notes": columns.notes,
                "kept": self.kept.tolist(),
                "shift": self.shift.tolist(),
                "factors": self.factors.tolist(),
                "center": self.center.tolist(),
                "axes": None if self.axes is None else self.axes.tolist(),
                "scale": self.scale,
                "names": self.names,
                "notes": self.notes,
                "missing": self.missing,
            },
            allow_nan=False,
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the encoder that `to_json` wrote, the same to the last bit; raise `InvalidFile` if it is not one."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidFile(f"the encoder cannot be read: it is not JSON ({error})") from error
        if not isinstance(data, dict) or data.get("format") != _FORMAT:
            got = data.get("format") if isinstance(data, dict) else type(data).__name__
            raise InvalidFile(f"the encoder cannot be read: expected format {_FORMAT}; got {shown(got)}")
        try:
            return cls(*_parts(data))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            words = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise InvalidFile(f"the encoder cannot be read: {words}") from error

    def to_state(self) -> dict[str, Any]:
        """What a file holds of this encoder."""
        return {"json": self.to_json()}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """The encoder with this state."""
        return cls.from_json(state["json"])

    def _reduced(self, points: Array) -> Array:
        """Components of points, if there are axes, times the scale; may write to the points, shape (n, q)."""
        if self.axes is not None:
            points = project(points, self.axes)
        points *= self.scale
        return points


def scaled(columns: Array, shift: Array, factors: Array, center: Array | None = None) -> Array:
    """Write (z − shift) · factors − center to columns z, shape (q, n), and return them: one at a time, in the cache."""
    centers = np.zeros(len(shift)) if center is None else center
    for column, origin, factor, middle in zip(columns, shift, factors, centers, strict=True):
        column -= origin
        column *= factor
        column -= middle
    return columns


def row_major(columns: Array) -> Array:
    """Return columns of shape (q, n) as rows of shape (n, q), in C order."""
    return np.ascontiguousarray(columns.T)


def principal_axes(centred: Array, dim: int) -> tuple[Array, float]:
    """Return the `dim` directions of largest variance, shape (p, dim), and the share of variance they hold.

    The sign of a direction is such that its largest entry is positive.
    """
    with one_thread():  # the last bit must not depend on the number of threads
        values, vectors = np.linalg.eigh(centred.T @ centred)
        top = vectors[:, ::-1][:, :dim]
        largest = top[np.abs(top).argmax(axis=0), np.arange(dim)]
        return top * np.sign(largest), float(values[::-1][:dim].sum() / values.sum())


def project(centred: Array, axes: Array) -> Array:
    """Return the coordinates of centred points along the axes, shape (n, dim)."""
    if len(centred) == 1:  # no threads to limit
        return np.asarray(centred @ axes)
    with one_thread():
        return np.asarray(centred @ axes)


def declared_encoder(numbers: Mapping[str, tuple[float, float]], levels: Mapping[str, tuple[str, ...]]) -> Encoder:
    """Return the encoder of `numbers`, name → (mean, standard deviation), and of categories, name → levels.

    As `Encoding` does, numbers are centred and scaled, a missing one counts as its mean, and each level gets a column
    of 0 and 1; the levels are taken as equally frequent. So ‖x‖²/d is about ½ on average.

    >>> declared_encoder({"age": (40.0, 10.0)}, {"city": ("Rome", "Oslo")}).names
    ('age', 'city = Rome', 'city = Oslo')
    """
    if not numbers and not levels:
        raise InvalidArgument("features: expected at least one number or category; got none")
    p, categories = len(numbers), tuple(Levels(name, tuple(known), 0) for name, known in levels.items())
    means = np.array([mean for mean, _ in numbers.values()])
    columns = NumberedColumns(tuple(numbers), (), means, (), categories, ())
    names = columns.names
    shares = np.array([1.0 / len(known.names) for known in categories for _ in known.names])
    shift, factors, center = np.zeros((3, len(names)))
    shift[:p], factors[:] = means, 1.0
    factors[:p] = [1.0 / std for _, std in numbers.values()]
    center[p:] = shares
    size = (p + float(np.sum(shares * (1.0 - shares)))) / len(names)
    notes = (f"{counted(len(names), 'feature')}, as declared",)
    scale = float(np.sqrt(LEVEL / size))
    kept = np.arange(len(names))
    return Encoder(columns, kept, shift, factors, center, None, scale, names, notes, ("", "NaN"))


def _parts(data: dict[str, Any]) -> tuple[Any, ...]:
    numerical, times, gaps = (_texts(data, key) for key in ("numerical", "times", "gaps"))
    categories = tuple(_levels(entry) for entry in data["categories"])
    if not {*times, *gaps} <= {*numerical}:
        raise ValueError("times and gaps must be numerical columns")
    means = _numbers(data, "means", (len(numerical),))
    columns = NumberedColumns(numerical, times, means, gaps, categories, _texts(data, "column_notes"))
    kept = np.array(data["kept"], dtype=np.int64)
    q = len(kept)
    if kept.ndim != 1 or not q or kept.min() < 0 or kept.max() >= len(columns.names):
        raise ValueError(f"kept must be positions among {len(columns.names)} columns")
    names = _texts(data, "names")
    axes = None if data["axes"] is None else _numbers(data, "axes", (q, len(names)))
    if axes is None and len(names) != q:
        raise ValueError(f"names must be {q}, one per feature; got {len(names)}")
    shift, factors, center = (_numbers(data, key, (q,)) for key in ("shift", "factors", "center"))
    scale = float(_numbers(data, "scale", ()))
    texts = (_texts(data, key) for key in ("notes", "missing"))
    return columns, kept, shift, factors, center, axes, scale, names, *texts


def _levels(entry: Any) -> Levels:
    column, common, n_pooled = entry
    texts = isinstance(column, str) and isinstance(common, list)
    if not texts or not all(level is None or isinstance(level, str) for level in common):
        raise TypeError(f"categories must have a name and a list of levels; got {shown(entry)}")
    if not isinstance(n_pooled, int) or n_pooled < 0:
        raise TypeError(f"categories must have a number of rare levels; got {shown(n_pooled)}")
    return Levels(column, tuple(common), n_pooled)


def _texts(data: dict[str, Any], key: str) -> tuple[str, ...]:
    texts = data[key]
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{key} must be a list of texts; got {shown(texts)}")
    return tuple(texts)


def _numbers(data: dict[str, Any], key: str, shape: tuple[int, ...]) -> Array:
    numbers = np.array(data[key], dtype=float)
    if numbers.shape != shape or not np.isfinite(numbers).all():
        raise ValueError(f"{key} must be finite numbers of shape {shape}; got shape {numbers.shape}")
    return numbers
