"""Logs of earlier decisions as a bandit reads them: an arm and a reward in every row, features in the other columns."""

from typing import NamedTuple

import numpy as np
import polars as pl

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, shown
from kernelbandits.tables import (
    TableEncoder,
    TableEncoding,
    arm_codes,
    level_texts,
    numbers_in,
    probabilities_in,
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
    chances = np.full(frame.height, np.nan) if propensity is None else probabilities_in(frame[propensity], file)
    if encoder is not None:
        return LoggedRows(encoder, encoder.transform_frame(frame, file), codes, rewards, chances)
    return LoggedRows(*encoding.encode(frame.select(features), file), codes, rewards, chances)


def arms_in(frame: pl.DataFrame, arm: str, encoding: TableEncoding, file: str) -> tuple[str, ...]:
    """Return the names of the arms in a column of a log, sorted."""
    encoding.features(frame.columns, (arm,), file)  # refuses a column that is not there
    refuse_gaps(frame[arm], file)
    return tuple(sorted(level_texts(frame[arm]).unique()))
