"""Scores of a table on disk, block by block: memory is bounded by the block, and the result does not depend on it."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from kernelbandits import checks
from kernelbandits.bandit.scoring import encoded_rows
from kernelbandits.errors import InvalidArgument, InvalidFile, shown
from kernelbandits.reporting import Progress, replacing
from kernelbandits.tables import row_blocks

if TYPE_CHECKING:
    from kernelbandits.bandit.bandit import Bandit

_PIECE = 65_536
"""Rows of a group in the file that is written, however many are read at a time."""


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
    read at a time, rounded up to a multiple of those that are encoded together (at most 16,384).
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
        source.refuse_unknown(keep)
        if not source.n:
            raise InvalidFile(f"{source.name} has columns but no rows; expected one row per context")
        rng, pieces = np.random.default_rng(seed), _Pieces(Path(folder))
        for start in range(0, source.n, rows):
            frame = source.block(start, start + rows)
            scores = bandit._score(frame, source.name_from(start), eligible)
            pieces.add(pl.concat([frame.select(keep), _drawn(scores, rng), scores], how="horizontal"))
            progress.show(min(start + rows, source.n), f"{min(start + rows, source.n):,} rows")
        with replacing(out) as part:
            write(pieces.scan(), part)
        return source.n


def _drawn(scores: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """The arm of each row, drawn with its probabilities, and its propensity."""
    names = [name for name in scores.columns if name.startswith(_CHANCE)]
    chances = scores.select(names).to_numpy()
    limits = chances.cumsum(axis=1)
    arms = np.minimum((limits <= rng.random(len(limits))[:, np.newaxis] * limits[:, -1:]).sum(axis=1), len(names) - 1)
    arm = pl.Series("arm", [name.removeprefix(_CHANCE) for name in names])[arms.tolist()]
    return pl.DataFrame([arm, pl.Series("propensity", chances[np.arange(len(arms)), arms])])


_CHANCE = "probability_"


class _Pieces:
    """Rows that are written to files of equal length as they come."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: list[pl.DataFrame] = []
        self._n_waiting = self._n_written = 0

    def add(self, rows: pl.DataFrame) -> None:
        """Write what makes whole pieces."""
        self._waiting.append(rows)
        self._n_waiting += rows.height
        while self._n_waiting >= _PIECE:
            self._write(_PIECE)

    def scan(self) -> pl.LazyFrame:
        """All rows, in order."""
        if self._n_waiting:
            self._write(self._n_waiting)
        return pl.concat([pl.scan_parquet(path, glob=False) for path in self._paths()])

    def _paths(self) -> Iterator[Path]:
        return (self._folder / f"{number}.parquet" for number in range(self._n_written))

    def _write(self, n: int) -> None:
        rows = pl.concat(self._waiting, rechunk=True)
        rows[:n].write_parquet(self._folder / f"{self._n_written}.parquet")
        self._n_written += 1
        self._waiting = [rows[n:]] if rows.height > n else []
        self._n_waiting = rows.height - n


def _parquet(rows: pl.LazyFrame, path: Path) -> None:
    rows.sink_parquet(path, row_group_size=_PIECE)


def _csv(rows: pl.LazyFrame, path: Path) -> None:
    rows.sink_csv(path)


_WRITERS = {".parquet": _parquet, ".csv": _csv}
