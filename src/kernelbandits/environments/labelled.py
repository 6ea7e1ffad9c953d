"""Points with classes, from a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, final

import numpy as np

from kernelbandits.tables import Encoding
from kernelbandits.types import Array, IntArray

if TYPE_CHECKING:
    import polars as pl


@final
@dataclass(frozen=True, slots=True, eq=False)
class LabelledPoints:
    """Points with classes.

    Attributes:
        points: shape (n, d).
        codes: number of the class of each point, shape (n,).
        names: the K classes.
        notes: how they came about, in lines for a reader of the results.

    """

    points: Array
    codes: IntArray
    names: tuple[str, ...]
    notes: tuple[str, ...]


def label_points(
    frame: pl.DataFrame,
    label: str,
    encoding: Encoding,
    file: str,
    *,
    cuts: Sequence[float] = (),
    max_rows: int | None = None,
    min_rows: int = 1,
) -> LabelledPoints:
    """The rows of a table that have a class, encoded; what the arguments mean stands in `Classification`."""
    from kernelbandits.tables.labels import read_labels, refuse_labels
    from kernelbandits.tables.places import some
    from kernelbandits.tables.reading import refuse_empty, sampled

    features = encoding.features(frame.columns, [label], file)
    refuse_empty(file, frame)
    encoding.split(frame.select(features), file)  # on all rows, so that messages name the row of the file
    refuse_labels(frame[label], cuts, file)
    part = frame[sampled(frame.height, max_rows)]
    labels = read_labels(part[label], cuts, min_rows, file)
    encoded = encoding.encode(part.select(features).filter(labels.present), file)
    counts = np.bincount(labels.codes)
    told = some([f"{name} ({count})" for name, count in zip(labels.names, counts, strict=True)], most=12)
    notes = [f"{file}: {len(labels.codes)} rows, {len(labels.names)} classes of {label!r}: {told}"]
    if part.height < frame.height:
        notes.append(f"{part.height} of {frame.height} rows of the file used, the same in every run")
    if len(labels.codes) < part.height:
        notes.append(f"{part.height - len(labels.codes)} rows without {label!r} left out")
    return LabelledPoints(encoded.points, labels.codes, labels.names, (*notes, *encoded.notes))


@lru_cache(maxsize=4)
def places_of(data: LabelledPoints) -> dict[bytes, list[int]]:
    """Where each point stands, by its bytes (a minus zero taken as zero); equal points together."""
    places: dict[bytes, list[int]] = {}
    for row, point in enumerate(data.points + 0.0):
        places.setdefault(point.tobytes(), []).append(row)
    return places
