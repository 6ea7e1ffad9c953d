"""Running an experiment: what is missing in the store is computed, what is there is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import final

import numpy as np
from numpy.typing import NDArray

from kernelbandits import __version__, checks
from kernelbandits.environments.base import Environment, Rounds
from kernelbandits.environments.play import replay
from kernelbandits.errors import CellFailed, EngineFailed
from kernelbandits.experiments.engines import Engine, local
from kernelbandits.experiments.fingerprints import files_in, own_code
from kernelbandits.experiments.grid import Cell, Experiment
from kernelbandits.experiments.results import Results
from kernelbandits.experiments.store import Store, rows_of
from kernelbandits.problem import Problem
from kernelbandits.tables.digests import content_digest

Rows = NDArray[np.void]


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
    checks.instance("experiment", experiment, Experiment, 'load("figure-1")')
    engine = local() if engine is None else checks.instance("engine", engine, Engine, "experiments.local(2)")  # type: ignore[type-abstract]
    cells = list(experiment.cells())
    store = store if isinstance(store, Store) else Store(Path(store))
    store.prepare()
    missing = [cell for cell in cells if store.load(cell.fingerprint, cell.horizon) is None]
    kept, done = len(cells) - len(missing), 0
    on_progress(Progress(kept, done, len(cells)))
    played = _saved_by_workers if engine.shares_files else _saved_here
    for n_finished in played(engine, store, _units(missing)):
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


def _saved_by_workers(engine: Engine, store: Store, units: list[list[Cell]]) -> Iterator[int]:
    """Every cell is on disk as soon as it is played; numbers of cells."""
    return engine.map(partial(_play_into, store), units)


def _saved_here(engine: Engine, store: Store, units: list[list[Cell]]) -> Iterator[int]:
    """The workers have other files than this process: the cells of an instance come back together."""
    tasks = [
        (own_code(), files_in([[cell.panel.environment, cell.panel.methods] for cell in unit]), unit) for unit in units
    ]
    for played in engine.map(_play_elsewhere, tasks):
        for fingerprint, rows in played:
            store.save(fingerprint, rows)
        yield len(played)


def _play_into(store: Store, unit: list[Cell]) -> int:
    for fingerprint, rows in _play(unit):
        store.save(fingerprint, rows)
    return len(unit)


def _play_elsewhere(task: tuple[str, dict[str, str], list[Cell]]) -> list[tuple[str, Rows]]:
    """Play the cells where code and data are those that the fingerprints stand for, or not at all."""
    code, files, unit = task
    if own_code() != code:
        raise EngineFailed(
            f"a worker's kernelbandits {__version__} has other code than this process's; "
            "install the same files on every worker and start the workers again"
        )
    for path, digest in files.items():
        if not Path(path).is_file() or content_digest(path) != digest:
            raise EngineFailed(f"a worker has no file {path}, or another one; put the same file there on every worker")
    return list(_play(unit))


def _play(unit: list[Cell]) -> Iterator[tuple[str, Rows]]:
    """Play every cell of one instance: (fingerprint, rows)."""
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
        yield cell.fingerprint, rows_of(trace)


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
