"""Points with an arm and a reward, from a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from kernelbandits.errors import InvalidFile
from kernelbandits.tables import Encoding
from kernelbandits.types import Array, IntArray

if TYPE_CHECKING:
    import polars as pl


@final
@dataclass(frozen=True, slots=True, eq=False)
class RewardedPoints:
    """Points, each with the arm that was played and the reward that it gave.

    Attributes:
        points: shape (n, d).
        arms: number of the arm, shape (n,).
        rewards: shape (n,).
        names: the K arms.
        notes: how they came about, in lines for a reader of the results.

    """

    points: Array
    arms: IntArray
    rewards: Array
    names: tuple[str, ...]
    notes: tuple[str, ...]


def reward_points(
    frame: pl.DataFrame,
    arm: str,
    reward: str,
    encoding: Encoding,
    file: str,
    *,
    others: tuple[str, ...] = (),
    max_rows: int | None = None,
    min_rows: int = 1,
) -> RewardedPoints:
    """The rows of a table, encoded. `arm` and `reward` must be there in every row; `others` are no features either."""
    from kernelbandits.tables.labels import read_labels, refuse_labels
    from kernelbandits.tables.numbers import numbers_in, refuse_gaps
    from kernelbandits.tables.places import some
    from kernelbandits.tables.reading import refuse_empty, sampled

    features = encoding.features(frame.columns, [arm, reward, *others], file)
    refuse_empty(file, frame)
    encoding.split(frame.select(features), file)  # on all rows, so that messages name the row of the file
    refuse_labels(frame[arm], (), file)
    refuse_gaps(frame[arm], file)
    all_rewards = numbers_in(frame[reward], file)
    rows = sampled(frame.height, max_rows)
    part, rewards = frame[rows], all_rewards[rows]
    labels = read_labels(part[arm], (), min_rows, file)
    if np.ptp(rewards) == 0.0:
        raise InvalidFile(f"{file}: every reward in column {reward!r} is {rewards[0]:g}; there is nothing to learn")
    encoded = encoding.encode(part.select(features), file)
    averages = [f"{name} ({np.mean(rewards[labels.codes == i]):.4g})" for i, name in enumerate(labels.names)]
    notes = [
        f"{file}: {part.height} rows, {len(labels.names)} arms in {arm!r}, mean {reward!r}: {some([*averages], 12)}"
    ]
    if part.height < frame.height:
        notes.append(f"{part.height} of {frame.height} rows of the file used, the same in every run")
    return RewardedPoints(encoded.points, labels.codes, rewards, labels.names, (*notes, *encoded.notes))
