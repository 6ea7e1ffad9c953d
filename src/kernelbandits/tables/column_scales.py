"""Whether the columns of contexts have sizes with which kernels can work."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelbandits.errors import shown
from kernelbandits.types import Array

UNEQUAL = 30.0
"""Columns whose sizes differ by a larger factor are said to: then the largest dominate all distances."""
_SMALLEST, _LARGEST = 5e-3, 50.0
"""Average variances of a column far outside of which distances are all nearly 0, or all too large for a kernel."""


def scale_warning(points: Array, names: Sequence[str]) -> str:
    """Say what is wrong with the scales of columns, points of shape (n, d); empty if nothing is."""
    std = points.std(axis=0)
    varying = np.flatnonzero(std > 0.0)
    if not len(varying):
        return ""
    low, high = (int(varying[pick(std[varying])]) for pick in (np.argmin, np.argmax))
    factor, level = std[high] / std[low], float(np.mean(std**2))
    if factor > UNEQUAL:
        pair = f"{shown(names[high])} varies {factor:.3g} times as much as {shown(names[low])}"
        return f"columns are in different units: {pair}, so a few columns decide all distances"
    if not _SMALLEST <= level <= _LARGEST:
        return f"columns are far from unit size: their variances average {level:.3g}"
    return ""
