"""Parts of a log, and from which parts a model for each may learn."""

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.types import Array, BoolArray, IntArray

FOLDS, PAST_PARTS = 5, 20
_FEWEST = 25
_MEMORY = 0.5
"""What a part counts compared with the one after it, where the past tells how precise a row is."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The part of each row, shape (n,), and which parts (columns) the models of each part (rows) learn from, (P, P)."""

    part: IntArray
    learns_from: BoolArray

    @property
    def n_parts(self) -> int:
        return len(self.learns_from)

    @property
    def edges(self) -> IntArray:
        """First rows of the parts of a log, if these are one after the other, and n."""
        return np.append(np.searchsorted(self.part, np.arange(self.n_parts)), len(self.part))


def folds(n: int, n_folds: int = FOLDS) -> Split:
    """Rows in turn; each part learns from all others. For logs whose rows do not depend on one another."""
    n_folds = min(n_folds, n)
    return Split(np.arange(n) % n_folds, ~np.eye(n_folds, dtype=np.bool_))


def past(n: int, n_parts: int = PAST_PARTS) -> Split:
    """Parts one after the other; each learns from those before. For logs by policies that learned meanwhile."""
    n_parts = max(min(n_parts, n // _FEWEST), 1)
    return Split(np.arange(n) * n_parts // n, np.tri(n_parts, k=-1, dtype=np.bool_))


def doubling(n: int) -> Split:
    """Parts one after the other from 25 to 50 rows on, each as long as all before it; each learns from those before.

    For policies that learn from the log of a policy that learned meanwhile. With equal parts the first one, where
    nothing is learned yet, would count as much as the last.
    """
    n_parts = max(int(np.log2(n / _FEWEST)), 0) + 1
    ends = n // 2 ** np.arange(n_parts - 1, -1, -1)
    part = np.searchsorted(ends, np.arange(n), side="right")
    return Split(part, np.tri(n_parts, k=-1, dtype=np.bool_))


def past_means(rewards: Array) -> Array:
    """Return for each row the mean of the earlier rewards and one 0, shape (n,)."""
    return (np.cumsum(rewards) - rewards) / np.arange(1, len(rewards) + 1)


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
