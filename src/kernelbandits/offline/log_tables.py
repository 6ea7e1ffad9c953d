"""Logs from tables: data frames, dictionaries of columns, files of any size."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from kernelbandits.errors import InvalidFile, nearest, shown
from kernelbandits.offline.log import Log, TableContexts
from kernelbandits.offline.log_columns import CHANCE, IDENTIFIERS, LogColumns
from kernelbandits.offline.log_times import times_in
from kernelbandits.offline.propensity_model import with_estimated_propensities
from kernelbandits.tables import Encoding, TableEncoder, TableEncoding
from kernelbandits.types import Array, BoolArray, IntArray

if TYPE_CHECKING:
    import polars as pl

_FITTED = 50_000
"""Rows to which an encoding is fitted, evenly spaced in the file."""

_NO_FEATURES: tuple[str, ...] = ("no column is a feature",)


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

    `arms` names all arms, if some may never have been played; by default they are those of the rows, of the lists of
    eligible arms and of the columns `probability_…`, sorted.

    Args:
        table: a data frame, an Arrow table, a dictionary of columns, or the path of a file.
        columns: what the columns are called; None for the names of `LogColumns()`.
        encoding: how the other columns become features; None for `Encoding()`.
        arms: names of all arms; empty for those that the table has.
        encoder: a fitted encoding to use instead, such as that of a bandit.
        learned: whether the logging policy learned from these rewards; None if not known.
        bounds: the smallest and the largest possible reward; None if not known.

    >>> log = read_log({"age": [20, 30, 40], "arm": ["a", "b", "a"], "reward": [1, 0, 0], "propensity": [0.5] * 3})
    >>> log.names, log.contexts.shape
    (('a', 'b'), (3, 1))

    See also `open_log`, `Log`.
    """
    from kernelbandits.tables import as_frame

    encoding = encoding or Encoding()
    frame, file = as_frame(table, encoding.missing if encoder is None else encoder.missing)
    columns = columns or LogColumns()
    features = _features(frame.columns, columns, encoding, file)
    read = _Read(frame, file, columns, arms)
    contexts, notes = np.zeros((frame.height, 0)), _NO_FEATURES
    if features and encoder is None:
        encoder, contexts = encoding.encode(frame.select(features), file)
        notes = encoder.notes
    elif encoder is not None:  # it finds its columns, which may be among those that are no features here
        contexts, notes = encoder.transform(frame), encoder.notes
    return read.log(contexts, notes, learned, bounds)


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

    An encoding is fitted to at most 50,000 rows, evenly spaced; `encoder` is used instead if it is given.

    Args:
        table: the path of a file; a table in memory is read as by `read_log`.
        columns: what the columns are called; None for the names of `LogColumns()`.
        encoding: how the other columns become features; None for `Encoding()`.
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
    from kernelbandits.tables import row_blocks

    if not isinstance(table, str | os.PathLike):
        yield read_log(table, columns, encoding, arms, encoder=encoder, learned=learned, bounds=bounds)
        return
    columns, encoding = columns or LogColumns(), encoding or Encoding()
    with row_blocks(Path(table), encoding.missing if encoder is None else encoder.missing) as rows:
        if not rows.n:
            raise InvalidFile(f"{rows.name} has columns but no rows; expected one row per decision")
        features = tuple(_features(rows.columns, columns, encoding, rows.name))
        read = _Read(rows.block(0, rows.n, columns.taken(rows.columns)), rows.name, columns, arms)
        if not features and encoder is None:
            yield read.log(np.zeros((rows.n, 0)), _NO_FEATURES, learned, bounds)
            return
        if encoder is None:
            encoder, _ = encoding.encode(rows.spread(_FITTED, features), rows.name)
        else:
            features = tuple(rows.columns)  # it finds its columns, which may be among those that are no features here
        contexts = cast(Array, TableContexts(rows, features, encoder))  # all that is asked of it is a slice
        yield read.log(contexts, encoder.notes, learned, bounds)


def _features(known: Sequence[str], columns: LogColumns, encoding: TableEncoding, file: str) -> list[str]:
    for name in (columns.arm, columns.reward, *([columns.propensity] if columns.propensity else [])):
        if name not in known:
            remedy = ". If propensities were not logged, they can be estimated: LogColumns(propensity='')"
            raise InvalidFile(
                f"{file} has no column {name!r}; {nearest(name, known)}{remedy if name == columns.propensity else ''}"
            )
    taken = columns.taken(known)
    left = [name for name in known if name not in taken and name not in encoding.drop]
    return encoding.features(known, taken, file) if left else []


