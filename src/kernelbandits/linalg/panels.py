"""Large matrices in pieces that fit into the cache, so that elementwise work on a piece is fast."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from kernelbandits.types import Array

PANEL = 256
"""Rows and columns of a panel: large enough for fast matrix products, small enough for the cache."""


def rows_at_once(width: int) -> int:
    """Number of rows of this width that fit into the cache together, a multiple of 64."""
    return max(64, 2**16 // max(width, 1) // 64 * 64)


def pieces(n: int, size: int = PANEL) -> Iterator[slice]:
    """Consecutive slices of at most `size` that cover range(n)."""
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))


def fill_by_panels(n: int, panel: Callable[[slice, slice], Array]) -> Array:
    """The symmetric (n, n) matrix whose lower triangle is given by `panel(rows, columns)`."""
    if n <= PANEL:
        return _mirrored(panel(slice(0, n), slice(0, n)))
    K = np.empty((n, n))
    for rows in pieces(n):
        K[rows, rows] = _mirrored(panel(rows, rows))
        for columns in pieces(rows.start):
            part = panel(rows, columns)
            K[rows, columns] = part
            K[columns, rows] = part.T
    return K


def _mirrored(block: Array) -> Array:
    """The lower triangle and its mirror: rounding may make K(x, z) and K(z, x) differ in the last bit."""
    lower = np.tril(block, -1)
    mirrored: Array = lower + lower.T
    np.fill_diagonal(mirrored, block.diagonal())
    return mirrored
