"""A report of hypotheses: one line each, with a verdict and the numbers behind it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import final


class Verdict(Enum):
    """What is known about a hypothesis."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "cannot tell"


@final
@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One line of a report."""

    name: str
    verdict: Verdict
    reason: str


@final
@dataclass(frozen=True, slots=True)
class AssumptionReport:
    """Every hypothesis that the theorems make of a kernel and a sample."""

    lines: tuple[Hypothesis, ...]

    def __getitem__(self, name: str) -> Hypothesis:
        """The line of that name."""
        for line in self.lines:
            if line.name == name:
                return line
        raise KeyError(f"no hypothesis {name!r}; there are {', '.join(line.name for line in self.lines)}")

    @property
    def failing(self) -> tuple[str, ...]:
        """Names of the hypotheses that fail."""
        return tuple(line.name for line in self.lines if line.verdict is Verdict.FAILS)

    def __str__(self) -> str:
        width = max(len(line.name) for line in self.lines)
        return "\n".join(f"{line.name:<{width}}  {line.verdict.value:<11}  {line.reason}" for line in self.lines)


def judge(name: str, holds: bool, reason: str) -> Hypothesis:
    """A line whose verdict is known."""
    return Hypothesis(name, Verdict.HOLDS if holds else Verdict.FAILS, reason)


def unknown(name: str, reason: str) -> Hypothesis:
    """A line that cannot be decided, and why."""
    return Hypothesis(name, Verdict.UNKNOWN, reason)