class _Read:
    """The columns of a log that are no features, checked."""

    def __init__(self, frame: pl.DataFrame, file: str, columns: LogColumns, arms: Sequence[str]) -> None:
        from kernelbandits.tables import level_texts, refuse_gaps

        if not frame.height:
            raise InvalidFile(f"{file} has columns but no rows; expected one row per decision")
        self._frame, self._file, self._columns = frame, file, columns
        refuse_gaps(frame[columns.arm], file)
        texts = level_texts(frame[columns.arm])
        self._listed = self._lists()
        self._names = tuple(arms) or tuple(sorted({*texts.unique(), *self._others()}, key=_by_number))
        self._arms = self._codes(texts)

    def log(
        self,
        contexts: Array,
        notes: tuple[str, ...],
        learned: bool | None,
        bounds: tuple[float, float] | None,
    ) -> Log:
        frame, columns, n_arms = self._frame, self._columns, len(self._names)
        rewards = self._rewards()
        rows = (contexts, self._arms, rewards)
        chances = self._chances()
        propensities = np.full(len(rewards), 1.0) if not columns.propensity else self._propensities()
        if chances is not None and not columns.propensity:
            propensities = chances[np.arange(len(rewards)), self._arms]
        log = Log(
            *rows,
            propensities,
            n_arms,
            self._names,
            (*notes, *self._duplicates()),
            chances=chances,
            eligible=self._eligible(),
            times=times_in(frame, columns.time, self._file),
            learned=learned,
            bounds=bounds,
        )
        return log if columns.propensity or chances is not None else with_estimated_propensities(log)

    def _codes(self, texts: pl.Series) -> IntArray:
        import polars as pl

        from kernelbandits.tables import first, level_codes, place

        codes = level_codes(texts, pl.Series(self._names))
        row = first(pl.Series(codes < 0))
        if row is not None:
            name = str(texts[row])
            raise InvalidFile(
                f"{self._file}: {place(row, self._columns.arm)} is {shown(name)}, which is no arm; "
                f"{nearest(name, self._names)}"
            )
        return codes

    def _rewards(self) -> Array:
        from kernelbandits.checks import LARGEST_REWARD, SMALLEST_REWARD
        from kernelbandits.tables import numbers_in, place

        column = self._frame[self._columns.reward]
        if self._columns.default_reward is not None:
            column = column.fill_null(self._columns.default_reward)
        rewards = numbers_in(column, self._file)
        sizes = np.abs(rewards)
        wrong = (sizes > LARGEST_REWARD) | ((sizes < SMALLEST_REWARD) & (sizes > 0.0))
        if wrong.any():
            row = int(wrong.argmax())
            raise InvalidFile(
                f"{self._file}: {place(row, column.name)} is {rewards[row]:g}; expected 0 or a size from "
                f"{SMALLEST_REWARD:g} to {LARGEST_REWARD:g}. Measure rewards in another unit"
            )
        return rewards

    def _propensities(self) -> Array:
        from kernelbandits.tables import numbers_in, place

        chances = numbers_in(self._frame[self._columns.propensity], self._file)
        wrong = np.flatnonzero((chances <= 0.0) | (chances > 1.0))
        if len(wrong):
            row = int(wrong[0])
            raise InvalidFile(
                f"{self._file}: {place(row, self._columns.propensity)} is {chances[row]:g} ({len(wrong)} such); "
                f"expected a probability above 0 and at most 1{_percent(chances)}"
            )
        return chances

    def _chances(self) -> Array | None:
        from kernelbandits.tables import numbers_in

        wanted = [f"{CHANCE}{name}" for name in self._names]
        missing = [name for name in wanted if name not in self._frame.columns]
        if len(missing) == len(wanted):
            return None
        if missing:
            has = next(name for name in wanted if name not in missing)
            raise InvalidFile(
                f"{self._file} has a column {has!r} but no column {missing[0]!r}; give the probabilities of all arms, "
                "or of none"
            )
        return np.column_stack([numbers_in(self._frame[name], self._file) for name in wanted])

    def _lists(self) -> pl.Series | None:
        """The arms that could be played, a list per row, or nothing for all."""
        import polars as pl

        if self._columns.eligible not in self._frame.columns:
            return None
        column = self._frame[self._columns.eligible]
        lists = column.str.split("|") if column.dtype == pl.String else column
        if not isinstance(lists.dtype, pl.List):
            raise InvalidFile(
                f"{self._file}: column {column.name!r} is of type {column.dtype}; expected lists of names of arms, or "
                "texts such as 'a|b'"
            )
        return lists.cast(pl.List(pl.String)).list.eval(pl.element().str.strip_chars())

    def _others(self) -> list[str]:
        """Arms that have a list or a probability, though perhaps they were never played."""
        listed = [] if self._listed is None else self._listed.explode().drop_nulls().unique().to_list()
        return listed + [name.removeprefix(CHANCE) for name in self._frame.columns if name.startswith(CHANCE)]

    def _eligible(self) -> BoolArray | None:
        from kernelbandits.tables import first, place

        if self._listed is None:
            return None
        other = next((name for name in self._others() if name not in self._names), None)
        if other is not None:
            row = first(self._listed.list.contains(other).fill_null(False)) or 0
            raise InvalidFile(
                f"{self._file}: {place(row, self._listed.name)} has {shown(other)}, which is no arm; "
                f"{nearest(other, self._names)}"
            )
        mask = np.column_stack([self._listed.list.contains(name).fill_null(True).to_numpy() for name in self._names])
        return None if mask.all() else mask

    def _duplicates(self) -> tuple[str, ...]:
        """A note if an identifier comes twice."""
        for name in IDENTIFIERS:
            if name in self._frame.columns:
                twice = self._frame.height - self._frame[name].n_unique()
                if twice:
                    repeat = "1 row repeats" if twice == 1 else f"{twice:,} rows repeat"
                    return (f"column {name!r}: {repeat} an identifier; count each decision once",)
        return ()


def _by_number(name: str) -> tuple[int, float, str]:
    """Names that are whole numbers in their order, then the others."""
    return (0, float(name), "") if name.isdecimal() else (1, 0.0, name)


def _percent(chances: Array) -> str:
    return ". Divide percentages by 100" if 1.0 < chances.max() <= 100.0 and chances.min() > 0.0 else ""
