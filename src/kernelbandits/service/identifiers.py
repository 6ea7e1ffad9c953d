"""Ids that the service makes."""

from __future__ import annotations

import os


def new_id(now: int) -> str:
    """An id that nobody can guess, 32 hexadecimal digits. It begins with the time, in microseconds.

    So newer rows lie side by side in an index: a transaction then changes a few of its pages, not one per row.
    """
    return f"{now & 0xFFFFFFFFFFFFF:013x}{os.urandom(10).hex()[:19]}"
