"""Which data sets are there, and which are left out and why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import final

from kernelbandits.environments import Classification
from kernelbandits.errors import InvalidArgument
from kernelbandits.paper.real_world.datasets import DIGITS, FROM_FOLDER, DataSet, n_digits, write_digits


@final
@dataclass(frozen=True, slots=True)
class Found:
    """The bandits by the name of their data set, and the reason for each that was left out."""

    environments: dict[str, Classification]
    left_out: dict[str, str]

    def left_out_words(self) -> list[str]:
        """A line a reason."""
        reasons = dict.fromkeys(self.left_out.values())
        names = {reason: [name for name, why in self.left_out.items() if why == reason] for reason in reasons}
        return [f"Left out: {', '.join(names[reason])} ({reason})" for reason in reasons]


def find(data_dir: Path | None, folder: Path, only: tuple[str, ...], horizon: int) -> Found:
    """The data sets named in `only`, or all, that have a row for every round. One that was named must be there.

    The user's are read first; only when none of them was refused, the digits are written to the output `folder`.
    """
    named = {name.casefold() for name in only} & {data.name.casefold() for data in (DIGITS, *FROM_FOLDER)}
    wanted = [data for data in (*FROM_FOLDER, DIGITS) if not named or data.name.casefold() in named]
    environments: dict[str, Classification] = {}
    left_out = {data.name: reason for data in wanted if (reason := _obstacle(data, data_dir, horizon))}
    if left_out and (named or len(left_out) == len(wanted)):
        raise InvalidArgument("; ".join(Found({}, left_out).left_out_words()))
    if DIGITS in wanted and DIGITS.name not in left_out:
        write_digits(folder)
        environments[DIGITS.name] = DIGITS.environment(folder)
    for data in wanted:
        if data is not DIGITS and data.name not in left_out and data_dir is not None:
            environments[data.name] = data.environment(data_dir)
    return Found(environments, left_out)


def _obstacle(data: DataSet, data_dir: Path | None, horizon: int) -> str | None:
    """Why this data set cannot be played, None if it can."""
    if data is DIGITS:
        n_rows = n_digits()
    elif data_dir is None:
        return "give the folder with their files by --data-dir"
    elif not (data_dir / data.file).is_file():
        return f"no file {data.file} in {data_dir}"
    else:
        n_rows = len(data.environment(data_dir).data().codes)
    return f"{n_rows:,} rows are too few for {horizon:,} rounds" if n_rows < horizon else None
