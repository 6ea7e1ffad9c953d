"""Available memory, and refusal of work that does not fit into it."""

from __future__ import annotations

import os
import re
from pathlib import Path

from kernelbandits.errors import TooLarge

_CGROUP = Path("/sys/fs/cgroup")
_SMALL = 2**26


def available() -> int:
    """Bytes that this process may still allocate, on the machine and within the limit of its container."""
    return min(_of_machine(), _of_container())


def _of_machine() -> int:
    """The operating system's estimate (Linux), otherwise all physical memory."""
    table = Path("/proc/meminfo")
    if table.is_file():
        found = re.search(r"^MemAvailable:\s*(\d+) kB", table.read_text(encoding="ascii"), flags=re.MULTILINE)
        if found:
            return 1024 * int(found[1])
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**63


def _of_container() -> int:
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            most, now = (_CGROUP / limit).read_text("ascii").strip(), (_CGROUP / used).read_text("ascii").strip()
        except OSError:  # no such limit here
            continue
        if most.isdigit() and now.isdigit():
            return max(0, int(most) - int(now))
    return 2**63


def words(size: float) -> str:
    """A number of bytes as text, such as 1.5 GB."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size / 1e3:.3g} kB"


def require(size: float, what: str, instead: str) -> None:
    """Raise `TooLarge` if `size` bytes are not available. Small sizes are always accepted."""
    if size < _SMALL:
        return
    have = available()
    if size > have:
        raise TooLarge(f"{what} needs {words(size)} of memory, of which {words(have)} are available; {instead}")
