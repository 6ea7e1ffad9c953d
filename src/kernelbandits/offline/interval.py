"""Intervals as values."""

from __future__ import annotations

from typing import NamedTuple


class Interval(NamedTuple):
    """A range of values that the data do not speak against.

    Attributes:
        low: the lower end.
        high: the upper end.

    >>> Interval(0.2, 0.6).low
    0.2

    See also `evaluate`, `ReplayedValue`, `PairDifference`.
    """

    low: float
    high: float

    @property
    def width(self) -> float:
        """Its length."""
        return self.high - self.low

    @property
    def middle(self) -> float:
        """The point halfway between its ends."""
        return 0.5 * (self.low + self.high)

    def covers(self, value: float) -> bool:
        """Whether the value lies in it, ends included."""
        return self.low <= value <= self.high
