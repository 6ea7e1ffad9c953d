"""Arrays aligned to cache lines.

A product of a matrix with a vector takes up to twice as long if the rows do not start at multiples of 64 bytes.
"""

from __future__ import annotations

from math import prod

import numpy as np

from kernelbandits.types import Array

LINE = 8
"""Doubles per cache line."""


def whole_lines(n: int) -> int:
    """The smallest multiple of `LINE` that is at least n: a row length with which all rows are aligned."""
    return -(-n // LINE) * LINE


def aligned_zeros(shape: tuple[int, ...]) -> Array:
    """Zeros whose memory starts at a cache line."""
    size = prod(shape)
    memory = np.zeros(size + LINE - 1)
    start = -(memory.ctypes.data // memory.itemsize) % LINE
    return memory[start : start + size].reshape(shape)
