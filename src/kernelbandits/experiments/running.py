"""Running an experiment: what is missing in the store is computed, what is there is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import final

import numpy as np

from kernelbandits.environments.base import Environment, Rounds
from kernelbandits.errors import CellFailed
from kernelbandits.experiments.engines import Engine, local
from kernelbandits.experiments.grid import Cell, Experiment
from kernelbandits.experiments.results import Results
from kernelbandits.experiments.store import Store
from kernelbandits.problem import Problem
from kernelbandits.simulation import replay


@final
@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: cells that were there before, cells done now, cells in all."""

    kept: int
    done: int
    total: int


def run(
    experiment: Experiment,
    store: Store | str | Path,
    engine: Engine | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Results:
    """Compute every cell that the store lacks and return all results.

    Stop it at any moment and call it again: finished cells are kept, and the outcome is the same to the last bit.
    """
    store = store if isinstance(store, Store) else Store(Path(store))
    store.prepare()
    cells = list(experiment.cells())
    missing = [cell for cell in cells if store.load(cell.fingerprint, cell.horizon) is None]
    kept, done = len(cells) - len(missing), 0
    on_progress(Progress(kept, done, len(cells)))
    for n_finished in (engine or local()).map(partial(_play_unit, store), _units(missing)):
        done += n_finished
        on_progress(Progress(kept, done, len(cells)))
    return Results.collect(experiment, cells, store)


def _units(cells: list[Cell]) -> list[list[Cell]]:
    """Cells that share an instance go to one worker together, so that contexts and means are drawn once for them.

    The largest environments come first, so that no worker is left alone with one at the end.
    """

    def place(cell: Cell) -> tuple[str, int]:
        return (cell.panel.name, cell.seed)

    units = [list(group) for _, group in groupby(sorted(cells, key=place), key=place)]
    return sorted(units, key=lambda unit: -_size(unit[0].panel.environment))


def _size(environment: Environment) -> int:
    return int(getattr(environment, "dim", 0))


def world(environment: Environment, horizon: int, seed: int) -> tuple[Problem, Rounds, np.random.SeedSequence]:
    """What every method meets in the cells of an environment and a seed, and the stream of the method's own chance."""
    for_instance, for_play = np.random.SeedSequence(seed).spawn(2)
    instance = environment.draw(np.random.default_rng(for_instance))
    for_rounds, chance = for_play.spawn(2)
    return instance.problem(horizon), instance.rounds(horizon, np.random.default_rng(for_rounds)), chance


def _play_unit(store: Store, unit: list[Cell]) -> int:
    """Play and save every cell of one instance; the number of cells."""
    first = unit[0]
    try:
        problem, rounds, chance = world(first.panel.environment, first.horizon, first.seed)
    except Exception as error:
        raise CellFailed(f"panel {first.panel.name!r}, seed {first.seed}: {_words(error)}") from error
    for cell in unit:
        try:
            trace = replay(cell.panel.methods[cell.method], problem, rounds, np.random.default_rng(chance))
        except Exception as error:
            raise CellFailed(f"{cell}: {_words(error)}") from error
        store.save(cell.fingerprint, trace)
    return len(unit)


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
