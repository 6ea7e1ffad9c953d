"""Large fits on any engine: one per arm, and Nyström fits to tables larger than memory.

A file is read twice: the first pass chooses centres, the second sums the normal equations.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from kernelbandits.errors import InvalidArgument, InvalidFile, UnscaledColumns
from kernelbandits.experiments.engines import Engine, in_order, local
from kernelbandits.linalg import require_memory
from kernelbandits.regression import Basis, Estimator, NormalEquations, Nystrom, NystromPredictor, Predictor, Sums
from kernelbandits.reporting.progress import Progress
from kernelbandits.specs import Count, conform
from kernelbandits.tables import Block, Scan, TableEncoder, scale_warning, scan
from kernelbandits.types import Array, ArrayLike

CANDIDATES = 10
"""Size of the sample from which centres are chosen, in rows per centre."""
_POOR = 0.5
"""Residuals above this share of the rewards are a sign that unscaled columns have spoiled a fit."""

Arm = TypeVar("Arm", bound=Hashable)
P = TypeVar("P", bound=Predictor)


def fit_each(
    estimator: Estimator[P], data: Mapping[Arm, tuple[ArrayLike, ArrayLike]], engine: Engine | None = None
) -> dict[Arm, P]:
    """Fit each arm to its points X, shape (n, d), and rewards y, shape (n,); arms keep the order of `data`.

    Args:
        estimator: what is fitted to each arm.
        data: by arm: points of shape (n, d) and rewards of shape (n,).
        engine: where arms are fitted; None is this process, one arm after the other.

    >>> fits = fit_each(KernelRidge(Gaussian(), 1.0), {"a": ([[0.0]], [1.0]), "b": ([[1.0]], [2.0])})
    >>> fits["a"].mean([[0.0]]).round(9)
    array([0.5])

    See also `fit_table`, `fit_parquet`, `fit_arms`.
    """
    longest_first = sorted(data, key=lambda arm: -len(np.atleast_1d(data[arm][1])))  # else a long fit might start last
    tasks = [(arm, *data[arm]) for arm in longest_first]
    found = dict(zip(longest_first, in_order(engine or local(1), partial(_fit_arm, estimator), tasks), strict=True))
    return {arm: found[arm] for arm in data}


def _fit_arm(estimator: Estimator[P], task: tuple[Arm, ArrayLike, ArrayLike]) -> P:
    arm, X, y = task
    try:
        return estimator.fit(X, y)
    except InvalidArgument as error:
        raise InvalidArgument(f"arm {arm!r}: {error}") from error


def fit_table(
    estimator: Nystrom,
    path: Path | str,
    *,
    reward_column: str,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    encoder: TableEncoder | None = None,
) -> NystromPredictor:
    """Fit all rows of a .parquet, .csv or .csv.gz file, in O(M² + block) memory, with a progress bar.

    Features are what a fitted `encoder` makes of the columns. Without one they are `columns`, or all columns but the
    reward and `drop`, as they are: all of them numbers; `UnscaledColumns` warns where their units would spoil the fit.
    The first pass draws a uniform sample of 10 rows per centre, from which `estimator.centers` chooses; the second sums
    the normal equations.

    Args:
        estimator: kernel, ridge, and the number and choice of centres.
        path: a .csv, .csv.gz or .parquet file of any size.
        reward_column: column of the reward.
        columns: names of the features; empty means all columns without another use. Not with an `encoder`.
        drop: columns that are not features.
        encoder: a fitted encoding; None takes the columns as they are, all of them numbers.

    >>> import polars as pl, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "t.csv")
    >>> pl.DataFrame({"x": np.arange(40.0) / 40, "y": np.ones(40)}).write_csv(path)
    >>> fit_table(Nystrom(Gaussian(), 0.1, 5), path, reward_column="y").mean(np.array([[0.5]])).round(1)
    array([1.])

    See also `fit_arms`, `fit_parquet`.
    """
    with scan(path, reward_column=reward_column, columns=columns, drop=drop, encoder=encoder) as table:
        [fit] = _fit(estimator, table).values()
        return fit


def fit_arms(
    estimator: Nystrom,
    path: Path | str,
    *,
    arm_column: str,
    reward_column: str,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    encoder: TableEncoder | None = None,
) -> dict[Any, NystromPredictor]:
    """Fit each arm of a logged table, in two passes over the file for all arms together; features as in `fit_table`.

    Args:
        estimator: kernel, ridge, and the number and choice of centres.
        path: a .csv, .csv.gz or .parquet file of any size.
        arm_column: column of the arm that was played.
        reward_column: column of the reward.
        columns: names of the features; empty means all columns without another use. Not with an `encoder`.
        drop: columns that are not features.
        encoder: a fitted encoding; None takes the columns as they are, all of them numbers.

    >>> import polars as pl, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "t.csv")
    >>> pl.DataFrame({"x": np.arange(40.0) / 20, "arm": [0, 1] * 20, "y": np.ones(40)}).write_csv(path)
    >>> sorted(fit_arms(Nystrom(Gaussian(), 0.1, 5), path, arm_column="arm", reward_column="y"))
    [0, 1]

    See also `fit_table`, `fit_parquet`, `fit_each`.
    """
    taken = {"arm_column": arm_column, "reward_column": reward_column}
    with scan(path, **taken, columns=columns, drop=drop, encoder=encoder) as table:
        return _fit(estimator, table)


def _fit(estimator: Nystrom, table: Scan) -> dict[Any, NystromPredictor]:
    cost = estimator.cost(table.n, len(table.features))
    require_memory(cost.bytes, f"a fit with {estimator.n_centers} centres", "use fewer centres")
    with Progress(table.name, 2 * table.n) as progress:
        samples: dict[Any, RowSample] = {}
        rng = np.random.default_rng(estimator.seed)
        for arm, X, _ in _rows_by_arm(table, lambda done: progress.show(done, "choosing centres")):
            samples.setdefault(arm, RowSample(CANDIDATES * estimator.n_centers)).add(X, rng)
        what = f"a fit of {len(samples)} arms with {estimator.n_centers} centres each"
        require_memory(len(samples) * cost.bytes, what, "use fewer centres")
        problem = scale_warning(np.concatenate([sample.rows for sample in samples.values()]), table.features)
        equations = {arm: NormalEquations(estimator.basis(samples.pop(arm).rows)) for arm in sorted(samples)}
        for arm, X, y in _rows_by_arm(table, lambda done: progress.show(table.n + done, "fitting")):
            equations[arm].add(X, y)
        fits = {arm: estimator.solve(equations.pop(arm)) for arm in [*equations]}
    worst = max(fit.report.residual for fit in fits.values())
    if problem and worst > _POOR:
        warnings.warn(
            f"{table.name}: {problem}; residuals are up to {worst:.2f} of the rewards. Scale the columns: fit "
            "encoder = kb.Encoding().fit(table, others=…) and pass it",
            UnscaledColumns,
            stacklevel=3,
        )
    return fits


def _rows_by_arm(table: Scan, show: Callable[[int], None]) -> Iterator[tuple[Any, Array, Array]]:
    """For each block, each of its arms with its rows X and y; the arm is None without a column of arms."""
    done = 0
    for X, y, arm_of_row in table.blocks():
        if arm_of_row is None:
            yield None, X, y
        else:
            arms, place = np.unique(arm_of_row, return_inverse=True)
            rows_of_arms = np.split(np.argsort(place, kind="stable"), np.cumsum(np.bincount(place))[:-1])
            for arm, rows in zip(arms.tolist(), rows_of_arms, strict=True):
                yield arm, X[rows], y[rows]
        done += len(y)
        show(done)


class RowSample:
    """A uniform sample without replacement of at most `size` rows of a stream, in its order: those of smallest keys."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._keys = np.zeros(0)
        self.rows = np.zeros((0, 0))

    def add(self, X: Array, rng: np.random.Generator) -> None:
        """Offer rows X of shape (n, d); each gets a random key."""
        keys = rng.random(len(X))
        if len(self._keys) == self._size:
            promising = keys < self._keys.max()
            X, keys = X[promising], keys[promising]
        rows = np.concatenate([self.rows, X]) if len(self.rows) else X
        keys = np.concatenate([self._keys, keys])
        if len(keys) > self._size:
            kept = np.sort(np.argpartition(keys, self._size)[: self._size])
            rows, keys = rows[kept], keys[kept]
        self.rows, self._keys = rows, keys


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

    Workers send back M × M sums of ranges of rows, which are added in a tree, and the rows from which centres are
    chosen: about 10 per centre, spread evenly over each range. Ranges and tree depend on the files and `rows_per_part`
    alone, so the fit is the same to the last bit on every engine.

    Args:
        estimator: kernel, ridge, and the number and choice of centres.
        files: one path or several, valid on every worker.
        reward_column: the column of y.
        columns: the columns of X; empty means all columns of the first file but the reward and `drop`.
        drop: columns that are not features.
        engine: where the ranges are read and summed; None is this process.
        rows_per_part: rows per task. A worker holds far fewer at a time.

    >>> import polars as pl, tempfile, pathlib
    >>> from kernelbandits.experiments import InProcess
    >>> path = pathlib.Path(tempfile.mkdtemp(), "t.parquet")
    >>> pl.DataFrame({"x": np.arange(40.0) / 40, "y": np.ones(40)}).write_parquet(path)
    >>> fit = fit_parquet(Nystrom(Gaussian(), 0.1, 5), [path], reward_column="y", engine=InProcess())
    >>> fit.mean(np.array([[0.5]])).round(1)
    array([1.])

    See also `fit_table`, `fit_arms`, `fit_each`.
    """
    engine = engine or local(1)
    given = [files] if isinstance(files, str | Path) else files
    parts = _parts(given, reward_column, columns, drop, conform(rows_per_part, Count, "rows_per_part"))
    stride = max(1, sum(part.stop - part.start for part in parts) // (CANDIDATES * estimator.n_centers))
    basis = estimator.basis(np.concatenate(in_order(engine, partial(_every, stride), parts)))
    with Progress("fit", len(parts)) as progress:
        note = f"parts of at most {rows_per_part:,} rows"
        found = engine.reduce(partial(_sums, basis), Sums.__add__, parts, lambda done: progress.show(done, note))
    return estimator.solve(NormalEquations(basis, found))


class RowRange(NamedTuple):
    """Rows start … stop − 1 of a parquet file; `features` are the columns of X, `reward` is y."""

    path: str
    features: tuple[str, ...]
    reward: str
    start: int
    stop: int

    def blocks(self) -> Iterator[Block]:
        """Yield the rows, one block at a time."""
        with scan(self.path, reward_column=self.reward, columns=self.features) as table:
            yield from table.blocks(self.start, self.stop)


def _parts(
    files: Sequence[str | Path], reward: str, columns: Sequence[str], drop: Sequence[str], rows: int
) -> list[RowRange]:
    if not files:
        raise InvalidArgument("files must not be empty: there is nothing to fit")
    parts = []
    for path in [str(Path(file).absolute()) for file in files]:
        if not path.lower().endswith(".parquet"):
            raise InvalidFile(f"{path}: expected a .parquet file, which can be read from any row")
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
