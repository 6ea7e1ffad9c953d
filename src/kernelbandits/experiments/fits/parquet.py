"""Nyström fits to parquet files, part by part: every part is summed where it is read, the sums meet in a tree.

A part is a range of rows of a file. Only M × M sums travel; of the rows, only a sample among which centres are chosen.
The parts and the tree depend on the files and `rows_per_part` alone, so the fit is the same on every engine to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.experiments.engines import Engine, in_order, local
from kernelbandits.experiments.fits.table import CANDIDATES
from kernelbandits.regression.normal_equations import Basis, NormalEquations
from kernelbandits.regression.nystrom import Nystrom, NystromPredictor
from kernelbandits.reporting.progress import Progress
from kernelbandits.tables.scans import scan
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True)
class Part:
    """Rows start … stop − 1 of a parquet file; `features` are the columns of X, `reward` is y."""

    path: str
    features: tuple[str, ...]
    reward: str
    start: int
    stop: int


@final
@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Normal equations without their centres, for travelling."""

    gram: Array
    moments: Array
    square: float
    n: int

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.gram + other.gram, self.moments + other.moments, self.square + other.square, self.n + other.n)


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
    """The Nyström fit to all rows of parquet files that every worker can read.

    Features are `columns`, or all columns of the first file but the reward and `drop`. Centres are chosen by
    `estimator.centers` among rows evenly spread over every part, about 10 for each centre.

    Args:
        estimator: kernel, ridge, number and choice of the centres.
        files: one path or several; the same paths must lead to the same files on every worker.
        reward_column: the column of y.
        columns: the columns of X.
        drop: columns that are not features.
        engine: where the parts are read and summed; this process when None.
        rows_per_part: rows of a task. A worker holds far fewer at a time.

    """
    engine = engine or local(1)
    given = [files] if isinstance(files, str | Path) else files
    parts = _parts(given, reward_column, columns, drop, checks.whole("rows_per_part", rows_per_part, at_least=1))
    stride = max(1, sum(part.stop - part.start for part in parts) // (CANDIDATES * estimator.n_centers))
    basis = estimator.basis(np.concatenate(in_order(engine, partial(_every, stride), parts)))
    with Progress("fit", len(parts)) as progress:
        note = f"parts of at most {rows_per_part:,} rows"
        found = engine.reduce(partial(_sums, basis), Sums.__add__, parts, lambda done: progress.show(done, note))
    equations = NormalEquations(basis)
    equations.gram, equations.moments, equations.square, equations.n = found.gram, found.moments, found.square, found.n
    return estimator.solve(equations)


def _parts(
    files: Sequence[str | Path], reward: str, columns: Sequence[str], drop: Sequence[str], rows: int
) -> list[Part]:
    if not files:
        raise InvalidArgument("files must not be empty: there is nothing to fit")
    parts = []
    for path in [str(Path(file).absolute()) for file in files]:
        if not path.lower().endswith(".parquet"):
            raise InvalidFile(f"{path}: expected a .parquet file, which can be read from the middle")
        with scan(path, reward_column=reward, columns=columns, drop=drop) as table:
            columns, drop = table.features, ()  # the first file decides, also on the order of the features
            parts += [
                Part(path, table.features, reward, start, min(table.n, start + rows))
                for start in range(0, table.n, rows)
            ]
    return parts


def _every(stride: int, part: Part) -> Array:
    """Every stride-th row of a part, starting with its first, shape (m, d)."""
    rows, skip = [], 0
    with scan(part.path, reward_column=part.reward, columns=part.features) as table:
        for block in table.blocks(part.start, part.stop):
            rows.append(block.X[skip::stride])
            skip = (skip - len(block.X)) % stride
    return np.concatenate(rows)


def _sums(basis: Basis, part: Part) -> Sums:
    equations = NormalEquations(basis)
    with scan(part.path, reward_column=part.reward, columns=part.features) as table:
        for block in table.blocks(part.start, part.stop):
            equations.add(block.X, block.y)
    return Sums(equations.gram, equations.moments, equations.square, equations.n)
