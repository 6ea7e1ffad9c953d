"""A benchmark case: contenders that are timed against each other, and the ratios to reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, final

from kernelbandits.reporting import Picture

_MODULES = (  # in the order of the table
    "ucb",
    "environments",
    "fits",
    "nystrom",
    "many_rounds",
    "live_rounds",
    "iterative",
    "decisions",
    "bandits",
    "scores",
    "startup",
    "growth",
    "workers",
)


def nothing() -> Mapping[str, Callable[[], Any]]:
    """Return the contenders of a case that has facts but no ratios."""
    return {"ours": lambda: None}


@final
@dataclass(frozen=True, slots=True)
class Case:
    """One comparison.

    Attributes:
        name: name on the command line.
        title: what is measured.
        contenders: makes the functions to time, by name; "ours" is one of them. Only installed peers.
        threads: BLAS threads.
        goals: by contender, the least ratio of its time to ours.
        same: whether all answers must be equal, so that only equal work is compared.
        facts: measures figures other than ratios, such as memory, once.
        study: the same with a picture.

    """

    name: str
    title: str
    contenders: Callable[[], Mapping[str, Callable[[], Any]]] = nothing
    threads: int = 1
    goals: Mapping[str, float] = field(default_factory=dict)
    same: bool = False
    facts: Callable[[], Mapping[str, float]] = dict
    study: Callable[[], tuple[Mapping[str, float], Picture]] | None = None


def all_cases() -> Iterator[Case]:
    """Yield every case."""
    for name in _MODULES:
        yield from import_module(f"benchmarks.{name}").cases()
