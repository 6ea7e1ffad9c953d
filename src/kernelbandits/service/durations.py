"""Lengths of time in the settings: seconds, or a text such as "90 minutes"."""

from __future__ import annotations

from math import isfinite

_UNITS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}
_LONGEST = 366 * 86400.0


def seconds(value: float | str) -> float:
    """Return a length of time in seconds.

    >>> seconds("2 hours"), seconds(90)
    (7200.0, 90.0)
    """
    found: float | None = None
    if isinstance(value, str):
        number, _, unit = value.strip().partition(" ")
        factor = _UNITS.get(unit.strip().removesuffix("s"))
        try:
            found = None if factor is None else float(number) * factor
        except ValueError:
            found = None
    else:
        found = float(value)
    if found is None or not isfinite(found) or not 0.0 < found <= _LONGEST:
        raise ValueError(f"expected seconds, or a text such as '90 minutes', of at most 366 days; got {value!r}")
    return found
