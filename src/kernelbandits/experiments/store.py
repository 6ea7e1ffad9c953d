"""Finished cells on disk. A cell is there whole or not at all, whatever kills the process."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from kernelbandits.reporting import replacing

Rows = NDArray[np.void]
"""What is kept of a run: (arm, regret) of every round."""

ROW = np.dtype([("arm", "<i4"), ("regret", "<f8")])
_ABANDONED_AFTER = 3600.0  # seconds; a younger half-written file may belong to a run that is still alive


@final
@dataclass(frozen=True, slots=True)
class Store:
    """A folder with one file per finished cell, named by the cell's fingerprint."""

    folder: Path

    def __post_init__(self) -> None:
        # A worker process may have another current folder than the process that asks it to write.
        object.__setattr__(self, "folder", Path(self.folder).absolute())

    @property
    def cells(self) -> Path:
        """The folder of the cells."""
        return self.folder / "cells"

    def prepare(self) -> None:
        """Make the folder, and clear what a killed run left half written."""
        self.cells.mkdir(parents=True, exist_ok=True)
        for path in self.cells.glob("*.part"):
            if time.time() - path.stat().st_mtime > _ABANDONED_AFTER:
                path.unlink(missing_ok=True)

    def save(self, fingerprint: str, rows: Rows) -> None:
        """Write a cell so that no reader ever sees half of it."""
        with replacing(self.cells / f"{fingerprint}.npy") as part, part.open("wb") as file:
            np.save(file, rows, allow_pickle=False)

    def load(self, fingerprint: str, horizon: int) -> Rows | None:
        """The rows of a cell; None if it is missing or not whole."""
        try:
            rows = np.load(self.cells / f"{fingerprint}.npy", allow_pickle=False)
        except (FileNotFoundError, ValueError, EOFError):
            return None
        return rows if rows.dtype == ROW and len(rows) == horizon else None
