"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


class replacing:  # noqa: N801
    """`with replacing(path) as part`: write to `part`; it takes the place of `path` when the block ends well."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Path:
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=self._path.stem + "-", suffix=".part")
        os.close(handle)
        self._part = Path(name)
        return self._part

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is not None:
            self._part.unlink(missing_ok=True)
            return
        with self._part.open("rb") as file:
            os.fsync(file.fileno())
        self._part.chmod(0o644)  # mkstemp makes files private
        self._part.replace(self._path)
