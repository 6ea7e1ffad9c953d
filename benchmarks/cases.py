"""What is measured: each case sets contenders against each other and says which ratio it must reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final


@final
@dataclass(frozen=True, slots=True)
class Goal:
    """time(other) / time(ours) must be at least `at_least` (so 0.95⁻¹ for "at most 0.95 times theirs")."""

    other: str
    at_least: float


@final
@dataclass(frozen=True, slots=True)
class Case:
    """One comparison.

    Attributes:
        name: how the command line calls it.
        title: what is measured, in words.
        contenders: makes the functions to time, by name; "ours" is one of them. Only installed peers.
        threads: BLAS threads.
        goals: ratios to reach.
        same: whether all answers must be equal, so that only equal work is compared.
        facts: figures other than times, such as memory, measured once.

    """

    name: str
    title: str
    contenders: Callable[[], Mapping[str, Callable[[], Any]]]
    threads: int = 1
    goals: tuple[Goal, ...] = ()
    same: bool = False
    facts: Callable[[], Mapping[str, float]] = dict


def all_cases() -> Iterator[Case]:
    """Every case, in the order of the table."""
    from benchmarks import (
        decisions,
        environments,
        fit_growth,
        fits,
        growth,
        iterative,
        many_rounds,
        million,
        nystrom,
        scaling_out,
        startup,
        studies,
        ucb,
    )

    for module in (
        ucb,
        environments,
        fits,
        nystrom,
        million,
        many_rounds,
        iterative,
        decisions,
        startup,
        growth,
        fit_growth,
        studies,
        scaling_out,
    ):
        yield from module.cases()
