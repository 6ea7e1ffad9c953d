"""The time that is stored with events: it never runs backwards, whatever happens to the clock of the machine."""

from __future__ import annotations

import time
from typing import final

MICROSECONDS = 1_000_000


@final
class Clock:
    """Microseconds since 1970, as they pass since the machine was started.

    The wall clock is read once, when the service starts (`anchored`). Setting it later changes nothing, so that a
    default reward is never given before its time. What was stored earlier is never in the future of a new start.
    """

    __slots__ = ("offset",)

    def __init__(self, offset: int) -> None:
        self.offset = offset

    @classmethod
    def anchored(cls, latest_stored: int) -> Clock:
        """A clock that shows the wall clock's time now, or the latest time that was stored if that is later."""
        return cls(max(time.time_ns() // 1000, latest_stored) - _passed())

    def now(self) -> int:
        """Return the time in microseconds."""
        return _passed() + self.offset


def _passed() -> int:
    """Microseconds since the machine was started, sleep included."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000
