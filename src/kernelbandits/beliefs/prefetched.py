"""Contexts of coming rounds, announced so that work on them can be shared."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits.types import Array


@final
class Prefetched:
    """B announced rounds, taken one after the other: an iterator over their contexts, arrays of shape (K, d).

    The agent shares one such object with everything that answers for these rounds, and passes on the very array that
    it took from it. So a round is recognised by identity, at no cost.

    Attributes:
        contexts: shape (B, K, d).
        row: number of the round taken last, −1 before the first.
        shown: its contexts, None before the first.

    """

    __slots__ = ("_rounds", "contexts", "row", "shown")

    def __init__(self, contexts: Array) -> None:
        self.contexts = contexts
        self._rounds = list(contexts)
        self.row = -1
        self.shown: Array | None = None

    def __iter__(self) -> Prefetched:
        return self

    def __next__(self) -> Array:
        row = self.row + 1
        if row == len(self._rounds):
            raise StopIteration
        self.row, self.shown = row, self._rounds[row]
        return self.shown

    def next_is(self, contexts: Array) -> bool:
        """Whether the next round has these contexts, by value."""
        row = self.row + 1
        return row < len(self._rounds) and not np.count_nonzero(self._rounds[row] != contexts)

    def row_of(self, contexts: Array) -> int | None:
        """The number of the round taken last if these are its contexts, by identity; else None."""
        return self.row if contexts is self.shown else None

    def row_with(self, context: Array, arm: int) -> int | None:
        """The number of the round taken last if it shows this context for the arm, by value; else None."""
        shown = self.shown
        return self.row if shown is not None and shown[arm].tobytes() == context.tobytes() else None
