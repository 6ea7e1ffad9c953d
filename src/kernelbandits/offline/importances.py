"""How much each row of a log by a learner counts: what the past says of its precision."""

from __future__ import annotations

import numpy as np

from kernelbandits.offline.split import Split
from kernelbandits.types import Array

_MEMORY = 0.5
"""What a part counts compared with the one after it."""


def past_precisions(split: Split, squares: Array) -> Array:
    """Return 1/σ̂ of every row, shape (n,), from the mean of w² in the parts of the log before it.

    A learner that turns away from an arm makes the later rows of a candidate that plays it less precise. Sums of
    scores weighted by 1/σ̂, known before each reward, are asymptotically normal also then (Hadad, Hirshberg, Zhan,
    Wager & Athey 2021; Bibaut et al. 2021). The first part has the precision of the second.
    """
    sums = np.bincount(split.part, squares, minlength=split.n_parts)
    counts = np.bincount(split.part, minlength=split.n_parts).astype(np.float64)
    precisions, total, size = np.ones(split.n_parts), 0.0, 0.0
    for part in range(1, split.n_parts):
        total, size = _MEMORY * total + sums[part - 1], _MEMORY * size + counts[part - 1]
        precisions[part] = 1.0 / np.sqrt(max(total / size, 1.0))  # E w² ≥ (E w)² = 1
    if split.n_parts > 1:
        precisions[0] = precisions[1]
    return precisions[split.part]
