"""Intervals as values."""

from __future__ import annotations

from typing import NamedTuple


class Interval(NamedTuple):
    """A range of values that the data do not speak against.

    Attributes:
        low: the lower end.
        high: the upper end.

    >>> interval = Interval(0.2, 0.6)
    >>> interval.covers(0.5), round(interval.width, 2), interval.middle
    (True, 0.4, 0.4)

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
