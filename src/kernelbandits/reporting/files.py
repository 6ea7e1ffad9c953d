"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a file to write to, which replaces `path` when the block ends without an error."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem + "-", suffix=".part")
    os.close(handle)
    part = Path(name)
    try:
        yield part
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.chmod(0o644)  # mkstemp makes files private
    part.replace(path)


def write_text(path: Path, text: str) -> Path:
    """Write a text, whole or not at all; returns the path."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
    return path
