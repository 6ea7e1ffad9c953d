"""Logs of earlier decisions as a bandit reads them: an arm and a reward in every row, features in the other columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, InvalidFile, nearest, shown
from kernelbandits.tables import (
    TableEncoder,
    TableEncoding,
    first,
    level_codes,
    level_texts,
    numbers_in,
    place,
    refuse_gaps,
)
from kernelbandits.types import Array, IntArray


class LoggedRows(NamedTuple):
    """The rows of a log: encoded contexts (n, d), numbers of arms, rewards and propensities (n,); and the encoder.

    Propensities are NaN if the log has none.
    """

    encoder: TableEncoder
    contexts: Array
    arms: IntArray
    rewards: Array
    propensities: Array


def read_logged_rows(
    frame: pl.DataFrame,
    file: str,
    arm: str,
    reward: str,
    propensity: str | None,
    arms: tuple[str, ...],
    encoding: TableEncoding,
    encoder: TableEncoder | None,
) -> LoggedRows:
    """Read a table that `file` names in messages; without an encoder, the encoding is fitted to the rows."""
    taken = [arm, reward] if propensity is None else [arm, reward, propensity]
    if len(set(taken)) < len(taken):
        raise InvalidArgument(f"arm, reward and propensity must be different columns; got {shown(taken)}")
    features = encoding.features(frame.columns, taken, file)
    codes = arm_codes(frame[arm], arms, file)
    rewards = checks.rewards(f"{file}: column {reward!r}", numbers_in(frame[reward], file), frame.height, "one per row")
    chances = np.full(frame.height, np.nan) if propensity is None else _chances(frame[propensity], file)
    if encoder is not None:
        return LoggedRows(encoder, encoder.transform_frame(frame, file), codes, rewards, chances)
    return LoggedRows(*encoding.encode(frame.select(features), file), codes, rewards, chances)


def arm_codes(column: pl.Series, arms: tuple[str, ...], file: str) -> IntArray:
    """Return the number of each row's arm, shape (n,); raise at the first that is not one of the arms."""
    refuse_gaps(column, file)
    texts = level_texts(column)
    codes = level_codes(texts, pl.Series(arms))
    row = first(pl.Series(codes < 0))
    if row is not None:
        name = str(texts[row])
        raise InvalidFile(f"{file}: {place(row, column.name)} is {shown(name)}, which is no arm; {nearest(name, arms)}")
    return codes


def arms_in(frame: pl.DataFrame, arm: str, encoding: TableEncoding, file: str) -> tuple[str, ...]:
    """Return the names of the arms in a column of a log, sorted."""
    encoding.features(frame.columns, (arm,), file)  # refuses a column that is not there
    refuse_gaps(frame[arm], file)
    return tuple(sorted(level_texts(frame[arm]).unique()))


def _chances(column: pl.Series, file: str) -> Array:
    chances = numbers_in(column, file)
    wrong = np.flatnonzero((chances <= 0.0) | (chances > 1.0))
    if len(wrong):
        row = int(wrong[0])
        raise InvalidFile(
            f"{file}: {place(row, column.name)} is {chances[row]:g} ({len(wrong)} such); "
            "expected a probability above 0 and at most 1"
        )
    return chances
