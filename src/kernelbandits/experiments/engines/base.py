"""Where the work is done. An engine maps a function over tasks; answers do not depend on which engine it was."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from threadpoolctl import threadpool_limits

from kernelbandits.experiments.engines.tree import checked, combined_as_they_come

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def ignore(done: int) -> None:
    """Nobody wants to know how far the work is."""


class Engine(ABC):
    """Maps a function over tasks. Answers must not depend on the engine, nor on the order of the tasks."""

    __slots__ = ()

    @property
    @abstractmethod
    def shares_files(self) -> bool:
        """Whether the workers see the files of this machine, so that they may write their answers there themselves."""

    @abstractmethod
    def map(self, function: Callable[[Task], Answer], tasks: Sequence[Task]) -> Iterator[Answer]:
        """Answers as they are ready. Every call runs with one BLAS thread."""

    def reduce(
        self,
        function: Callable[[Task], Answer],
        combine: Callable[[Answer, Answer], Answer],
        tasks: Sequence[Task],
        tell: Callable[[int], None] = ignore,
    ) -> Answer:
        """All answers combined in the tree of `kernelbandits.experiments.engines.tree`: the same bits on every engine.

        From time to time `tell` hears how many of the tasks are done.
        """
        answers = self.map(partial(numbered, function), list(enumerate(checked(tasks))))
        with threadpool_limits(1):
            return combined_as_they_come(_counted(answers, tell), len(tasks), combine)


def in_order(engine: Engine, function: Callable[[Task], Answer], tasks: Sequence[Task]) -> list[Answer]:
    """The answers in the order of the tasks, whichever is ready first."""
    found = dict(engine.map(partial(numbered, function), list(enumerate(tasks))))
    return [found[i] for i in range(len(tasks))]


def numbered(function: Callable[[Task], Answer], task: tuple[int, Task]) -> tuple[int, Answer]:
    """The answer to a numbered task, with its number."""
    return task[0], function(task[1])


def _counted(answers: Iterator[Answer], tell: Callable[[int], None]) -> Iterator[Answer]:
    for done, answer in enumerate(answers, start=1):
        tell(done)
        yield answer
