"""Array aliases. Shapes are given in docstrings with the paper's letters: n, m points, d features, K arms, T rounds."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]
"""Real numbers; the shape stands in the docstring."""

IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

__all__ = ["Array", "ArrayLike", "BoolArray", "IntArray"]
