"""Which columns of a log are what, and what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from kernelbandits import checks, tables
from kernelbandits.errors import InvalidArgument, InvalidFile, nearest, shown
from kernelbandits.offline.log import SMALLEST, TOLERANCE, checked_bounds
from kernelbandits.specs import Spec
from kernelbandits.types import Array, BoolArray, IntArray

if TYPE_CHECKING:
    import polars as pl

IDENTIFIERS = ("id", "event_id", "decision_id")
CHANCE = "probability_"


@final
@dataclass(frozen=True, slots=True)
class LogColumns(Spec):
    """The columns of a log. Those of the export of the decision service need no options.

    Columns `probability_…`, one per arm as `kernelbandits score` writes them, are the chances of all arms. Identifiers
    (`id`, `event_id`, `decision_id`) are no features; all other columns are.

    Attributes:
        arm: the arm that was played.
        reward: the reward that it gave, a number.
        propensity: the probability with which it was played; "" if it was not logged: then it is taken from the columns
            `probability_…`, or else estimated from the features.
        time: when the row was written, a time or a number; used if there is such a column.
        eligible: the arms that could be played, a list of names or a text such as "a|b"; used if there is one.
        default_reward: stands for a reward that is missing; None refuses such rows.

    >>> table = {"offer": ["a", "b"], "bought": [1, None], "chance": [0.5, 0.5]}
    >>> read_log(table, LogColumns("offer", "bought", "chance", default_reward=0.0)).rewards
    array([1., 0.])

    See also `read_log`, `Log`, `LogFile`, `replay_log`.
    """

    arm: str = "arm"
    reward: str = "reward"
    propensity: str = "propensity"
    time: str = "time"
    eligible: str = "eligible"
    default_reward: float | None = None

    def _validate(self) -> None:
        if len({*self.needed}) < len(self.needed):
            raise InvalidArgument(f"arm, reward and propensity must be three columns; got {shown([*self.needed])}")

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that a log must have."""
        return (self.arm, self.reward, self.propensity) if self.propensity else (self.arm, self.reward)

    def taken(self, known: Sequence[str]) -> tuple[str, ...]:
        """Those columns of a table that are no features."""
        others = (name for name in known if name in (self.time, self.eligible, *IDENTIFIERS) or name.startswith(CHANCE))
        return (*self.needed, *(name for name in others if name not in self.needed))


def logged_columns(
    frame: pl.DataFrame,
    file: str,
    columns: LogColumns,
    arms: Sequence[str],
    bounds: tuple[float, float] | None = None,
) -> dict[str, Any]:
    """Return the columns of a log that are no features, checked, by their names in `Log`.

    `propensities` are None if they have to be estimated.
    """
    if not frame.height:
        raise InvalidFile(f"{file} has columns but no rows; expected one row per decision")
    tables.refuse_gaps(frame[columns.arm], file)
    lists = _eligible_lists(frame, columns.eligible, file)
    others = [] if lists is None else lists.explode().drop_nulls().unique().to_list()
    others += [name.removeprefix(CHANCE) for name in frame.columns if name.startswith(CHANCE)]
    names = tuple(arms) or tuple(sorted({*tables.level_texts(frame[columns.arm]).unique(), *others}, key=_by_number))
    codes = tables.arm_codes(frame[columns.arm], names, file)
    rewards = frame[columns.reward]
    if columns.default_reward is not None:
        rewards = rewards.fill_null(columns.default_reward)
    chances = _chances(frame, names, file)
    propensities = None if chances is None else chances[np.arange(frame.height), codes]
    if columns.propensity:
        propensities = tables.probabilities_in(frame[columns.propensity], file)
        _refuse(propensities < SMALLEST, frame[columns.propensity], file, f"expected at least {SMALLEST:g}")
    where = f"{file}: column {columns.reward!r}"
    numbers = checks.rewards(where, tables.numbers_in(rewards, file), frame.height, "one number per row")
    if bounds is not None:
        low, high = checked_bounds(bounds)
        remedy = f"the bounds are {low:g} to {high:g}; state bounds that hold for every possible reward"
        _refuse((numbers < low) | (numbers > high), rewards, file, remedy)
    eligible = None if lists is None else _eligible(lists, others, names, file)
    if eligible is not None:
        wrong = ~eligible[np.arange(frame.height), codes]
        _refuse(wrong, frame[columns.eligible], file, "it lacks the arm that was played")
    if chances is not None and propensities is not None:
        _refuse_contrary(chances, propensities, codes, names, file)
    return {
        "arms": codes,
        "rewards": numbers,
        "propensities": propensities,
        "n_arms": len(names),
        "names": names,
        "chances": chances,
        "eligible": eligible,
        "times": _times(frame[columns.time], file) if columns.time in frame.columns else None,
        "bounds": bounds,
        "notes": _duplicates(frame),
    }


