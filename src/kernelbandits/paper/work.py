"""How a study computes: tasks mapped over an engine, grids of runs kept in a store; answers in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from kernelbandits.experiments.engines import Engine, in_order
from kernelbandits.experiments.engines.base import Answer, Task
from kernelbandits.experiments.grid import Experiment
from kernelbandits.experiments.results import Results
from kernelbandits.experiments.running import Progress, run
from kernelbandits.experiments.store import Store


@final
@dataclass(frozen=True, slots=True)
class Work:
    """An engine, a store for finished runs, and someone to tell how far it is: (done, total)."""

    store: Store
    engine: Engine
    on_progress: Callable[[int, int], None] = lambda done, total: None

    def map(self, function: Callable[[Task], Answer], tasks: Sequence[Task]) -> list[Answer]:
        """The answers in the order of the tasks, whichever is ready first. Give the longest tasks first."""
        self.on_progress(0, len(tasks))
        return in_order(self.engine, function, tasks, lambda done: self.on_progress(done, len(tasks)))

    def run(self, experiment: Experiment) -> Results:
        """The results of a grid; finished runs are taken from the store."""

        def show(progress: Progress) -> None:
            self.on_progress(progress.done, progress.total - progress.kept)

        return run(experiment, self.store, self.engine, show)
