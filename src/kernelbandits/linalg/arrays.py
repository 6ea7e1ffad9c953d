"""Arrays in memory: aligned to cache lines, and made of segments.

A product of a matrix with a vector takes up to twice as long if the rows do not start at multiples of 64 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import final

import numpy as np

from kernelbandits.errors import InvalidArgument
from kernelbandits.types import Array

LINE = 8
"""Doubles per cache line."""


def aligned_zeros(shape: tuple[int, ...]) -> Array:
    """Zeros whose memory starts at a cache line."""
    size = prod(shape)
    memory = np.zeros(size + LINE - 1)
    start = -(memory.ctypes.data // memory.itemsize) % LINE
    return memory[start : start + size].reshape(shape)


def enlarged(array: Array, n: int) -> Array:
    """A copy of the first n rows with room for as many more, at least 16 in all."""
    larger = np.zeros((max(16, 2 * n), *array.shape[1:]))
    larger[:n] = array[:n]
    return larger


@final
class Segments:
    """An array `values` with one segment per set of points: elementwise work is done once for all sets."""

    __slots__ = ("_parts", "sizes", "values")
    sizes: Sequence[int]
    _parts: list[Array] | None
    values: Array

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = sizes
        self.values = np.zeros(sum(sizes))
        self._parts = None

    def _validate(self) -> None:
        fit = self.values.shape == (sum(self.sizes),) and self.values.flags.c_contiguous
        if not fit or any(size < 0 for size in self.sizes):
            raise InvalidArgument("the segments of an array do not fit it")
        self._parts = None  # made anew: those of a file may lie elsewhere

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
    sums[filled] = np.add.reduceat(values, edges[:-1][filled])
    return sums
