"""Digests of data files: results belong to the content of a file, not to its path."""

import hashlib
from functools import lru_cache
from pathlib import Path


def content_digest(path: str) -> str:
    """Return the SHA-256 of the file and the ending of its name, which says how to read it."""
    facts = Path(path).stat()
    return _digest_of(path, facts.st_size, facts.st_mtime_ns)


@lru_cache(maxsize=64)
def _digest_of(path: str, size: int, changed: int) -> str:
    """Cached while size and time stay the same, so that a grid of many cells reads a large file once."""
    name = Path(path.lower())
    ending = Path(name.stem).suffix + ".gz" if name.suffix == ".gz" else name.suffix
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() + ending
