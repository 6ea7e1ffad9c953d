"""Running an experiment: cells that the store lacks are computed, the others are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TypeVar, final

import numpy as np

from kernelbandits import __version__, checks
from kernelbandits.environments import Environment, Rounds
from kernelbandits.environments.play import replay
from kernelbandits.errors import CellFailed, EngineFailed
from kernelbandits.experiments.engines import Engine, local
from kernelbandits.experiments.grid import Cell, Experiment, files_in, own_code
from kernelbandits.experiments.results import ROW, Results, Rows, Store
from kernelbandits.problem import Problem
from kernelbandits.reporting import Progress
from kernelbandits.tables.digests import content_digest

Task = TypeVar("Task")
Answer = TypeVar("Answer")


@final
@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is: cells that were there before, cells done now, cells in total."""

    kept: int
    done: int
    total: int


def run(
    experiment: Experiment,
    store: Store | str | Path,
    engine: Engine | None = None,
    on_progress: Callable[[RunProgress], None] = lambda progress: None,
) -> Results:
    """Compute every cell that the store lacks and return all results.

    A run can be stopped at any moment and called again: finished cells are kept, and the results are the same to the
    last bit.
    """
    checks.instance("experiment", experiment, Experiment, 'load("figure-1")')
    engine = local() if engine is None else checks.instance("engine", engine, Engine, "experiments.local(2)")  # type: ignore[type-abstract]
    cells = list(experiment.cells())
    store = store if isinstance(store, Store) else Store(Path(store))
    store.prepare()
    missing = [cell for cell in cells if store.load(cell.fingerprint, cell.horizon) is None]
    kept, done = len(cells) - len(missing), 0
    on_progress(RunProgress(kept, done, len(cells)))
    # Workers that share the files write every cell as soon as it is played; others send back the cells of an instance.
    units = _units(missing)
    played = engine.map(partial(_play_into, store), units) if engine.shares_files else _save_here(engine, store, units)
    for n_finished in played:
        done += n_finished
        on_progress(RunProgress(kept, done, len(cells)))
    return Results.collect(experiment, cells, store)


@final
@dataclass(frozen=True, slots=True)
class Runner:
    """Runs experiments and maps functions over tasks with a store, an engine and a progress bar."""

    store: Store
    engine: Engine

    def run(self, experiment: Experiment) -> Results:
        """The results of an experiment; finished runs are taken from the store."""
        with Progress(experiment.name, None) as bar:
            # Runs kept from before took no time now, so only the others count for the time left.
            return run(
                experiment,
                self.store,
                self.engine,
                lambda now: bar.show(now.done, f"of {now.total - now.kept} runs", now.total - now.kept),
            )

    def map(self, title: str, function: Callable[[Task], Answer], tasks: Sequence[Task]) -> list[Answer]:
        """The answers in the order of the tasks, whichever is ready first. Give the longest tasks first."""
        found: dict[int, Answer] = {}
        with Progress(title, len(tasks)) as bar:
            for i, answer in self.engine.map(partial(_numbered, function), list(enumerate(tasks))):
                found[i] = answer
                bar.show(len(found), f"{len(found)}/{len(tasks)}")
        return [found[i] for i in range(len(tasks))]


def world(environment: Environment, horizon: int, seed: int) -> tuple[Problem, Rounds, np.random.SeedSequence]:
    """What every method meets with this environment and seed, and the seed of the method's own randomness."""
    for_instance, for_play = np.random.SeedSequence(seed).spawn(2)
    instance = environment.draw(np.random.default_rng(for_instance))
    for_rounds, for_method = for_play.spawn(2)
    return instance.problem(horizon), instance.rounds(horizon, np.random.default_rng(for_rounds)), for_method


def _numbered(function: Callable[[Task], Answer], task: tuple[int, Task]) -> tuple[int, Answer]:
    return task[0], function(task[1])


def _units(cells: list[Cell]) -> list[list[Cell]]:
    """Cells that share an instance go to one worker together, so that contexts and means are drawn once for them.

    The largest environments come first, so that no worker is left alone with one at the end.
    """
    instance = attrgetter("panel.name", "seed")
    units = [list(group) for _, group in groupby(sorted(cells, key=instance), key=instance)]
    return sorted(units, key=lambda unit: -int(getattr(unit[0].panel.environment, "dim", 0)))


def _save_here(engine: Engine, store: Store, units: list[list[Cell]]) -> Iterator[int]:
    """Play on workers that have other files than this process, and save what they send; yields numbers of cells."""
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
    """Play the cells only where code and data are those that the fingerprints stand for."""
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
    """Play every cell of one instance; yields (fingerprint, rows)."""
    first = unit[0]
    try:
        problem, rounds, for_method = world(first.panel.environment, first.horizon, first.seed)
    except Exception as error:
        where = f"panel {first.panel.name!r}, seed {first.seed}"
        raise CellFailed(f"{where}: {type(error).__name__}: {error}") from error
    for cell in unit:
        try:
            trace = replay(cell.panel.methods[cell.method], problem, rounds, np.random.default_rng(for_method))
        except Exception as error:
            raise CellFailed(f"{cell}: {type(error).__name__}: {error}") from error
        rows = np.empty(len(trace.arms), dtype=ROW)
        rows["arm"], rows["regret"] = trace.arms, trace.regrets
        yield cell.fingerprint, rows
