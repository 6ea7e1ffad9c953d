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
    part = path.with_name(f"{path.stem}-{secrets.token_urlsafe(6)}.part")
    try:
        held = _new_file(part)
        try:
            yield part
            with part.open("rb") as file:
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            if held is not None:
                os.close(held)
    except BaseException as error:
        part.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise NotWritten(f"cannot write {path}: {error.strerror or error}; what was there is unchanged") from error
        raise


def _new_file(path: Path) -> int | None:
    """Make a file and lock it, so that no other process takes it for abandoned; returns the lock."""
    while True:
        path.touch(exist_ok=False)  # with the rights that the user's umask leaves
        try:
            return lock(path)
        except FileNotFoundError:  # another process looked at it first
            continue


def write_text(path: Path, text: str) -> Path:
    """Write a text, whole or not at all; returns the path."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
    return path


def remove_parts(folder: Path) -> None:
    """Remove what processes that were killed left half written in this folder."""
    remove_abandoned(folder, "*-????????.part", Path.unlink)


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


def _opened(path: Path) -> int:
    # Over a network, a lock on a file needs the right to write; a folder can only be read.
    mode = os.O_RDONLY if path.is_dir() else os.O_RDWR
    # No detour over a link, no wait for a FIFO.
    return os.open(path, mode | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


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
