"""Numbers for several sets of points that lie one after the other, so that what is elementwise is done once for all."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import final

import numpy as np

from kernelbandits.types import Array


@final
class Segments:
    """Room for one number a point, to be filled set by set and used as one array.

    Attributes:
        sizes: number of points of every set.
        values: the numbers of all sets, shape (N,).

    """

    __slots__ = ("_parts", "sizes", "values")

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = sizes
        self.values = np.empty(sum(sizes))
        self._parts: list[Array] | None = None

    @property
    def parts(self) -> list[Array]:
        """The numbers of every set, as views of `values`."""
        if self._parts is None:
            edges = accumulate(self.sizes, initial=0)
            self._parts = [self.values[start:stop] for start, stop in pairwise(edges)]
        return self._parts
