"""Combining answers in a fixed binary tree over the order of the tasks: ((0 1) (2 3)) (4 5) …

Sums of floating-point numbers depend on their order. Here it depends on the number of tasks alone, so neither the
number of workers nor which of them is faster shows in the last bit. An answer without a neighbour moves up as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from kernelbandits.errors import InvalidArgument

Answer = TypeVar("Answer")
Leaf = TypeVar("Leaf")


def checked(tasks: Sequence[Leaf]) -> Sequence[Leaf]:
    """The tasks; nothing has no sum."""
    if not tasks:
        raise InvalidArgument("tasks must not be empty: there is nothing to combine")
    return tasks


def combined(nodes: Sequence[Leaf], combine: Callable[[Leaf, Leaf], Leaf]) -> Leaf:
    """The root over these nodes, all of them at hand (answers, or futures of answers)."""
    level = list(checked(nodes))
    while len(level) > 1:
        pairs = [combine(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[len(level) - len(level) % 2 :]
    return level[0]


def combined_as_they_come(
    answers: Iterable[tuple[int, Answer]], n: int, combine: Callable[[Answer, Answer], Answer]
) -> Answer:
    """The root over n numbered answers in any order; two neighbours become one as soon as both are there.

    When the answers come nearly in order, about log₂ n of them are held at a time.
    """
    waiting: dict[tuple[int, int], Answer] = {}
    for place, answer in answers:
        level, i, width, node = 0, place, n, answer
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
