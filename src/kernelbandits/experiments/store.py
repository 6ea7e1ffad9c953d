"""Finished cells on disk. A cell is there whole or not at all, whatever kills the process."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from kernelbandits.environments.play import Trace
from kernelbandits.reporting.files import replacing

_ROW = np.dtype([("arm", "<i4"), ("regret", "<f8")])
_ABANDONED_AFTER = 3600.0  # seconds; a younger half-written file may belong to a run that is still alive


@final
@dataclass(frozen=True, slots=True)
class Store:
    """A folder with one file a finished cell, named by the cell's fingerprint."""

    folder: Path

    def __post_init__(self) -> None:
        # A worker process may have another current folder than the process that asks it to write.
        object.__setattr__(self, "folder", Path(self.folder).absolute())

    @property
    def cells(self) -> Path:
        """Where the cells lie."""
        return self.folder / "cells"

    def prepare(self) -> None:
        """Make the folder, and clear what a killed run left half written."""
        self.cells.mkdir(parents=True, exist_ok=True)
        for path in self.cells.glob("*.part"):
            if time.time() - path.stat().st_mtime > _ABANDONED_AFTER:
                path.unlink(missing_ok=True)

    def save(self, fingerprint: str, rows: NDArray[np.void]) -> None:
        """Write a cell: to a file of its own first, then renamed, so that no reader ever sees half of it."""
        with replacing(self._path(fingerprint)) as part, part.open("wb") as file:
            np.save(file, rows, allow_pickle=False)

    def load(self, fingerprint: str, horizon: int) -> NDArray[np.void] | None:
        """The rows (arm, regret) of a cell; None if it is not there or not whole."""
        try:
            rows = np.load(self._path(fingerprint), allow_pickle=False)
        except (FileNotFoundError, ValueError, EOFError):
            return None
        return rows if rows.dtype == _ROW and len(rows) == horizon else None

    def _path(self, fingerprint: str) -> Path:
        return self.cells / f"{fingerprint}.npy"


def rows_of(trace: Trace) -> NDArray[np.void]:
    """What is kept of a trace: (arm, regret) of every round."""
    rows = np.empty(len(trace.arms), dtype=_ROW)
    rows["arm"], rows["regret"] = trace.arms, trace.regrets
    return rows
