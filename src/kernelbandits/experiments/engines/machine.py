"""The engines of this machine: one task after the other, or worker processes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import final

from threadpoolctl import threadpool_limits

from kernelbandits import checks
from kernelbandits.experiments.engines.base import Answer, Engine, Task


@final
@dataclass(frozen=True, slots=True)
class InProcess(Engine):
    """One task after the other, here."""

    @property
    def shares_files(self) -> bool:
        return True

    def map(self, function: Callable[[Task], Answer], tasks: Sequence[Task]) -> Iterator[Answer]:
        for task in tasks:
            with threadpool_limits(1):
                answer = function(task)
            yield answer


@final
@dataclass(frozen=True, slots=True)
class Processes(Engine):
    """Worker processes on this machine, one BLAS thread each so that they do not fight for the cores."""

    n_jobs: int

    @property
    def shares_files(self) -> bool:
        return True

    def map(self, function: Callable[[Task], Answer], tasks: Sequence[Task]) -> Iterator[Answer]:
        import joblib

        with joblib.parallel_config("loky", n_jobs=min(self.n_jobs, max(1, len(tasks))), inner_max_num_threads=1):
            pool = joblib.Parallel(return_as="generator_unordered", pre_dispatch="2*n_jobs")
            yield from pool(joblib.delayed(_in_worker)(function, task) for task in tasks)


def workers(n_jobs: int | None = None) -> int:
    """Number of worker processes to use: `n_jobs`, or one a core that this process may use."""
    if n_jobs is None:
        import joblib

        return int(joblib.cpu_count())
    return checks.whole("jobs", n_jobs, at_least=1)


def local(n_jobs: int | None = None) -> Engine:
    """The engine for this machine: `n_jobs` processes, one a core when None."""
    n_workers = workers(n_jobs)
    return InProcess() if n_workers == 1 else Processes(n_workers)


def _in_worker(function: Callable[[Task], Answer], task: Task) -> Answer:
    _leave_with_parent()
    with threadpool_limits(1):
        return function(task)


_watching = threading.Lock()


def _leave_with_parent() -> None:
    """Once in a worker process: end it when the process that started it is gone, however that one was killed."""
    if not _watching.acquire(blocking=False):
        return
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
