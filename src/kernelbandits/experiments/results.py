"""Finished cells on disk, and the results of an experiment as tidy rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from kernelbandits.environments.metrics import mean_and_standard_error
from kernelbandits.errors import KernelBanditsError
from kernelbandits.experiments.grid import Cell, Experiment
from kernelbandits.reporting import replacing
from kernelbandits.types import Array

Rows = NDArray[np.void]
"""What is kept of a run: (arm, regret) of every round."""

ROW = np.dtype([("arm", "<i4"), ("regret", "<f8")])
_WRITERS: Mapping[str, Callable[[pl.DataFrame, Path], Any]] = {
    ".parquet": pl.DataFrame.write_parquet,
    ".csv": pl.DataFrame.write_csv,
}
_ABANDONED_AFTER = 3600.0  # seconds; a younger half-written file may belong to a run that is still alive


@final
@dataclass(frozen=True, slots=True)
class Store:
    """A folder with one file per finished cell, named by the cell's fingerprint.

    A cell is there whole or not at all, whatever kills the process.
    """

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


@final
@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """All rounds of all cells of an experiment.

    Attributes:
        experiment: what was run.
        frame: one row per panel, method, seed and round, with columns experiment, panel, method, seed, round (from 1),
            arm (from 0), regret, cumulative_regret.

    """

    experiment: Experiment
    frame: pl.DataFrame

    @staticmethod
    def collect(experiment: Experiment, cells: Sequence[Cell], store: Store) -> Results:
        """Read every cell of the store into one table, in the order of the grid."""
        arms, regrets = [], []
        for cell in cells:
            rows = store.load(cell.fingerprint, cell.horizon)
            if rows is None:
                raise KernelBanditsError(f"{cell}: its file vanished from {store.cells}; run the same command again")
            arms.append(rows["arm"])
            regrets.append(rows["regret"])
        horizon, regret = experiment.horizon, np.array(regrets)
        cell_of_row = np.repeat(np.arange(len(cells)), horizon)
        frame = pl.DataFrame(
            {
                "experiment": pl.Series([experiment.name] * len(cells))[cell_of_row],
                "panel": pl.Series([cell.panel.name for cell in cells])[cell_of_row],
                "method": pl.Series([cell.method for cell in cells])[cell_of_row],
                "seed": np.repeat([cell.seed for cell in cells], horizon),
                "round": np.tile(np.arange(1, horizon + 1), len(cells)),
                "arm": np.concatenate(arms),
                "regret": regret.ravel(),
                "cumulative_regret": np.cumsum(regret, axis=1).ravel(),
            }
        )
        return Results(experiment, frame)

    def curves(self, panel: str, method: str) -> Array:
        """Cumulative regret of every seed, shape (seeds, T)."""
        rows = self.frame.filter((pl.col("panel") == panel) & (pl.col("method") == method))
        return rows["cumulative_regret"].to_numpy().reshape(-1, self.experiment.horizon)

    def summary(self) -> pl.DataFrame:
        """Mean and standard error over the seeds of the final regret, per panel and method."""
        rows = []
        for panel in self.experiment.panels:
            for method in panel.methods:
                final = self.curves(panel.name, method)[:, -1]
                mean, error = mean_and_standard_error(final)
                rows.append((self.experiment.name, panel.name, method, len(final), float(mean), float(error)))
        schema = ["experiment", "panel", "method", "seeds", "mean_regret", "standard_error"]
        return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col("standard_error").fill_nan(None))

    def frames(self) -> dict[str, pl.DataFrame]:
        """All rounds and the summary, by the names of their files."""
        return {"results.parquet": self.frame, "summary.csv": self.summary()}

    def write(self, folder: Path) -> list[Path]:
        """Write `results.parquet` and `summary.csv`, each whole or not at all; returns the files written."""
        return write_frames(folder, self.frames())


def write_frames(folder: Path, frames: Mapping[str, pl.DataFrame]) -> list[Path]:
    """Write tables as the kind of file that their names say; returns the files written."""
    for name, frame in frames.items():
        with replacing(folder / name) as part:
            _WRITERS[Path(name).suffix](frame, part)
    return [folder / name for name in frames]
