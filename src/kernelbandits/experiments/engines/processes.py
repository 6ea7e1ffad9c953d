"""Engines of this machine: the current process, or several worker processes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import final

from threadpoolctl import threadpool_limits

from kernelbandits import checks
from kernelbandits.experiments.engines.base import Answer, Combine, Engine, Map, Task, Tell, ignore, numbered
from kernelbandits.experiments.engines.reduction import reduce_unordered, require_tasks


class LocalEngine(Engine):
    """An engine whose workers run on this machine."""

    __slots__ = ()

    shares_files = True

    def reduce(
        self, function: Map[Task, Answer], combine: Combine[Answer], tasks: Sequence[Task], on_progress: Tell = ignore
    ) -> Answer:
        require_tasks(tasks)
        answers = self.map(partial(numbered, function), list(enumerate(tasks)))
        with threadpool_limits(1):
            return reduce_unordered(answers, len(tasks), combine, on_progress)


@final
@dataclass(frozen=True, slots=True)
class InProcess(LocalEngine):
    """Runs one task after the other in this process."""

    def map(self, function: Map[Task, Answer], tasks: Sequence[Task]) -> Iterator[Answer]:
        for task in tasks:
            with threadpool_limits(1):
                answer = function(task)
            yield answer


@final
@dataclass(frozen=True, slots=True)
class Processes(LocalEngine):
    """Runs tasks in `n_jobs` worker processes of this machine."""

    n_jobs: int

    def map(self, function: Map[Task, Answer], tasks: Sequence[Task]) -> Iterator[Answer]:
        import joblib

        with joblib.parallel_config("loky", n_jobs=min(self.n_jobs, max(1, len(tasks))), inner_max_num_threads=1):
            pool = joblib.Parallel(return_as="generator_unordered", pre_dispatch="2*n_jobs")
            yield from pool(joblib.delayed(_call_in_worker)(function, task) for task in tasks)


def workers(n_jobs: int | None = None) -> int:
    """Return `n_jobs`, checked; None means the number of cores that this process may use."""
    if n_jobs is None:
        import joblib

        return int(joblib.cpu_count())
    return checks.whole("jobs", n_jobs, at_least=1)


def local(n_jobs: int | None = None) -> Engine:
    """Return the engine of this machine with `n_jobs` processes; None means one per core."""
    n_workers = workers(n_jobs)
    return InProcess() if n_workers == 1 else Processes(n_workers)


def _call_in_worker(function: Map[Task, Answer], task: Task) -> Answer:
    _exit_with_parent()
    with threadpool_limits(1):
        return function(task)


_watching = threading.Lock()


def _exit_with_parent() -> None:
    """Watch the parent process, and end this one when the parent is gone, even if it was killed."""
    if not _watching.acquire(blocking=False):  # a thread watches already
        return
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
