"""Running an experiment: cells that the store lacks are computed, the others are kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple, TypeVar, final

import numpy as np
import polars as pl

from kernelbandits import __version__, checks
from kernelbandits.environments import Environment, Rounds, replay
from kernelbandits.errors import CellFailed, EngineFailed, InvalidArgument, InvalidFile, KernelBanditsError
from kernelbandits.experiments.engines import Engine, in_order, local
from kernelbandits.experiments.grid import Cell, Experiment
from kernelbandits.experiments.results import Results
from kernelbandits.experiments.store import ROW, Rows, Store, files_in, installation
from kernelbandits.linalg import require_memory
from kernelbandits.problem import Problem
from kernelbandits.reporting import Progress, remove_abandoned
from kernelbandits.specs import to_table
from kernelbandits.tables.digests import content_digest

Task = TypeVar("Task")
Answer = TypeVar("Answer")

_BYTES_PER_ROUND = 100
"""Of all columns of a result while they are collected."""


class RunProgress(NamedTuple):
    """How far a run is: cells that were there before, and how many of those missing are done.

    Cells that are kept take no time, so only those missing count for the time left.
    """

    kept: int
    done: int
    missing: int

    def __str__(self) -> str:
        if not self.missing:
            return f"nothing to do, {self.kept:,} runs kept"
        return f"{self.done:,} of {self.missing:,} runs{f', {self.kept:,} kept' if self.kept else ''}"


def run(
    experiment: Experiment,
    store: str | Path,
    engine: Engine | None = None,
    on_progress: Callable[[RunProgress], None] = lambda progress: None,
) -> Results:
    """Compute every cell that the folder `store` lacks and return all results.

    A run can be stopped at any moment and called again: finished cells are kept, and the results are the same to the
    last bit. Cells that are damaged, or come from another kind of processor, are computed again, and one line says so
    in the log. A method that its problem refuses, such as one that would explore beyond the horizon, is refused before
    anything is played.

    Args:
        experiment: what to run.
        store: folder in which finished runs are kept; it is made if it is not there.
        engine: where the work is done; None is this machine, with one process per core.
        on_progress: called with a `RunProgress` after every finished group of runs.

    >>> import tempfile
    >>> from kernelbandits.experiments import InProcess
    >>> panel = Panel("p", Synthetic(LowRank(), n_arms=2, dim=3), {"Uniform": Uniform()})
    >>> run(Experiment("tiny", (panel,), 10, (0, 1)), tempfile.mkdtemp(), InProcess()).frame.height
    20

    See also `Experiment`, `Panel`.
    """
    checks.instance("experiment", experiment, Experiment, 'load_experiment("figure-1")')
    engine = local() if engine is None else checks.instance("engine", engine, Engine, "experiments.local(2)")  # type: ignore[type-abstract]
    n_cells = len(experiment.seeds) * sum(len(panel.methods) for panel in experiment.panels)
    what = f"{n_cells:,} runs (panels × methods × seeds) of horizon = {experiment.horizon:,}"
    require_memory(_BYTES_PER_ROUND * n_cells * experiment.horizon, what, "use fewer seeds or a shorter horizon")
    cells = list(experiment.cells())
    # A worker process may have another current folder than this one, which asks it to write.
    saved = Store(Path(store).absolute() / "cells")
    missing = saved.unfinished(cells)
    _rehearse(missing)
    saved.cells.mkdir(parents=True, exist_ok=True)
    for folder in (saved.cells, saved.cells.parent):
        remove_abandoned(folder)
    now = RunProgress(len(cells) - len(missing), 0, len(missing))
    on_progress(now)
    # Cells that share an instance go to one worker together, so that contexts and means are drawn once for them. The
    # largest environments come first, so that no worker is left alone with one at the end.
    instance = attrgetter("panel.name", "seed")
    units = [list(group) for _, group in groupby(sorted(missing, key=instance), key=instance)]
    units.sort(key=lambda unit: -int(getattr(unit[0].panel.environment, "dim", 0)))
    # Workers that share the files write every cell as soon as it is played; others send back the cells of an instance.
    played = engine.map(partial(_play, saved.save), units) if engine.shares_files else _save_here(engine, saved, units)
    for n_finished in played:
        now = now._replace(done=now.done + n_finished)
        on_progress(now)
    return _collected(experiment, cells, saved)


@final
@dataclass(frozen=True, slots=True)
class Runner:
    """Runs experiments and maps functions over tasks with a progress bar; finished runs are kept in the folder."""

    folder: Path
    engine: Engine

    def run(self, experiment: Experiment) -> Results:
        """The results of an experiment; finished runs are taken from the folder."""
        with Progress(experiment.name, None, patience=0.0) as bar:
            bar.show(0, "looking for finished runs")
            return run(experiment, self.folder, self.engine, lambda now: bar.show(now.done, now, now.missing))

    def map(self, title: str, function: Callable[[Task], Answer], tasks: Sequence[Task]) -> list[Answer]:
        """The answers in the order of the tasks, whichever is ready first. Give the longest tasks first."""
        with Progress(title, len(tasks)) as bar:
            return in_order(self.engine, function, tasks, lambda done: bar.show(done, f"{done}/{len(tasks)}"))


def seed_sequence(environment: Environment, seed: int) -> np.random.SeedSequence:
    """The root of all randomness of this environment with this seed.

    It depends on what the environment is, a data file by its content, so that two environments have nothing in common
    at the same seed, and an environment is the same in every experiment and at every place in it.
    """
    content = json.dumps(to_table(environment, of_file=content_digest), sort_keys=True)
    return np.random.SeedSequence([seed, int(hashlib.sha256(content.encode()).hexdigest()[:16], 16)])


def world(
    environment: Environment, horizon: int, seed: int
) -> tuple[Problem, Rounds, Callable[[], np.random.Generator]]:
    """What every method meets with this environment and seed, and what makes the method's own source of randomness.

    Every source starts from a copy of the seed: spawning from it changes it, and the next method must not notice.
    """
    for_instance, for_play = seed_sequence(environment, seed).spawn(2)
    instance = environment.draw(np.random.default_rng(for_instance))
    for_rounds, for_method = for_play.spawn(2)
    rounds = instance.rounds(horizon, np.random.default_rng(for_rounds))
    return instance.problem(horizon), rounds, lambda: np.random.default_rng(deepcopy(for_method))


def _rehearse(cells: Sequence[Cell]) -> None:
    """Start every method once on a problem of each of its panels, and play nothing."""
    problems: dict[str, Problem] = {}
    methods = attrgetter("panel.name", "method")
    for cell in dict(zip(map(methods, cells), cells, strict=True)).values():
        panel = cell.panel
        try:
            if panel.name not in problems:
                for_instance, _ = seed_sequence(panel.environment, cell.seed).spawn(2)
                instance = panel.environment.draw(np.random.default_rng(for_instance))
                problems[panel.name] = instance.problem(cell.horizon)
            panel.methods[cell.method].start(problems[panel.name], np.random.default_rng(cell.seed))
        except KernelBanditsError as error:
            raise InvalidArgument(f"panel {panel.name!r}, method {cell.method!r}: {error}") from error
        except Exception as error:
            raise CellFailed(f"{cell}: {type(error).__name__}: {error}") from error


def _save_here(engine: Engine, store: Store, units: list[list[Cell]]) -> Iterator[int]:
    """Play on workers that have other files than this process, and save what they send; yields numbers of cells."""
    own = installation()
    tasks = []
    for unit in units:  # a unit has one panel
        files = {path: digest for path, (_, digest) in files_in([unit[0].panel]).items()}
        tasks.append((own.code, own.arithmetic, files, unit))
    for played in engine.map(_play_elsewhere, tasks):
        for fingerprint, rows in played:
            store.save(fingerprint, rows)
        yield len(played)


def _play_elsewhere(task: tuple[str, str, dict[str, str], list[Cell]]) -> list[tuple[str, Rows]]:
    """Play the cells only where code, arithmetic and data are those that the fingerprints stand for."""
    code, arithmetic, files, unit = task
    own = installation()
    if own.code != code:
        raise EngineFailed(
            f"a worker's kernelbandits {__version__} has other code than this process's; "
            "install the same files on every worker and start the workers again"
        )
    if own.arithmetic != arithmetic:
        raise EngineFailed(
            f"a worker ({', '.join(own.machine.values())}) has another kind of processor, or another numpy, scipy or "
            "BLAS, than this process, so its results differ in their last bits; see `One kind of processor` in the "
            "documentation on clusters"
        )
    for path, digest in files.items():
        if not Path(path).is_file() or content_digest(path) != digest:
            raise EngineFailed(f"a worker has no file {path}, or a different one; put the same file on every worker")
    played: list[tuple[str, Rows]] = []
    _play(lambda fingerprint, rows: played.append((fingerprint, rows)), unit)
    return played


def _play(save: Callable[[str, Rows], None], unit: list[Cell]) -> int:
    """Play the cells of one instance, save each by its fingerprint as soon as it is played; return their number."""
    first = unit[0]
    try:
        problem, rounds, new_rng = world(first.panel.environment, first.horizon, first.seed)
    except Exception as error:
        where = f"panel {first.panel.name!r}, seed {first.seed}"
        raise CellFailed(f"{where}: {type(error).__name__}: {error}") from error
    for cell in unit:
        try:
            trace = replay(cell.panel.methods[cell.method], problem, rounds, new_rng())
        except Exception as error:
            raise CellFailed(f"{cell}: {type(error).__name__}: {error}") from error
        rows = np.empty(len(trace.arms), dtype=ROW)
        rows["arm"], rows["regret"] = trace.arms, trace.regrets
        save(cell.fingerprint, rows)
    return len(unit)


def _collected(experiment: Experiment, cells: Sequence[Cell], store: Store) -> Results:
    """Every cell of the store in one table, in the order of the grid."""
    arms, regrets = [], []
    for cell in cells:
        try:
            rows = store.load(cell)
        except (FileNotFoundError, InvalidFile) as error:
            raise KernelBanditsError(f"{cell}: {error}, though it was there before; run the command again") from error
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