def _refuse(wrong: BoolArray, column: pl.Series, file: str, why: str) -> None:
    """Raise if some rows of a column are wrong, and name the first."""
    if wrong.any():
        row = int(wrong.argmax())
        raise InvalidFile(
            f"{file}: {tables.place(row, column.name)} is {shown(column[row])} ({int(wrong.sum())} such); {why}"
        )


def _refuse_contrary(chances: Array, propensities: Array, codes: IntArray, names: Sequence[str], file: str) -> None:
    """Raise if probabilities of all arms do not sum to 1, or the arm that was played has another propensity."""
    sums, own = chances.sum(axis=1), chances[np.arange(len(codes)), codes]
    if (wrong := np.abs(sums - 1.0) > TOLERANCE).any():
        row = int(wrong.argmax())
        raise InvalidFile(
            f"{file}: {tables.place(row, CHANCE + '…')}: the probabilities sum to {sums[row]:g} "
            f"({int(wrong.sum())} such); expected probabilities of all arms, which sum to 1"
        )
    if (wrong := np.abs(own - propensities) > TOLERANCE).any():
        row = int(wrong.argmax())
        raise InvalidFile(
            f"{file}: {tables.place(row, CHANCE + names[codes[row]])} is {own[row]:g}, but the propensity is "
            f"{propensities[row]:g} ({int(wrong.sum())} such); both are the probability of the arm that was played"
        )


def _by_number(name: str) -> tuple[int, float, str]:
    """Names that are whole numbers in their order, then the others."""
    return (0, float(name), "") if name.isdecimal() else (1, 0.0, name)


def _chances(frame: pl.DataFrame, names: Sequence[str], file: str) -> Array | None:
    """The probabilities of all arms, shape (n, K), if the table has them."""
    wanted = [f"{CHANCE}{name}" for name in names]
    missing = [name for name in wanted if name not in frame.columns]
    if len(missing) == len(wanted):
        return None
    if missing:
        has = next(name for name in wanted if name not in missing)
        raise InvalidFile(
            f"{file} has a column {has!r} but no column {missing[0]!r}; give the probabilities of all arms, or of none"
        )
    return np.column_stack([tables.numbers_in(frame[name], file) for name in wanted])


def _eligible_lists(frame: pl.DataFrame, name: str, file: str) -> pl.Series | None:
    """The arms that could be played, one list per row, or nothing for all; None if there is no such column."""
    import polars as pl

    if name not in frame.columns:
        return None
    lists = frame[name].str.split("|") if frame[name].dtype == pl.String else frame[name]
    if not isinstance(lists.dtype, pl.List):
        raise InvalidFile(
            f"{file}: column {name!r} is of type {lists.dtype}; expected lists of names of arms, or texts such as 'a|b'"
        )
    return lists.cast(pl.List(pl.String)).list.eval(pl.element().str.strip_chars())


def _eligible(lists: pl.Series, listed: Sequence[str], names: Sequence[str], file: str) -> BoolArray | None:
    other = next((name for name in listed if name not in names), None)
    if other is not None:
        row = tables.first(lists.list.contains(other).fill_null(False)) or 0
        raise InvalidFile(
            f"{file}: {tables.place(row, lists.name)} has {shown(other)}, which is no arm; {nearest(other, names)}"
        )
    mask = np.column_stack([lists.list.contains(name).fill_null(True).to_numpy() for name in names])
    return None if mask.all() else mask


def _times(column: pl.Series, file: str) -> Array:
    """When the rows were written, in seconds, or as the numbers that the column has."""
    import polars as pl

    name, texts = column.name, column
    if column.dtype == pl.String:
        try:
            column = texts.str.to_datetime(strict=False)
        except pl.exceptions.ComputeError:  # polars knows no format for the first of them
            column = pl.Series([None] * len(texts), dtype=pl.Datetime)
        row = tables.first(column.is_null() & texts.is_not_null())
        if row is not None:
            raise InvalidFile(
                f"{file}: {tables.place(row, name)} is {shown(texts[row])}, which is no time; expected a time such as "
                "2026-01-31 12:00:00, or a number. If the column is something else, name the column of times"
            )
    if column.dtype in (pl.Date, pl.Datetime):
        column = column.dt.epoch("us") / 1e6
    elif column.dtype == pl.Duration:
        column = column.dt.total_microseconds() / 1e6
    elif column.dtype == pl.Time:
        column = column.cast(pl.Int64) / 1e9
    return tables.numbers_in(column.alias(name), file)


def _duplicates(frame: pl.DataFrame) -> tuple[str, ...]:
    """A note if an identifier comes twice."""
    for name in IDENTIFIERS:
        twice = frame.height - frame[name].n_unique() if name in frame.columns else 0
        if twice:
            repeat = "1 row repeats" if twice == 1 else f"{twice:,} rows repeat"
            return (f"column {name!r}: {repeat} an identifier; count each decision once",)
    return ()
