"""Nyström fits to parquet files, part by part: every part is summed where it is read, the sums meet in a tree.

A part is a range of rows of a file. Only M × M sums travel; the rows never do. The parts and the tree depend on the
files and `rows_per_part` alone, so the fit is the same to the last bit on every engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.engines import Engine, in_order, local
from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.estimators.normal_equations import Basis, NormalEquations
from kernelbandits.estimators.nystrom import Nystrom, NystromPredictor
from kernelbandits.types import Array

_ROWS_READ = 2**15


@final
@dataclass(frozen=True, slots=True)
class Part:
    """Rows start … stop − 1 of a parquet file; `features` are the columns of X, `target` is y."""

    path: str
    features: tuple[str, ...]
    target: str
    start: int
    stop: int

    def read(self, start: int, stop: int) -> tuple[Array, Array]:
        """Rows start … stop − 1 of the file, X of shape (n, d) and y of shape (n,)."""
        import polars as pl

        frame = pl.scan_parquet(self.path).select(*self.features, self.target).slice(start, stop - start).collect()
        try:
            X = checks.points("X", frame.select(self.features).to_numpy())
            return X, checks.targets("y", frame[self.target].to_numpy(), len(X))
        except InvalidArgument as error:
            raise InvalidFile(f"{self.path}, rows from {start}: {error}") from error


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
    target: str,
    features: Sequence[str] | None = None,
    engine: Engine | None = None,
    rows_per_part: int = 2**18,
    sample: int = 20_000,
) -> NystromPredictor:
    """The Nyström fit to all rows of parquet files that every worker can read.

    Args:
        estimator: kernel, ridge, number and choice of the centres.
        files: one path or several; the same paths must lead to the files on every worker.
        target: the column of y.
        features: the columns of X; all others of the first file when None.
        engine: where the parts are read and summed; this process when None.
        rows_per_part: rows of a task. A worker holds far fewer at a time.
        sample: rows, evenly spread over all, among which the centres are chosen.

    """
    engine = engine or local(1)
    parts = _parts([files] if isinstance(files, str | Path) else files, target, features, rows_per_part)
    total = sum(part.stop - part.start for part in parts)
    stride = max(1, total // checks.whole("sample", sample, at_least=1))
    chosen = np.concatenate(in_order(engine, partial(_every, stride), parts))
    basis = estimator.basis(chosen)
    found = engine.reduce(partial(_sums, basis), Sums.__add__, parts)
    equations = NormalEquations(basis)
    equations.gram, equations.moments, equations.square, equations.n = found.gram, found.moments, found.square, found.n
    return estimator.solve(equations)


def _parts(files: Sequence[str | Path], target: str, features: Sequence[str] | None, rows: int) -> list[Part]:
    import polars as pl

    checks.whole("rows_per_part", rows, at_least=1)
    parts = []
    for path in [str(Path(file).absolute()) for file in files]:
        try:
            columns = pl.read_parquet_schema(path)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise InvalidFile(f"{path} is not a parquet file that can be read: {error}") from error
        features = [name for name in columns if name != target] if features is None else features
        missing = [name for name in (*features, target) if name not in columns]
        if missing:
            raise InvalidFile(f"{path} has no column {missing[0]!r}; it has {', '.join(columns)}")
        n = int(pl.scan_parquet(path).select(pl.len()).collect().item())
        parts += [Part(path, tuple(features), target, start, min(n, start + rows)) for start in range(0, n, rows)]
    if not parts:
        raise InvalidArgument(f"files must have at least one row; got {[str(file) for file in files]}")
    return parts


def _every(stride: int, part: Part) -> Array:
    """Every stride-th row of a part, starting with its first, shape (m, d)."""
    blocks = [part.read(start, stop)[0][::stride] for start, stop in _ranges(part, stride)]
    return np.concatenate(blocks)


def _sums(basis: Basis, part: Part) -> Sums:
    equations = NormalEquations(basis)
    for start, stop in _ranges(part, 1):
        equations.add(*part.read(start, stop))
    return Sums(equations.gram, equations.moments, equations.square, equations.n)


def _ranges(part: Part, multiple_of: int) -> list[tuple[int, int]]:
    """The rows that are in memory together, in turn."""
    step = -(-_ROWS_READ // multiple_of) * multiple_of
    return [(start, min(part.stop, start + step)) for start in range(part.start, part.stop, step)]
