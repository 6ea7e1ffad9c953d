"""Nyström fits to parquet files: each range of rows is summed where it is read, and the sums are added in a tree.

Workers send back M × M sums and the rows from which centres are chosen. The ranges and the tree depend on the files and
`rows_per_part` alone, so the fit is the same to the last bit on every engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.experiments.engines import Engine, in_order, local
from kernelbandits.experiments.fits.table import CANDIDATES
from kernelbandits.regression import Basis, NormalEquations, Nystrom, NystromPredictor, Sums
from kernelbandits.reporting.progress import Progress
from kernelbandits.tables.scans import Block, scan
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True)
class RowRange:
    """Rows start … stop − 1 of a parquet file; `features` are the columns of X, `reward` is y."""

    path: str
    features: tuple[str, ...]
    reward: str
    start: int
    stop: int

    def blocks(self) -> Iterator[Block]:
        """The rows, a block at a time."""
        with scan(self.path, reward_column=self.reward, columns=self.features) as table:
            yield from table.blocks(self.start, self.stop)


def fit_parquet(
    estimator: Nystrom,
    files: str | Path | Sequence[str | Path],
    *,
    reward_column: str,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    engine: Engine | None = None,
    rows_per_part: int = 2**18,
) -> NystromPredictor:
    """Fit all rows of parquet files that every worker can read.

    Features are `columns`, or all columns of the first file but the reward and `drop`. `estimator.centers` chooses
    centres from about 10 rows per centre, spread evenly over each range.

    Args:
        estimator: kernel, ridge, and the number and choice of centres.
        files: one path or several, valid on every worker.
        reward_column: the column of y.
        columns: the columns of X.
        drop: columns that are not features.
        engine: where the ranges are read and summed; None is this process.
        rows_per_part: rows per task. A worker holds far fewer at a time.

    """
    engine = engine or local(1)
    given = [files] if isinstance(files, str | Path) else files
    parts = _parts(given, reward_column, columns, drop, checks.whole("rows_per_part", rows_per_part, at_least=1))
    stride = max(1, sum(part.stop - part.start for part in parts) // (CANDIDATES * estimator.n_centers))
    basis = estimator.basis(np.concatenate(in_order(engine, partial(_every, stride), parts)))
    with Progress("fit", len(parts)) as progress:
        note = f"parts of at most {rows_per_part:,} rows"
        found = engine.reduce(partial(_sums, basis), Sums.__add__, parts, lambda done: progress.show(done, note))
    return estimator.solve(NormalEquations(basis, found))


def _parts(
    files: Sequence[str | Path], reward: str, columns: Sequence[str], drop: Sequence[str], rows: int
) -> list[RowRange]:
    if not files:
        raise InvalidArgument("files must not be empty: there is nothing to fit")
    parts = []
    for path in [str(Path(file).absolute()) for file in files]:
        if not path.lower().endswith(".parquet"):
            raise InvalidFile(f"{path}: expected a .parquet file, which can be read from any row on")
        with scan(path, reward_column=reward, columns=columns, drop=drop) as table:
            columns, drop = table.features, ()  # the first file decides, also on the order of the features
            parts += [
                RowRange(path, table.features, reward, start, min(table.n, start + rows))
                for start in range(0, table.n, rows)
            ]
    return parts


def _every(stride: int, part: RowRange) -> Array:
    """Every stride-th row of a range, starting with its first, shape (m, d)."""
    rows, skip = [], 0
    for block in part.blocks():
        rows.append(block.X[skip::stride])
        skip = (skip - len(block.X)) % stride
    return np.concatenate(rows)


def _sums(basis: Basis, part: RowRange) -> Sums:
    equations = NormalEquations(basis)
    for block in part.blocks():
        equations.add(block.X, block.y)
    return equations.sums
