"""In which order arms have their first turns: by what their contexts are, not by their numbers."""

from __future__ import annotations

from math import sqrt

import numpy as np

from kernelbandits.types import Array, IntArray

_LOST = 1e-10  # differences of features, relative to the largest, that may be nothing but rounding
_DISTANCE_DIGITS, _SUM_DIGITS = 9, 4  # what differs beyond these is equal up to rounding


def central_first(contexts: Array) -> IntArray:
    """The arms whose contexts, shape (K, d), are nearest to the mean of all come first: a permutation of 0 … K − 1.

    A reward there tells most about other contexts. Of two that are equally near, the one with the larger sum of
    features comes first, and of equal ones that with the lower number. So if arms are exchanged, and their contexts
    with them, so is the order, unless contexts are equal; and neither the unit of contexts, nor a shift, nor the order
    of features matters.

    >>> central_first(np.array([[9.0], [1.0], [2.0]])), central_first(np.array([[9.0], [9.0], [9.0]]))
    (array([2, 1, 0]), array([0, 1, 2]))
    """
    size = float(np.abs(contexts).max(initial=0.0))
    if not contexts.strides[0] or not size:  # one context for all arms
        return np.arange(len(contexts))
    shown = contexts / size
    shown -= shown.mean(axis=0)
    distances, dim = np.vecdot(shown, shown), contexts.shape[1]
    unit = max(float(distances.max()), dim * _LOST**2)
    sums = shown.sum(axis=1) / sqrt(dim * unit)
    order: IntArray = np.lexsort((-sums.round(_SUM_DIGITS), (distances / unit).round(_DISTANCE_DIGITS)))
    return order
