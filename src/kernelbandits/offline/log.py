"""Logged bandit data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, final

import numpy as np

from kernelbandits import arm_checks, checks
from kernelbandits.errors import InvalidArgument, shown
from kernelbandits.reporting import short_html, short_repr
from kernelbandits.types import Array, BoolArray, IntArray

if TYPE_CHECKING:
    from kernelbandits.tables import RowBlocks, TableEncoder

TOLERANCE = 1e-6
BLOCK = 65_536
"""Rows that are in memory at a time."""
SMALLEST = 1e-100
"""The smallest propensity: the cube of its inverse is still a number."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class TableContexts:
    """The contexts of a table of n rows in a file; `contexts[start:stop]` reads and encodes a block, shape (b, d)."""

    rows: RowBlocks
    columns: tuple[str, ...]
    encoder: TableEncoder

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.n, self.encoder.dim

    @property
    def ndim(self) -> int:
        """2: all arms share a context."""
        return 2

    def __getitem__(self, part: slice) -> Array:
        start, stop, _ = part.indices(self.rows.n)
        return self.encoder.transform_frame(self.rows.block(start, stop, self.columns), self.rows.name_from(start))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Log:
    """Logged decisions: what was shown, played and earned. `read_log` makes one of a data frame or a file.

    Attributes:
        contexts: shape (n, d), the same for all arms, or (n, K, d), one per arm; None if nothing was known. In a log
            that `open_log` opened they stay in the file, and contexts[start:stop] reads a block of them.
        arms: the arm that was played, 0 … K − 1 or one of `names`, shape (n,); kept as numbers.
        rewards: its reward, shape (n,).
        propensities: the probability with which it was played, given the context; in (0, 1], shape (n,).
        n_arms: K; the rows alone do not tell it, because an arm may never have been played.
        names: the arms' names.
        notes: how the contexts were made, one line each.
        chances: the probabilities of all arms, shape (n, K), where they are known.
        eligible: which arms could be played, shape (n, K); None if all could.
        times: when each row was written, as numbers, shape (n,).
        learned: whether the policy that wrote the log learned from it meanwhile; None if that is not known, and then
            `evaluate` looks at the propensities: where they vary, it is taken to have learned.
        bounds: the smallest and the largest possible reward; None if they are not known. Rewards that are all 0 or 1
            need no bounds.
        estimated: whether the propensities were estimated from the log itself; an evaluation says so.

    >>> log = Log(None, np.array(["new", "old"]), np.array([1.0, 0.0]), np.full(2, 0.5), 2, ("old", "new"))
    >>> log.arms, log.dim
    (array([1, 0]), 0)

    See also `read_log`, `open_log`, `LogColumns`, `LogFile`.
    """

    contexts: Array
    arms: IntArray
    rewards: Array
    propensities: Array
    n_arms: int
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    chances: Array | None = None
    eligible: BoolArray | None = None
    times: Array | None = None
    learned: bool | None = None
    bounds: tuple[float, float] | None = None
    estimated: bool = False

    __repr__ = short_repr
    _repr_html_ = short_html

    def __post_init__(self) -> None:
        checks.whole("n_arms", self.n_arms, at_least=1)
        n = self._check_contexts()
        object.__setattr__(self, "names", names := arm_checks.names_of(self.names))
        if names and len(names) != self.n_arms:
            raise InvalidArgument(f"names must be {self.n_arms}, one per arm, or none; got {len(names)}")
        object.__setattr__(self, "arms", arm_checks.arms(self.arms, n, self.n_arms, names))
        meaning = "one number per row of contexts"
        object.__setattr__(self, "rewards", checks.rewards("rewards", self.rewards, n, meaning))
        object.__setattr__(
            self, "propensities", chances := checks.finite_array("propensities", self.propensities, (n,), meaning)
        )
        wrong = np.flatnonzero((chances < SMALLEST) | (chances > 1.0))
        if len(wrong):
            raise InvalidArgument(
                f"propensities must be above 0, at least {SMALLEST:g}, and at most 1; entry {wrong[0]} is "
                f"{chances[wrong[0]]:g} ({len(wrong)} such). Log the probability with which the arm was played"
            )
        self._check_all_arms(n)
        if self.times is not None:
            object.__setattr__(self, "times", checks.finite_array("times", self.times, (n,), meaning))
        if self.bounds is not None:
            self._check_bounds()
        if self.learned not in (None, False, True):
            raise InvalidArgument(f"learned must be True, False, or None if it is not known; got {shown(self.learned)}")

    def __len__(self) -> int:
        return len(self.arms)

    @property
    def dim(self) -> int:
        """Number of features d of a context."""
        return int(self.contexts.shape[-1])

    def name(self, arm: int) -> str:
        """The arm's name, or its number."""
        return self.names[arm] if self.names else str(arm)

    def with_bounds(self, low: float, high: float) -> Log:
        """The log with the smallest and the largest possible reward stated."""
        return replace(self, bounds=(float(low), float(high)))

    def _check_contexts(self) -> int:
        if self.contexts is None:
            object.__setattr__(self, "contexts", np.zeros((len(checks.array_of("arms", self.arms, "arms")), 0)))
        if not isinstance(self.contexts, TableContexts):
            wanted = "rows of numbers, or None if nothing was known"
            object.__setattr__(self, "contexts", checks.array_of("contexts", self.contexts, wanted))
        if isinstance(self.contexts, TableContexts) or (self.contexts.ndim == 2 and self.contexts.shape[1] == 0):
            if not self.contexts.shape[0]:
                raise InvalidArgument("the log has no rows; expected one row per decision")
            return int(self.contexts.shape[0])
        if np.ndim(self.contexts) == 3:
            shape = (None, self.n_arms, None)
            own = checks.finite_array("contexts", self.contexts, shape, "(rows, arms, features)")
            checks.refuse_unusable("contexts", own)
        else:
            own = checks.points("contexts", self.contexts)
        object.__setattr__(self, "contexts", own)
        return len(own)

    def _check_all_arms(self, n: int) -> None:
        rows, shape = np.arange(n), (n, self.n_arms)
        if self.chances is not None:
            chances = checks.finite_array("chances", self.chances, shape, "(rows, arms)")
            object.__setattr__(self, "chances", chances)
            gap = np.abs(chances[rows, self.arms] - self.propensities) > TOLERANCE
            wrong = gap | (np.abs(chances.sum(axis=1) - 1.0) > TOLERANCE) | (chances.min(axis=1) < 0.0)
            if wrong.any():
                row = int(wrong.argmax())
                raise InvalidArgument(
                    f"chances must be probabilities that sum to 1 in every row, and give the arm that was played its "
                    f"propensity; row {row} has {chances[row].round(4).tolist()} and propensity "
                    f"{self.propensities[row]:g} of arm {self.arms[row]} ({int(wrong.sum())} such)"
                )
        if self.eligible is not None:
            mask = checks.array_of("eligible", self.eligible, "a boolean array")
            object.__setattr__(self, "eligible", mask)
            if mask.shape != shape or mask.dtype != np.bool_:
                raise InvalidArgument(
                    f"eligible must be boolean with shape {shape}, one row per row of contexts; "
                    f"got shape {mask.shape} of type {mask.dtype}"
                )
            out = np.flatnonzero(~mask[rows, self.arms])
            if len(out):
                raise InvalidArgument(
                    f"eligible: row {out[0]} has arm {self.name(int(self.arms[out[0]]))}, which was played, as not "
                    f"eligible ({len(out)} such)"
                )

    def _check_bounds(self) -> None:
        low, high = checked_bounds(self.bounds)
        wrong = np.flatnonzero((self.rewards < low) | (self.rewards > high))
        if len(wrong):
            raise InvalidArgument(
                f"bounds are {low:g} to {high:g}, but the reward in row {wrong[0]} is {self.rewards[wrong[0]]:g} "
                f"({len(wrong)} such); state bounds that hold for every possible reward"
            )


def checked_bounds(bounds: object) -> tuple[float, float]:
    """Return the smallest and the largest possible reward; raise if they are not."""
    ends = checks.array_of("bounds", bounds, "two numbers")
    if ends.shape != (2,) or ends.dtype.kind not in "fiu" or not ends[0] < ends[1]:
        raise InvalidArgument(f"bounds must be a smaller and a larger number, as (0, 1); got {shown(bounds)}")
    if np.abs(ends).max() > checks.LARGEST_REWARD:
        raise InvalidArgument(
            f"bounds must be of size at most {checks.LARGEST_REWARD:g}; got {shown(bounds)}. State none if they are "
            "not known"
        )
    return float(ends[0]), float(ends[1])
