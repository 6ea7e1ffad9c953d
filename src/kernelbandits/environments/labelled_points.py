"""Points with labels: the rows of a table, each with a class, or with an arm and its reward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from kernelbandits import arm_checks, tables
from kernelbandits.errors import InvalidFile, counted
from kernelbandits.tables import TableEncoding
from kernelbandits.types import Array, IntArray

if TYPE_CHECKING:
    import polars as pl


@final
@dataclass(frozen=True, slots=True, eq=False)
class LabelledPoints:
    """Points of shape (n, d), the numbers of their labels, shape (n,), the names of labels, and how they were made."""

    points: Array
    codes: IntArray
    names: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of labels as those of arms; empty if one is too long for that, not printable, or there twice."""
        return self.names if arm_checks.are_names(self.names) else ()


def label_points(
    frame: pl.DataFrame,
    label: str,
    encoding: TableEncoding,
    file: str,
    *,
    cuts: Sequence[float] = (),
    max_rows: int | None = None,
    min_rows: int = 1,
) -> LabelledPoints:
    """Encode the rows of a table that have a class. `Classification` describes the arguments."""
    features = encoding.features(frame.columns, (label,), file)
    encoding.check(frame.select(features), file)  # check all rows before sampling: messages name the row of the file
    tables.refuse_labels(frame[label], cuts, file)
    part, used = _sampled(frame, max_rows)
    names, codes, present = tables.read_labels(part[label], cuts, min_rows, file)
    encoder, points = encoding.encode(part.select(features).filter(present), file)
    counts = np.bincount(codes)
    told = tables.some([f"{name} ({count})" for name, count in zip(names, counts, strict=True)], most=12)
    notes = [f"{file}: {len(points)} rows, {len(names)} classes of {label!r}: {told}", *used]
    if len(points) < part.height:
        notes.append(f"{counted(part.height - len(points), 'row')} without {label!r} left out")
    return LabelledPoints(points, codes, names, (*notes, *encoder.notes))


def reward_points(
    frame: pl.DataFrame,
    arm: str,
    reward: str,
    encoding: TableEncoding,
    file: str,
    *,
    max_rows: int | None = None,
    min_rows: int = 1,
) -> tuple[LabelledPoints, Array]:
    """Encode the rows of a table; the labels are those of `arm`, and the second value is `reward`, shape (n,).

    Every row must have both.
    """
    features = encoding.features(frame.columns, (arm, reward), file)
    encoding.check(frame.select(features), file)  # check all rows before sampling: messages name the row of the file
    tables.refuse_labels(frame[arm], (), file)
    tables.refuse_gaps(frame[arm], file)
    tables.numbers_in(frame[reward], file)
    part, used = _sampled(frame, max_rows)
    names, codes, _ = tables.read_labels(part[arm], (), min_rows, file)
    rewards = tables.numbers_in(part[reward], file)
    if np.ptp(rewards) == 0.0:
        raise InvalidFile(f"{file}: every reward in column {reward!r} is {rewards[0]:g}; there is nothing to learn")
    encoder, points = encoding.encode(part.select(features), file)
    averages = [f"{name} ({np.mean(rewards[codes == i]):.4g})" for i, name in enumerate(names)]
    told = f"{len(points)} rows, {len(names)} arms in {arm!r}, mean {reward!r}: {tables.some(averages, most=12)}"
    return LabelledPoints(points, codes, names, (f"{file}: {told}", *used, *encoder.notes)), rewards


def _sampled(frame: pl.DataFrame, max_rows: int | None) -> tuple[pl.DataFrame, list[str]]:
    """Return at most `max_rows` random rows, the same in every run, and a note if these are not all."""
    if max_rows is None or frame.height <= max_rows:
        return frame, []
    rows = np.sort(np.random.default_rng(0).permutation(frame.height)[:max_rows])
    return frame[rows], [f"{max_rows} of {frame.height} rows of the file used, the same in every run"]
