"""Numerical columns of a table."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress

import numpy as np
import polars as pl

from kernelbandits.checks import HUGE
from kernelbandits.errors import InvalidFile
from kernelbandits.tables.blocks import Block
from kernelbandits.tables.places import first, not_numeric, place, some
from kernelbandits.tables.scaling import Scaling, moments
from kernelbandits.types import Array, BoolArray


def refuse_non_finite(column: pl.Series, file: str, remedy: str) -> None:
    """Raise with row and column at the first NaN, infinity, or number whose square would overflow."""
    if not column.dtype.is_float():
        return
    wrong = ~(column.is_finite() & (column.abs() <= HUGE)).fill_null(True)
    row = first(wrong)
    if row is not None:
        raise InvalidFile(f"{file}: {place(row, column.name)} is {column[row]} ({int(wrong.sum())} such); {remedy}")


def refuse_gaps(column: pl.Series, file: str) -> None:
    """Raise with row and column at the first entry that is missing."""
    row = first(column.is_null())
    if row is not None:
        raise InvalidFile(
            f"{file}: {place(row, column.name)} is empty ({column.null_count()} such); mend or leave out the row"
        )


def numbers_in(column: pl.Series, file: str) -> Array:
    """A column as finite numbers, none of them missing, shape (n,); raises with the row otherwise."""
    refuse_gaps(column, file)
    if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        raise InvalidFile(f"{file}: {not_numeric(column)}; expected a number in every row")
    refuse_non_finite(column, file, "mend or leave out the row")
    return column.cast(pl.Float64).to_numpy().copy()


def encode_numbers(frame: pl.DataFrame, names: Sequence[str], scaling: Scaling) -> Block:
    """The columns centred and scaled; a missing entry is the mean, with a 0/1 column beside it."""
    raw = np.empty((frame.height, len(names)))
    for j, name in enumerate(names):
        raw[:, j] = frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy()
    absent = np.isnan(raw)
    n_absent = absent.sum(axis=0)
    raw[absent] = np.broadcast_to(_means(raw, absent), raw.shape)[absent]
    mean, std, varies = moments(raw)
    scaled = raw[:, varies] - mean[varies]
    scaled *= scaling.factors(std[varies])
    holes = (n_absent > 0) & (n_absent < frame.height)
    kept, holed, constant = (list(compress(names, mask)) for mask in (varies, holes, ~varies))
    notes = []
    if kept:
        notes.append(f"{len(kept)} numerical columns, {scaling.words()}")
    if holed:
        told = some([f"{name!r} ({n})" for name, n in zip(holed, n_absent[holes], strict=True)])
        notes.append(f"missing numbers in {told}: filled with the mean, with a 0/1 column that says so")
    if constant:
        notes.append(f"left out, as they do not vary: {some([repr(name) for name in constant])}")
    points = np.concatenate([scaled, absent[:, holes].astype(float)], axis=1)
    return Block(points, kept + [f"{name} is missing" for name in holed], notes)


def _means(raw: Array, absent: BoolArray) -> Array:
    """Mean of what is there in each column, 0 where nothing is."""
    n_present = (~absent).sum(axis=0)
    means: Array = np.where(absent, 0.0, raw).sum(axis=0) / np.maximum(n_present, 1)
    return means
