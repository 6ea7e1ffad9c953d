"""Logs from tables: data frames, dictionaries of columns, files of any size."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, final

import numpy as np

from kernelbandits import tables
from kernelbandits.errors import InvalidFile, nearest
from kernelbandits.offline.log import Log, TableContexts
from kernelbandits.offline.log_columns import LogColumns, logged_columns
from kernelbandits.offline.propensity_model import with_estimated_propensities
from kernelbandits.specs import Count, FilePath, Spec
from kernelbandits.tables import Encoding, TableEncoder, TableEncoding
from kernelbandits.types import Array

_FITTED = 50_000
"""Rows to which an encoding is fitted, evenly spaced in the file."""


def read_log(
    table: Any,
    columns: LogColumns | None = None,
    encoding: TableEncoding | None = None,
    arms: Sequence[str] = (),
    *,
    encoder: TableEncoder | None = None,
    learned: bool | None = None,
    bounds: tuple[float, float] | None = None,
) -> Log:
    """Return the log in a data frame, an Arrow table, a dictionary of columns or a file, in memory.

    Args:
        table: a data frame, an Arrow table, a dictionary of columns, or the path of a file.
        columns: what the columns are called; None for the names of `LogColumns()`.
        encoding: how the other columns become features; None for `Encoding()`.
        arms: names of all arms, if some may never have been played; by default they are those of the rows, of the
            lists of eligible arms and of the columns `probability_…`, sorted.
        encoder: a fitted encoding to use instead, such as that of a bandit.
        learned: whether the logging policy learned from these rewards; None if not known.
        bounds: the smallest and the largest possible reward; None if not known.

    >>> log = read_log({"age": [20, 30, 40], "arm": ["a", "b", "a"], "reward": [1, 0, 0], "propensity": [0.5] * 3})
    >>> log.names, log.contexts.shape
    (('a', 'b'), (3, 1))

    See also `open_log`, `Log`.
    """
    columns, encoding = columns or LogColumns(), encoding or Encoding()
    frame, file = tables.as_frame(table, encoding.missing if encoder is None else encoder.missing)
    features = _features(frame.columns, columns, encoding, file)
    found = logged_columns(frame, file, columns, arms, bounds) | {"learned": learned}
    contexts = np.zeros((frame.height, 0))
    if encoder is not None:  # it finds its columns, which may be among those that are no features here
        contexts = encoder.transform_frame(frame, file)
    elif features:
        encoder, contexts = encoding.encode(frame.select(features), file)
    return _log(contexts, encoder, found)


@contextmanager
def open_log(
    table: Any,
    columns: LogColumns | None = None,
    encoding: TableEncoding | None = None,
    arms: Sequence[str] = (),
    *,
    encoder: TableEncoder | None = None,
    learned: bool | None = None,
    bounds: tuple[float, float] | None = None,
) -> Iterator[Log]:
    r"""Open a log in a file of any size: arms, rewards and propensities are read, contexts when they are asked for.

    Args:
        table: the path of a file; a table in memory is read as by `read_log`.
        columns: what the columns are called; None for the names of `LogColumns()`.
        encoding: how the other columns become features, fitted to 50,000 rows at most; None for `Encoding()`.
        arms: names of all arms; empty for those that the table has.
        encoder: a fitted encoding to use instead, such as that of a bandit.
        learned: whether the logging policy learned from these rewards; None if not known.
        bounds: the smallest and the largest possible reward; None if not known.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "log.csv")
    >>> _ = path.write_text("age,arm,reward,propensity\n" + "".join(f"{i},{i % 2},1,0.5\n" for i in range(40)))
    >>> with open_log(path) as log:
    ...     len(log), log.names, log.contexts[10:15].shape
    (40, ('0', '1'), (5, 1))

    See also `read_log`, `Log`, `LogColumns`.
    """
    if not isinstance(table, str | os.PathLike):
        yield read_log(table, columns, encoding, arms, encoder=encoder, learned=learned, bounds=bounds)
        return
    columns, encoding = columns or LogColumns(), encoding or Encoding()
    with tables.row_blocks(Path(table), encoding.missing if encoder is None else encoder.missing) as rows:
        features = _features(rows.columns, columns, encoding, rows.name)
        taken = rows.block(0, rows.n, columns.taken(rows.columns))
        found = logged_columns(taken, rows.name, columns, arms, bounds) | {"learned": learned}
        if encoder is not None:
            features = rows.columns  # it finds its columns, which may be among those that are no features here
        elif features:
            encoder, _ = encoding.encode(rows.spread(_FITTED, features), rows.name)
        contexts = np.zeros((rows.n, 0))
        if encoder is not None:
            contexts = cast(Array, TableContexts(rows, tuple(features), encoder))  # all that is asked of it is a slice
        yield _log(contexts, encoder, found)


def _features(known: Sequence[str], columns: LogColumns, encoding: TableEncoding, file: str) -> list[str]:
    for name in columns.needed:
        if name not in known:
            remedy = (
                ". If propensities were not logged, they can be estimated: --estimate-propensities, or in Python "
                "LogColumns(propensity='')"
            )
            raise InvalidFile(
                f"{file} has no column {name!r}; {nearest(name, known)}{remedy if name == columns.propensity else ''}"
            )
    taken = columns.taken(known)
    left = [name for name in known if name not in taken and name not in encoding.drop]
    return encoding.features(known, taken, file) if left else []


def _log(contexts: Array, encoder: TableEncoder | None, found: dict[str, Any]) -> Log:
    made = ("no column is a feature",) if encoder is None else encoder.notes
    found["notes"] = (*made, *found["notes"])
    if found["propensities"] is not None:
        return Log(contexts, **found)
    return with_estimated_propensities(Log(contexts, **found | {"propensities": np.ones(len(found["arms"]))}))


@final
@dataclass(frozen=True, slots=True)
class LogFile(Spec):
    r"""A log in a file: `LogFile("log.csv", propensity="chance").read()`.

    Attributes:
        path: a .csv, .csv.gz or .parquet file.
        arm, reward: columns of the arm that was played, and of the reward that it gave, a number.
        propensity: column of the probability with which it was played; 1/K in every row if arms were drawn uniformly.
            With "" it is estimated from the features, which is right only if they explain how arms were chosen.
        encoding: how the other columns become the context.
        min_rows: refuse a log in which an arm has fewer rows.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "log.csv")
    >>> _ = path.write_text("age,arm,reward,propensity\n" + "".join(f"{i},{i % 2},1,0.5\n" for i in range(40)))
    >>> log = LogFile(path).read()
    >>> log.names, log.contexts.shape
    (('0', '1'), (40, 1))

    See also `read_log`, `LogColumns`, `replay_log`, `ReplayedLog`.
    """

    path: FilePath
    arm: str = "arm"
    reward: str = "reward"
    propensity: str = "propensity"
    encoding: TableEncoding = Encoding()
    min_rows: Count = 1

    def _validate(self) -> None:
        LogColumns(self.arm, self.reward, self.propensity)

    def read(self) -> Log:
        """Read the log and encode its contexts. The arms are those that were played, in sorted order."""
        log = read_log(self.path, LogColumns(self.arm, self.reward, self.propensity), self.encoding)
        counts = np.bincount(log.arms, minlength=log.n_arms)
        if counts.min() < self.min_rows:
            arm = int(counts.argmin())
            raise InvalidFile(
                f"arm {log.name(arm)!r} has {counts[arm]} rows, fewer than min_rows={self.min_rows}; leave it out"
            )
        return log
