"""Scores of whole tables, in memory or on disk, in blocks of rows that do not depend on how the table is cut."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, InvalidFile, shown
from kernelbandits.linalg import one_thread
from kernelbandits.reporting import Progress, replacing
from kernelbandits.tables import TableEncoder, refuse_unknown, row_blocks
from kernelbandits.types import Array, ArrayLike

if TYPE_CHECKING:
    from kernelbandits.bandit.bandit import Bandit

_SCORED = 1024
"""Rows that are scored together: always the same number, because the last bits of a product depend on its shape."""
_MOST_ENCODED, _ENTRIES = 16_384, 2**23
"""Rows that are encoded together, and about how many entries they may have in all (64 MB)."""


def encoded_rows(encoder: TableEncoder) -> int:
    """Number of rows that are encoded together: a power of 2 that depends on the encoder alone."""
    fitting = 1 << (_ENTRIES // encoder.width).bit_length() - 1 if encoder.width < _ENTRIES else 1
    return min(max(fitting, _SCORED), _MOST_ENCODED)


def point_blocks(frame: pl.DataFrame, file: str, encoder: TableEncoder) -> Iterator[Array]:
    """Yield the encoded rows of a table in blocks, shape (at most 1,024, d), all of them checked first."""
    encoder.refuse(frame, file)  # here, where the numbers of rows are those of the table
    rows = encoded_rows(encoder)
    for start in range(0, frame.height, rows):
        points = encoder._transform_frame(frame[start : start + rows], f"{file}, after row {start:,}")
        for first in range(0, len(points), _SCORED):
            yield points[first : first + _SCORED]


def scored(
    bandit: Bandit, frame: pl.DataFrame, file: str, eligible: Collection[str] | ArrayLike | None
) -> pl.DataFrame:
    """Score all rows of a table that `file` names in messages; the lock is held for one block at a time."""
    agent, encoder = bandit._ready()
    names, left = agent.problem.arms, agent.active
    found, done = np.empty((len(_COLUMNS), np.count_nonzero(left), frame.height)), 0
    for points in point_blocks(frame, file, encoder):
        with bandit._lock, one_thread():  # the last bit must not depend on the number of threads
            if agent.problem.arms != names or not np.array_equal(agent.active, left):
                return scored(bandit, frame, file, eligible)  # an arm came or went meanwhile
            scores = agent.score(points, eligible)
        for part, field in zip(found, _COLUMNS.values(), strict=True):
            part[:, done : done + len(points)] = getattr(scores, field).T[left]
        done += len(points)
    stay = [name for name, stays in zip(names, left.tolist(), strict=True) if stays]
    titles = [f"{kind}_{name}" for kind in _COLUMNS for name in stay]
    return pl.DataFrame(dict(zip(titles, found.reshape(len(titles), -1), strict=True)))


_COLUMNS = {"mean": "means", "deviation": "deviations", "probability": "probabilities"}
"""How columns begin, and the field of `Scores` that they show."""

_CHANCE = "probability_"
_PIECE = 65_536  # rows of a group in the file that is written, however many are read at a time


def score_file(
    bandit: Bandit,
    table: Path,
    out: Path,
    *,
    keep: tuple[str, ...] = (),
    eligible: Collection[str] | None = None,
    seed: int = 0,
    block_rows: int = _PIECE,
) -> int:
    """Score the rows of a file, draw an arm for each with its probabilities, and write a file; returns their number.

    The columns are those that `keep` names, then `arm` and `propensity`, then those of `Bandit.score`. `block_rows` are
    read at a time, rounded up to a multiple of those that are encoded together (at most 16,384), and at most 65,536.
    """
    write = _WRITERS.get(out.suffix.lower())
    if write is None:
        raise InvalidArgument(f"out must end in {' or '.join(_WRITERS)}; got {shown(out.name)}")
    _, encoder = bandit._ready()
    together = encoded_rows(encoder)
    rows = -(-checks.whole("block_rows", block_rows, at_least=1) // together) * together
    with (
        row_blocks(table, encoder.missing) as source,
        Progress("score", source.n) as progress,
        tempfile.TemporaryDirectory(prefix="kernelbandits-") as folder,
    ):
        refuse_unknown(keep, source.columns, source.name)
        if not source.n:
            raise InvalidFile(f"{source.name} has columns but no rows; expected one row per context")
        rng, paths = np.random.default_rng(seed), []
        for first in range(0, source.n, _PIECE):
            piece, end = [], min(first + _PIECE, source.n)
            for start in range(first, end, rows):
                stop = min(start + rows, end)
                frame = source.block(start, stop)
                scores = scored(bandit, frame, source.name_from(start), eligible)
                piece.append(pl.concat([frame.select(keep), _drawn(scores, rng), scores], how="horizontal"))
                progress.show(stop, f"{stop:,} rows")
            paths.append(Path(folder) / f"{first}.parquet")
            pl.concat(piece, rechunk=True).write_parquet(paths[-1])
        with replacing(out) as part:
            write(pl.concat([pl.scan_parquet(path, glob=False) for path in paths]), part)
        return source.n


def _drawn(scores: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """The arm of each row, drawn with its probabilities, and its propensity."""
    names = [name for name in scores.columns if name.startswith(_CHANCE)]
    chances = scores.select(names).to_numpy()
    limits = chances.cumsum(axis=1)
    arms = np.minimum((limits <= rng.random(len(limits))[:, np.newaxis] * limits[:, -1:]).sum(axis=1), len(names) - 1)
    arm = pl.Series("arm", [name.removeprefix(_CHANCE) for name in names])[arms.tolist()]
    return pl.DataFrame([arm, pl.Series("propensity", chances[np.arange(len(arms)), arms])])


_WRITERS: dict[str, Callable[[pl.LazyFrame, Path], None]] = {
    ".parquet": lambda rows, path: rows.sink_parquet(path, row_group_size=_PIECE),
    ".csv": lambda rows, path: rows.sink_csv(path),
}
