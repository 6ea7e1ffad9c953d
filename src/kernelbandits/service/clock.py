"""The time that is stored with events: it never runs backwards, whatever happens to the clock of the machine."""

import os
import time
from typing import Self, final


@final
class Clock:
    """Microseconds since 1970, counted by the clock that runs from the start of the machine.

    The wall clock is read once, when the service starts (`anchored`). Setting it later changes nothing, so that a
    default reward is never given before its time. What was stored earlier is never in the future of a new start.
    """

    __slots__ = ("offset",)

    def __init__(self, offset: int) -> None:
        self.offset = offset

    @classmethod
    def anchored(cls, latest_stored: int) -> Self:
        """A clock that shows the wall clock's time now, or the latest time that was stored if that is later."""
        return cls(max(time.time_ns() // 1000, latest_stored) - _passed())

    def now(self) -> int:
        return _passed() + self.offset

    def new_id(self) -> str:
        """An id that nobody can guess, 32 hexadecimal digits. It begins with the time, in microseconds.

        So newer rows lie side by side in an index: a transaction then changes a few of its pages, not one per row.
        """
        return f"{self.now() & 0xFFFFFFFFFFFFF:013x}{os.urandom(10).hex()[:19]}"


def _passed() -> int:
    """Microseconds since the machine was started, sleep included."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000
