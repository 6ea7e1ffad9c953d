"""Locks on temporary files and folders: they end with the process that holds them, however it ends.

So a temporary file that nobody has locked was left behind by a process that was killed, and can be removed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

_ABANDONED_AFTER = 3600.0  # seconds; where files cannot be locked, only age tells
_OPEN_ANYTHING = getattr(os, "O_NOFOLLOW", 0) | getattr(
    os, "O_NONBLOCK", 0
)  # no detour over a link, no wait for a FIFO


def lock(path: Path) -> int | None:
    """Lock a new file or folder until the descriptor that is returned is closed, or until this process ends.

    Returns None where nothing can be locked. Raises FileNotFoundError if it was removed as abandoned before it was
    locked; its name is then free.
    """
    if fcntl is None:
        return None
    descriptor = _opened(path)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if not _is_at(path, descriptor):
            raise FileNotFoundError(f"{path} was removed before it was locked")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def unlock(descriptor: int | None) -> None:
    """End a lock."""
    if descriptor is not None:
        os.close(descriptor)


def remove_abandoned(folder: Path, pattern: str, remove: Callable[[Path], None]) -> None:
    """Call `remove` for the entries of a folder, named like the pattern, that belong to no living process.

    An entry that cannot be opened or removed stays: it is gone already, or another user's.
    """
    for path in list(folder.glob(pattern)):
        with suppress(OSError):
            descriptor = _opened(path)
            try:
                # Whoever removed it first may have freed its name for a new file, which is not ours to remove.
                if _is_abandoned(descriptor) and _is_at(path, descriptor):
                    remove(path)
            finally:
                os.close(descriptor)


def _opened(path: Path) -> int:
    # Over a network, a lock on a file needs the right to write; a folder can only be read.
    return os.open(path, (os.O_RDONLY if path.is_dir() else os.O_RDWR) | _OPEN_ANYTHING)


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether the path still names the file that was opened."""
    return os.path.samestat(path.lstat(), os.fstat(descriptor))


def _is_abandoned(descriptor: int) -> bool:
    """Whether nobody holds the lock; if so, this process holds it from now on."""
    try:
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        pass
    return time.time() - os.fstat(descriptor).st_mtime > _ABANDONED_AFTER
