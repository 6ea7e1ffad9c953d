"""Playing what is missing: every run is kept, with the processor time that it took."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import final

import numpy as np
import polars as pl

from kernelbandits.environments import replay
from kernelbandits.errors import CellFailed
from kernelbandits.experiments import Cell, Engine, Experiment, Panel, seed_sequence, world
from kernelbandits.experiments.store import ROW, Store
from kernelbandits.reporting import write_text


@final
@dataclass(frozen=True, slots=True)
class Kept:
    """An absolute folder of finished runs: their rounds in `cells`, their seconds in `seconds`."""

    folder: Path

    @property
    def store(self) -> Store:
        """The store of rounds."""
        return Store(self.folder / "cells")

    def seconds_file(self, cell: Cell) -> Path:
        """Where the processor time of a run is kept."""
        return self.folder / "seconds" / cell.fingerprint

    def unfinished(self, cells: Sequence[Cell]) -> list[Cell]:
        """The runs that must be played, by seed."""
        rounds_missing = {cell.fingerprint for cell in self.store.unfinished(cells)}
        missing = [
            cell for cell in cells if cell.fingerprint in rounds_missing or not self.seconds_file(cell).is_file()
        ]
        return sorted(missing, key=lambda cell: cell.seed)

    def save(self, cell: Cell, arms: Sequence[int], regrets: Sequence[float], seconds: float) -> None:
        """Keep a run; the rounds come last, because they say that it is finished."""
        rows = np.empty(cell.horizon, dtype=ROW)
        rows["arm"], rows["regret"] = arms, regrets
        write_text(self.seconds_file(cell), f"{seconds:.4f}\n")
        self.store.save(cell.fingerprint, rows)


COLUMNS = ("problem", "kind", "contender", "family", "seed", "regret", "seconds", "world")
"""Of a table of runs, one row for each."""


def play(panel: Panel, horizon: int, seeds: Sequence[int], folder: Path, engine: Engine) -> pl.DataFrame:
    """Play the runs that the folder lacks; return one row per contender and seed with final regret and seconds.

    All contenders meet the same rounds at a seed, and no two worlds share random numbers. The column `world` tells what
    was drawn, so that runs of another day can be compared if and only if it is the same.
    """
    kept = Kept(folder.absolute())
    cells = list(Experiment("league", (panel,), horizon, tuple(seeds)).cells())
    missing = kept.unfinished(cells)
    kept.store.prepare()
    (kept.folder / "seconds").mkdir(exist_ok=True)
    units = [list(unit) for _, unit in groupby(missing, key=lambda cell: cell.seed)]
    for _ in engine.map(partial(_play_unit, kept), units):
        pass
    return pl.DataFrame(
        {
            "problem": [panel.name] * len(cells),
            "contender": [cell.method for cell in cells],
            "seed": [cell.seed for cell in cells],
            "regret": [float(kept.store.load(cell)["regret"].sum()) for cell in cells],
            "seconds": [float(kept.seconds_file(cell).read_text(encoding="utf-8")) for cell in cells],
            "world": [f"{hash_of(panel, cell.seed)} T={horizon}" for cell in cells],
        }
    )


def hash_of(panel: Panel, seed: int) -> str:
    """The entropy of all that is drawn for this panel and seed, as hexadecimal digits."""
    _, content = seed_sequence(panel.environment, seed).entropy  # type: ignore[misc]
    return f"{content:016x}"


def _play_unit(kept: Kept, unit: list[Cell]) -> int:
    """Play the cells of one seed on the same rounds; return their number."""
    first = unit[0]
    problem, rounds, for_method = world(first.panel.environment, first.horizon, first.seed)
    for cell in unit:
        start = time.process_time()
        try:
            trace = replay(cell.panel.methods[cell.method], problem, rounds, np.random.default_rng(for_method))
        except Exception as error:
            raise CellFailed(f"{cell}: {type(error).__name__}: {error}") from error
        kept.save(cell, trace.arms.tolist(), trace.regrets.tolist(), time.process_time() - start)
    return len(unit)
