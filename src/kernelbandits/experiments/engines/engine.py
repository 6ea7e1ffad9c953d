"""The interface of all engines, and the engines of this machine: the current process, or several worker processes."""

from __future__ import annotations

import threading
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, TypeAlias, TypeVar, final

from threadpoolctl import threadpool_limits

from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments.engines.scratch import scratch
from kernelbandits.experiments.engines.workers import parent_of_workers, serve, without_interrupts
from kernelbandits.specs import Count, conform
from kernelbandits.user_modules import folders_of_modules

Task = TypeVar("Task")
Answer = TypeVar("Answer")
Map: TypeAlias = Callable[[Task], Answer]
Combine: TypeAlias = Callable[[Answer, Answer], Answer]
Tell: TypeAlias = Callable[[int], None]
"""Hears how many tasks are finished."""


def ignore(done: int) -> None:
    """Do nothing: the default for `on_progress`."""


class Engine(ABC):
    """Runs a function on many tasks. The answers depend neither on the engine nor on the order of completion."""

    __slots__ = ()

    shares_files: ClassVar[bool]
    """Whether workers see the files of this machine, so that they can write their answers themselves."""

    @abstractmethod
    def map(self, function: Map[Task, Answer], tasks: Sequence[Task]) -> Iterator[Answer]:
        """Yield the answers as they become ready. Every call uses one BLAS thread."""

    @abstractmethod
    def reduce(
        self, function: Map[Task, Answer], combine: Combine[Answer], tasks: Sequence[Task], on_progress: Tell = ignore
    ) -> Answer:
        """Combine the answers of all tasks, in the order of `reduce_tree`: the same bits on every engine.

        `on_progress` is called now and then with the number of finished tasks.
        """


class LocalEngine(Engine):
    """An engine whose workers run on this machine."""

    __slots__ = ()

    shares_files = True

    def reduce(
        self, function: Map[Task, Answer], combine: Combine[Answer], tasks: Sequence[Task], on_progress: Tell = ignore
    ) -> Answer:
        answers = self.map(partial(_numbered, function), list(enumerate(tasks)))
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
        from joblib.externals.loky.backend import resource_tracker

        scratch()  # what joblib leaves behind if all processes are killed is removed with it
        n_jobs = min(self.n_jobs, max(1, len(tasks)))
        start = {"initializer": serve, "initargs": (*parent_of_workers(), folders_of_modules())}
        with joblib.parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1, **start):
            pool = joblib.Parallel(return_as="generator_unordered", pre_dispatch="2*n_jobs")
            with ExitStack() as stack:
                with without_interrupts(resource_tracker):
                    answers = pool(joblib.delayed(_call_in_worker)(function, task) for task in tasks)
                    stack.push(partial(_close, answers))
                for answer in answers:  # noqa: UP028 (`yield from` would close them, and warn)
                    yield answer


def _close(answers: Generator[object], _kind: object, error: BaseException | None, _trace: object) -> None:
    """Cancel what is not finished, without a word from joblib: whoever leaves early knows.

    Its thread may stumble over tasks that are cancelled while it hands them out.
    """
    if error is not None:
        threading.excepthook = partial(_show_others, threading.excepthook)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        answers.close()


def _show_others(show: Callable[[threading.ExceptHookArgs], object], failed: threading.ExceptHookArgs) -> None:
    """Show what failed in a thread, unless it is the one that hands out tasks to joblib's workers."""
    if failed.thread is None or failed.thread.name != "ExecutorManagerThread":
        show(failed)


def local(n_jobs: int | None = None) -> Engine:
    """Return the engine of this machine with `n_jobs` processes; None means one per core."""
    n_workers = n_cores() if n_jobs is None else conform(n_jobs, Count, "jobs")
    return InProcess() if n_workers == 1 else Processes(n_workers)


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    import joblib

    return int(joblib.cpu_count())


def in_order(
    engine: Engine, function: Map[Task, Answer], tasks: Sequence[Task], on_progress: Tell = ignore
) -> list[Answer]:
    """Return the answers in the order of the tasks."""
    found: dict[int, Answer] = {}
    for i, answer in engine.map(partial(_numbered, function), list(enumerate(tasks))):
        found[i] = answer
        on_progress(len(found))
    return [found[i] for i in range(len(tasks))]


def reduce_tree(nodes: Sequence[Answer], combine: Combine[Answer]) -> Answer:
    """Combine nodes, all of them known (answers, or futures of answers), in the binary tree ((0 1) (2 3)) (4 5) …

    Floating-point sums depend on their order. Here the order depends on the number of nodes alone, so the result is the
    same to the last bit for any number of workers. A node without a neighbour moves up unchanged.
    """
    level = list(nodes)
    while len(level) > 1:
        pairs = [combine(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) - len(level) % 2 :]
    return level[0]


def reduce_unordered(
    answers: Iterable[tuple[int, Answer]], n: int, combine: Combine[Answer], on_progress: Tell = ignore
) -> Answer:
    """Combine n numbered answers that come in any order, in the tree of `reduce_tree`.

    Two neighbours are combined as soon as both are known. When the answers come nearly in order, about log₂ n of them
    are held at a time.
    """
    require_tasks(n)
    waiting: dict[tuple[int, int], Answer] = {}
    for done, (number, answer) in enumerate(answers, start=1):
        on_progress(done)
        level, i, width, node = 0, number, n, answer
        while width > 1:
            if i ^ 1 < width:
                if (level, i ^ 1) not in waiting:
                    break
                neighbour = waiting.pop((level, i ^ 1))
                node = combine(neighbour, node) if i % 2 else combine(node, neighbour)
            level, i, width = level + 1, i // 2, (width + 1) // 2
        waiting[level, i] = node
    (root,) = waiting.values()
    return root


def require_tasks(n: int) -> None:
    """Raise if there is nothing to combine."""
    if n == 0:
        raise InvalidArgument("tasks must not be empty: there is nothing to combine")


def _numbered(function: Map[Task, Answer], task: tuple[int, Task]) -> tuple[int, Answer]:
    return task[0], function(task[1])


def _call_in_worker(function: Map[Task, Answer], task: Task) -> Answer:
    with threadpool_limits(1):
        return function(task)
