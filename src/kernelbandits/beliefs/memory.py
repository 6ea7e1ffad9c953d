"""How long rewards are remembered."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import ceil
from typing import final

from kernelbandits.specs import Count, Spec

_GROWTH = 1.5
_PARTS = 8


class Memory(Spec, ABC):
    """Which rewards count, and when a belief is estimated anew."""

    __slots__ = ()

    @abstractmethod
    def n_kept(self, n: int) -> int:
        """How many rewards, the newest, are kept of n when the belief is estimated."""

    @abstractmethod
    def next_estimate(self, seen: int) -> int:
        """The number of rewards seen at which the belief is estimated next, after it was at `seen`."""


@final
@dataclass(frozen=True, slots=True)
class Everything(Memory):
    """Nothing is forgotten: right where arms give what they always gave. Estimated after every growth by half."""

    def n_kept(self, n: int) -> int:
        return n

    def next_estimate(self, seen: int) -> int:
        return ceil(_GROWTH * seen)


@final
@dataclass(frozen=True, slots=True)
class Window(Memory):
    """Only the newest `n` rewards count, of all arms together: for rewards that drift.

    An arm that was not played for long is forgotten with the time it was played in, so it is tried again. Forgetting
    is done an eighth of the window at a time, so up to 9/8 n rewards may count; this keeps a reward at O(n²).

    >>> belief = EmpiricalBayes(memory=Window(500))
    """

    n: Count

    def n_kept(self, n: int) -> int:
        return min(n, self.n)

    def next_estimate(self, seen: int) -> int:
        return min(ceil(_GROWTH * seen), max(self.n, seen + ceil(self.n / _PARTS)))
