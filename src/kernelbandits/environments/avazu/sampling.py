"""A uniform sample of rows per arm from a stream of any length, in one pass and bounded memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.environments.avazu.schema import N_ARMS
from kernelbandits.errors import InvalidFile
from kernelbandits.tables import TextBlock, first, place
from kernelbandits.types import Array, IntArray

_LAST = np.uint64(2**64 - 1)


@final
@dataclass(frozen=True, slots=True, eq=False)
class ImpressionSample:
    """Sampled rows, in the order of their source.

    Attributes:
        features: one column of texts per feature, n rows.
        clicks: 0 or 1, shape (n,).
        arms: last digit of the arm column, shape (n,).
        n_seen: number of rows of the source.

    """

    features: pl.DataFrame
    clicks: Array
    arms: IntArray
    n_seen: int


def priorities(start: int, n: int) -> NDArray[np.uint64]:
    """Return a pseudo-random number for each of the rows start … start + n − 1: the mixing function of SplitMix64.

    It depends only on the number of the row in its source, not on versions, threads or the size of blocks.
    """
    z = np.arange(start + 1, start + n + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def sample_rows(
    blocks: Iterable[TextBlock], source: str, arm_column: str, features: tuple[str, ...], per_arm: int
) -> ImpressionSample:
    """Sample the `per_arm` rows of lowest priority of every arm, or all if there are fewer: a uniform sample.

    Every row is checked, also those not kept; `source` names them in messages.
    """
    limits = np.full(N_ARMS, _LAST)
    kept, n_seen = pl.DataFrame(), 0
    for block in blocks:
        arms, clicks = _arms(block, source, arm_column), _clicks(block, source)
        order = priorities(block.start, len(arms))
        candidates = np.flatnonzero(order <= limits[arms])
        marks = {"_arm": arms, "_click": clicks, "_priority": order, "_row": block.start + np.arange(len(arms))}
        new = block.rows.select(features).with_columns(**{name: pl.Series(values) for name, values in marks.items()})
        kept = _lowest(pl.concat([kept, new[candidates]]) if n_seen else new[candidates], per_arm, limits)
        n_seen += len(arms)
    kept = kept.sort("_row")
    return ImpressionSample(
        kept.select(features), kept["_click"].to_numpy().copy(), kept["_arm"].to_numpy().astype(np.int64), n_seen
    )


def _lowest(rows: pl.DataFrame, per_arm: int, limits: NDArray[np.uint64]) -> pl.DataFrame:
    """Return the rows of lowest priority of each arm, and update `limits`, above which a row cannot be among them."""
    arms, order = rows["_arm"].to_numpy(), rows["_priority"].to_numpy()
    by_priority = np.lexsort((order, arms))
    starts = np.searchsorted(arms[by_priority], np.arange(N_ARMS + 1))
    chosen = []
    for arm in range(N_ARMS):
        mine = by_priority[starts[arm] : starts[arm + 1]][:per_arm]
        if len(mine) == per_arm:
            limits[arm] = order[mine[-1]]
        chosen.append(mine)
    return rows[np.concatenate(chosen)]


def _arms(block: TextBlock, source: str, column: str) -> IntArray:
    """Return the last digit of the column."""
    texts = block.rows[column]
    digits = texts.str.strip_chars().str.slice(-1).cast(pl.Int64, strict=False)
    row = first(digits.is_null())
    if row is not None:
        raise InvalidFile(
            f"{source}: {place(block.start + row, column)} is {texts[row]!r}; "
            "its last character is the arm and must be a digit"
        )
    return digits.to_numpy().copy()


def _clicks(block: TextBlock, source: str) -> Array:
    texts = block.rows["click"]
    clicks = texts.str.strip_chars().cast(pl.Float64, strict=False)
    row = first(~clicks.is_in([0.0, 1.0]).fill_null(value=False))
    if row is not None:
        raise InvalidFile(f"{source}: {place(block.start + row, 'click')} is {texts[row]!r}; expected 0 or 1")
    return clicks.to_numpy().copy()


def refuse_unusable(sample: ImpressionSample, source: str, arm_column: str, n_oracle: int) -> None:
    """Raise if an arm has too few rows for an oracle and contexts, or nothing but one outcome."""
    if len(np.unique(sample.clicks)) < 2:
        raise InvalidFile(
            f"{source}: column 'click' is {sample.clicks[0]:.0f} in all {len(sample.clicks):,} rows sampled; "
            "there is nothing to learn"
        )
    for arm in range(N_ARMS):
        clicks = sample.clicks[sample.arms == arm]
        who = f"{source}: arm {arm} ({arm_column!r} ends in {arm})"
        if len(clicks) <= n_oracle:
            raise InvalidFile(
                f"{who} has {len(clicks):,} rows; it needs {n_oracle:,} for its oracle and more to serve as contexts: "
                "give a larger file, or fewer rows for the oracles"
            )
        if len(np.unique(clicks)) < 2:
            raise InvalidFile(f"{who} has 'click' = {clicks[0]:.0f} in all its rows; its oracle has nothing to learn")
