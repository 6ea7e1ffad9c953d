"""What the settings choose between: modes, and how several rewards of one event count."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import NamedTuple, final


class Mode(ABC):
    """Which arm is answered, and whether rewards are learned."""

    learns: bool
    name: str

    @abstractmethod
    def answer(self, preferred: str, probabilities: Mapping[str, float], baseline: str) -> tuple[str, float]:
        """The arm to answer and its probability, given the policy's draw, its distribution and the baseline arm."""


@final
class Online(Mode):
    """Answers what the policy draws, and learns."""

    name, learns = "online", True

    def answer(self, preferred: str, probabilities: Mapping[str, float], baseline: str) -> tuple[str, float]:
        return preferred, probabilities[preferred]


@final
class Apprentice(Mode):
    """Answers the baseline arm, learns from its rewards, and notes what the policy would have drawn."""

    name, learns = "apprentice", True

    def answer(self, preferred: str, probabilities: Mapping[str, float], baseline: str) -> tuple[str, float]:
        return baseline, 1.0


@final
class LoggingOnly(Mode):
    """Answers the baseline arm, and learns nothing."""

    name, learns = "logging only", False

    def answer(self, preferred: str, probabilities: Mapping[str, float], baseline: str) -> tuple[str, float]:
        return baseline, 1.0


MODES: dict[str, Mode] = {mode.name: mode for mode in (Online(), Apprentice(), LoggingOnly())}


class Aggregation(NamedTuple):
    """How several rewards of one event count.

    Attributes:
        at_once: whether the first reward settles the event; otherwise all that come in time are added up.

    """

    name: str
    at_once: bool


AGGREGATIONS = {each.name: each for each in (Aggregation("earliest", at_once=True), Aggregation("sum", at_once=False))}
