"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kernelbandits.reporting.locks import lock, remove_abandoned, unlock


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a file to write to, which replaces `path` when the block ends without an error."""
    with _new_part(path) as part:
        try:
            yield part
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.chmod(0o644)  # mkstemp makes files private
        part.replace(path)


@contextmanager
def _new_part(path: Path) -> Iterator[Path]:
    """A new file beside `path`, locked so that no other process takes it for abandoned."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem + "-", suffix=".part")
        os.close(handle)
        try:
            held = lock(Path(name))
            break
        except FileNotFoundError:  # another process looked at it first
            continue
    try:
        yield Path(name)
    finally:
        unlock(held)


def remove_parts(folder: Path) -> None:
    """Remove what processes that were killed left half written in this folder."""
    remove_abandoned(folder, "*-????????.part", Path.unlink)


def write_text(path: Path, text: str) -> Path:
    """Write a text, whole or not at all; returns the path."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
    return path
