"""Files that are written whole or not at all, and locks on what is being written.

A lock ends with the process that holds it, however it ends. So a temporary file or folder that nobody has locked was
left behind by a process that was killed, and can be removed.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kernelbandits.errors import NotWritten

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

_ABANDONED_AFTER = 3600.0  # seconds; where files cannot be locked, only age tells


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a file to write to, which replaces `path` when the block ends without an error.

    Raises `NotWritten` if the file system refuses.
    """
    # The name comes before the file, so that an interruption finds it at any moment.
    part, held = path.with_name(f"{path.stem}-{secrets.token_urlsafe(6)}.part"), None
    try:
        while True:
            part.touch(exist_ok=False)  # with the rights that the user's umask leaves
            with suppress(FileNotFoundError):  # another process looked at it first
                held = lock(part)
                break
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise NotWritten(f"cannot write {path}: {error.strerror or error}; what was there is unchanged") from error
        raise
    finally:
        if held is not None:
            os.close(held)


def write_text(path: Path, text: str) -> Path:
    """Write a text, whole or not at all; returns the path."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
    return path


def remove_abandoned(
    folder: Path, pattern: str = "*-????????.part", remove: Callable[[Path], None] = Path.unlink
) -> None:
    """Call `remove` for the entries of a folder, named like the pattern, that belong to no living process.

    By default, remove what `replacing` left half written. An entry that cannot be opened or removed stays: it is gone
    already, or another user's.
    """
    for path in list(folder.glob(pattern)):
        with suppress(OSError):  # among others, that a living process holds the lock
            held = lock(path, wait=False)
            try:
                if held is not None or time.time() - path.lstat().st_mtime > _ABANDONED_AFTER:
                    remove(path)
            finally:
                if held is not None:
                    os.close(held)


def lock(path: Path, *, wait: bool = True) -> int | None:
    """Lock a file or folder until the descriptor that is returned is closed, or until this process ends.

    Returns None where nothing can be locked. Raises FileNotFoundError if the path no longer names what was locked:
    whoever removed it as abandoned has freed its name. Raises BlockingIOError if others hold it, unless it may `wait`.
    """
    if fcntl is None:
        return None
    # Over a network, a lock on a file needs the right to write; a folder can only be read.
    mode = os.O_RDONLY if path.is_dir() else os.O_RDWR
    # No detour over a link, no wait for a FIFO.
    descriptor = os.open(path, mode | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not os.path.samestat(path.lstat(), os.fstat(descriptor)):
            raise FileNotFoundError(f"{path} was removed before it was locked")
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, OSError) and not isinstance(error, BlockingIOError | FileNotFoundError):
            return None  # a file system without locks
        raise
    return descriptor
