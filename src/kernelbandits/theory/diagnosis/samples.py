"""Contexts, arms and rewards from a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.errors import InvalidFile
from kernelbandits.tables import UNEQUAL, Encoder, Encoding, moments, numbers_in, read_frame, refuse_gaps
from kernelbandits.types import Array

_LOWEST, _HIGHEST = 0.1, 2.0
"""Averages of ‖x‖²/d of contexts that look scaled: ¼ to ½ in the paper's designs, 1 if every variance is 1."""
_ENCODED = "do the same to later contexts: kb.Encoder.from_json takes the encoder in diagnosis.json"


class ContextSample(NamedTuple):
    """Contexts (n, d) with the names of their features, and arms and rewards (n,) where they are known.

    `encoder` made the contexts; it is None if they are the numbers of the file. `notes` tell how they were made.
    """

    contexts: Array
    columns: tuple[str, ...]
    arms: NDArray[Any] | None
    rewards: Array | None
    encoder: Encoder | None
    notes: tuple[str, ...]


def read_sample(
    path: Path,
    *,
    arm_column: str | None = None,
    reward_column: str | None = None,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    scaled: bool | None = None,
) -> ContextSample:
    """Read a file. Features are `columns`, or all but arm, reward and `drop`.

    They are encoded as in an experiment. If `scaled` is False they are not scaled: missing values are filled, texts
    become 0/1 columns, numbers stay as they are. None scales unless all are numbers that look scaled already.
    """
    encoding = Encoding(columns=tuple(columns), drop=tuple(drop))
    frame = read_frame(path, encoding.missing)
    taken = [name for name in (arm_column, reward_column) if name is not None]
    features = frame.select(encoding.features(frame.columns, taken, path.name))
    arms = None if arm_column is None else _arms(path, frame[arm_column])
    rewards = None if reward_column is None else numbers_in(frame[reward_column], path.name)
    found = encoding.number(features, path.name)
    if not found.names:
        raise InvalidFile(f"{path.name} has no usable feature ({'; '.join(found.notes)}); name others with --columns")
    raw = np.ascontiguousarray(found.transform(features).T)
    reason = _as_given(raw, plain=found.names == found.numerical, scaled=scaled)
    if reason:
        return ContextSample(raw, found.names, arms, rewards, None, (*found.notes, reason))
    encoder, points = encoding.encode(features, path.name)
    return ContextSample(points, encoder.names, arms, rewards, encoder, (*encoder.notes, _ENCODED))


def _as_given(raw: Array, *, plain: bool, scaled: bool | None) -> str:
    """Why the columns are used as they are; empty if they are scaled. `plain` ones are the numbers of the file."""
    mean, std, varies = moments(raw)
    if not varies.any():
        return "no feature varies, so none is scaled"
    if scaled is not None:
        return "" if scaled else "columns are not scaled, as asked for"
    level = float(np.mean(raw * raw))
    centred = bool((np.abs(mean[varies]) <= std[varies]).all())
    if plain and centred and std[varies].max() <= UNEQUAL * std[varies].min() and _LOWEST <= level <= _HIGHEST:
        return f"columns look scaled already (‖x‖²/d averages {level:.2g}) and are used as they are; see --standardise"
    return ""


def _arms(path: Path, column: pl.Series) -> NDArray[Any]:
    refuse_gaps(column, path.name)
    if column.dtype.is_integer():
        return column.to_numpy().copy()
    return np.array(column.cast(pl.String).to_list())
