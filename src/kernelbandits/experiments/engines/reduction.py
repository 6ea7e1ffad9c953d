"""Combining answers in a fixed binary tree over the tasks: ((0 1) (2 3)) (4 5) …

Floating-point sums depend on their order. Here the order depends on the number of tasks alone, so the result is the
same to the last bit for any number of workers. A node without a neighbour moves up unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kernelbandits.errors import InvalidArgument
from kernelbandits.experiments.engines.base import Answer, Combine, Tell, ignore


def require_tasks(tasks: Sequence[Any]) -> None:
    """Raise if there is nothing to combine."""
    if not tasks:
        raise InvalidArgument("tasks must not be empty: there is nothing to combine")


def reduce_tree(nodes: Sequence[Answer], combine: Combine[Answer]) -> Answer:
    """Combine at least one node, all of them known (answers, or futures of answers)."""
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
