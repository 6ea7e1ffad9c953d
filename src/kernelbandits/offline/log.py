"""Logged bandit data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from kernelbandits import arm_checks, checks
from kernelbandits.environments import reward_points
from kernelbandits.errors import InvalidArgument, InvalidFile
from kernelbandits.specs import Count, FilePath, Spec
from kernelbandits.tables import Encoding, TableEncoding
from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True, eq=False)
class Log:
    """Logged decisions: what was shown, played and earned.

    Attributes:
        contexts: shape (n, d), the same for all arms.
        arms: the arm that was played, 0 … K − 1 or one of `names`, shape (n,); kept as numbers.
        rewards: its reward, shape (n,).
        propensities: the probability with which it was played, given the context; in (0, 1], shape (n,).
        n_arms: K; the rows alone do not tell it, because an arm may never have been played.
        names: the arms' names.
        notes: how the contexts were made, one line each.

    """

    contexts: Array
    arms: IntArray
    rewards: Array
    propensities: Array
    n_arms: int
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n = len(checks.points("contexts", self.contexts))
        checks.whole("n_arms", self.n_arms, at_least=1)
        object.__setattr__(self, "names", names := arm_checks.names_of(self.names))
        if names and len(names) != self.n_arms:
            raise InvalidArgument(f"names must be {self.n_arms}, one per arm, or none; got {len(names)}")
        object.__setattr__(self, "arms", arm_checks.arms(self.arms, n, self.n_arms, names))
        checks.rewards("rewards", self.rewards, n, "one number per row of contexts")
        chances = checks.finite_array("propensities", self.propensities, (n,), "one number per row of contexts")
        wrong = np.flatnonzero((chances <= 0.0) | (chances > 1.0))
        if len(wrong):
            raise InvalidArgument(
                f"propensities must be above 0 and at most 1; entry {wrong[0]} is {chances[wrong[0]]:g} "
                f"({len(wrong)} such). Log the probability with which the arm was played"
            )

    def __len__(self) -> int:
        return len(self.arms)


@final
@dataclass(frozen=True, slots=True)
class LogFile(Spec):
    """A log in a file: `LogFile("log.csv", propensity="chance").read()`.

    Attributes:
        path: a .csv, .csv.gz or .parquet file.
        arm: column of the arm that was played.
        reward: column of the reward that it gave, a number.
        propensity: column of the probability with which it was played. A log needs one; if arms were drawn uniformly,
            it is 1/K in every row.
        encoding: how the other columns become the context.
        min_rows: refuse an arm with fewer rows.

    """

    path: FilePath
    arm: str = "arm"
    reward: str = "reward"
    propensity: str = "propensity"
    encoding: TableEncoding = Encoding()
    min_rows: Count = 1

    def _validate(self) -> None:
        if len({self.arm, self.reward, self.propensity}) < 3:
            raise InvalidArgument(
                f"LogFile: arm, reward and propensity must be three columns; "
                f"got {self.arm!r}, {self.reward!r}, {self.propensity!r}"
            )

    def read(self) -> Log:
        """Read the log and encode its contexts. The arms are those that were played, in sorted order."""
        from kernelbandits.tables import numbers_in, place, read_frame

        path = Path(self.path)
        frame = read_frame(path, self.encoding.missing)
        data, rewards = reward_points(
            frame, self.arm, self.reward, self.encoding, path.name, others=(self.propensity,), min_rows=self.min_rows
        )
        chances = numbers_in(frame[self.propensity], path.name)
        wrong = np.flatnonzero((chances <= 0.0) | (chances > 1.0))
        if len(wrong):
            row = int(wrong[0])
            raise InvalidFile(
                f"{path.name}: {place(row, self.propensity)} is {chances[row]:g} ({len(wrong)} such); "
                "expected a probability above 0 and at most 1"
            )
        return Log(data.points, data.codes, rewards, chances, len(data.names), data.names, data.notes)
