"""Matrices that lie in memory as vector instructions like them, for products with one vector at a time.

A row that begins at a multiple of 64 bytes is read in whole cache lines. Where numpy happens to put a matrix, a product
with a vector from the left or the right takes up to twice as long.
"""

from __future__ import annotations

from math import prod

import numpy as np

from kernelbandits.types import Array

LINE = 8
"""Numbers in a cache line."""


def whole_lines(n: int) -> int:
    """The least multiple of `LINE` that is at least n: the length of rows which all begin with a line."""
    return -(-n // LINE) * LINE


def aligned_zeros(shape: tuple[int, ...]) -> Array:
    """Zeros that begin with a cache line."""
    size = prod(shape)
    room = np.zeros(size + LINE - 1)
    start = -(room.ctypes.data // room.itemsize) % LINE
    return room[start : start + size].reshape(shape)
