"""The interface of all engines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import ClassVar, TypeAlias, TypeVar

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
        """Combine the answers of all tasks, in the order of `reduction.reduce_tree`: the same bits on every engine.

        `on_progress` is called now and then with the number of finished tasks.
        """


def in_order(
    engine: Engine, function: Map[Task, Answer], tasks: Sequence[Task], on_progress: Tell = ignore
) -> list[Answer]:
    """Return the answers in the order of the tasks."""
    found: dict[int, Answer] = {}
    for i, answer in engine.map(partial(numbered, function), list(enumerate(tasks))):
        found[i] = answer
        on_progress(len(found))
    return [found[i] for i in range(len(tasks))]


def numbered(function: Map[Task, Answer], task: tuple[int, Task]) -> tuple[int, Answer]:
    """Answer a numbered task, and return the number with the answer."""
    return task[0], function(task[1])
