"""A hypothesis of the paper with a verdict on it, and a report of several."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, final


class HypothesisVerdict(Enum):
    """What is known about a hypothesis."""

    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "cannot tell"


class Hypothesis(NamedTuple):
    """One hypothesis, its verdict and the reason for it."""

    name: str
    verdict: HypothesisVerdict
    reason: str


@final
@dataclass(frozen=True, slots=True)
class AssumptionReport:
    """The hypotheses that the theorems make about a kernel and a sample."""

    lines: tuple[Hypothesis, ...]

    def __getitem__(self, name: str) -> Hypothesis:
        lines = {line.name: line for line in self.lines}
        if name not in lines:
            raise KeyError(f"no hypothesis {name!r}; there are {', '.join(lines)}")
        return lines[name]

    @property
    def failing(self) -> tuple[str, ...]:
        return tuple(line.name for line in self.lines if line.verdict is HypothesisVerdict.FAILS)

    def __str__(self) -> str:
        width = max(len(line.name) for line in self.lines)
        return "\n".join(f"{line.name:<{width}}  {line.verdict.value:<11}  {line.reason}" for line in self.lines)


def judge(name: str, holds: bool | None, reason: str) -> Hypothesis:
    """A hypothesis that holds, fails, or (None) cannot be decided."""
    verdicts = {True: HypothesisVerdict.HOLDS, False: HypothesisVerdict.FAILS, None: HypothesisVerdict.UNKNOWN}
    return Hypothesis(name, verdicts[holds], reason)
