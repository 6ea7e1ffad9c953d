"""Numbers of several sets in one array, so that elementwise work is done once for all sets."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import final

import numpy as np

from kernelbandits.types import Array


@final
class Segments:
    """An array with one consecutive segment per set, to be filled set by set and used as a whole.

    Attributes:
        sizes: number of entries of each set.
        values: the entries of all sets, shape (N,).

    """

    __slots__ = ("_parts", "sizes", "values")

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = sizes
        self.values = np.empty(sum(sizes))
        self._parts: list[Array] | None = None

    @property
    def parts(self) -> list[Array]:
        """One view of `values` per set."""
        if self._parts is None:
            edges = accumulate(self.sizes, initial=0)
            self._parts = [self.values[start:stop] for start, stop in pairwise(edges)]
        return self._parts


def segment_sums(values: Array, starts: Sequence[int]) -> Array:
    """Sums of consecutive segments, some of which may be empty (`reduceat` would return the next value for those)."""
    edges = np.array([*starts, len(values)])
    filled = edges[1:] > edges[:-1]
    if filled.all():
        return np.add.reduceat(values, edges[:-1])
    sums = np.zeros(len(starts))
    if filled.any():
        sums[filled] = np.add.reduceat(values, edges[:-1][filled])
    return sums
