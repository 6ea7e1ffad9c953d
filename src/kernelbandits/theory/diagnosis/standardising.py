"""Features scaled as in the paper's designs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.tables import LEVEL, moments
from kernelbandits.types import Array, ArrayLike


@final
@dataclass(frozen=True, slots=True, eq=False)
class Standardised:
    """X = (raw − mean) · scale, by column. Do the same to the contexts of later decisions.

    Attributes:
        contexts: X, shape (n, d).
        mean: shape (d,).
        scale: shape (d,), 0 for a column that does not vary.

    """

    contexts: Array
    mean: Array
    scale: Array


def standardise(X: ArrayLike) -> Standardised:
    """Scale every column to mean 0 and one common variance, such that ‖x‖²/d averages ½.

    Columns that do not vary become 0. If all d columns vary, each has variance ½.

    >>> standardise([[0.0, 7.0], [10.0, 7.0]]).contexts
    array([[-1.,  0.],
           [ 1.,  0.]])
    """
    points = checks.points("X", X)
    mean, std, varies = moments(points)
    common = np.sqrt(LEVEL * len(std) / max(int(varies.sum()), 1))
    scale = np.where(varies, common / np.where(varies, std, 1.0), 0.0)
    return Standardised((points - mean) * scale, mean, scale)
