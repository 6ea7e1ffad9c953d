"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kernelbandits.errors import NotWritten
from kernelbandits.reporting.locks import lock, remove_abandoned, unlock


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
            unlock(held)
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


def remove_parts(folder: Path) -> None:
    """Remove what processes that were killed left half written in this folder."""
    remove_abandoned(folder, "*-????????.part", Path.unlink)


def write_text(path: Path, text: str) -> Path:
    """Write a text, whole or not at all; returns the path."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
    return path
