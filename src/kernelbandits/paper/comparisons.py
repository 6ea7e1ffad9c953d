"""Comparing a method with the best of several without favouring either."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.environments import mean_and_standard_error
from kernelbandits.types import Array

CLEAR = 2.0
"""One method beats another if its regret is smaller by more than this many standard errors, seed by seed."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Contender:
    """Final regrets for each seed, shape (seeds,), and the name of the method or methods that they belong to."""

    name: str
    regrets: Array

    def __str__(self) -> str:
        mean, error = mean_and_standard_error(self.regrets)
        return f"{self.name} {mean:.1f}" + (f" ± {error:.1f}" if np.isfinite(error) else "")

    def beats(self, other: Contender) -> bool:
        """Whether these regrets are smaller by more than chance; with a single seed, whether they are smaller."""
        mean, error = mean_and_standard_error(other.regrets - self.regrets)
        return bool(mean > CLEAR * error) if np.isfinite(error) else bool(mean > 0)


def best_of(regrets: Mapping[str, Array]) -> Contender:
    """The method of the smallest mean regret, chosen for each seed on the other seeds.

    The smallest of several means is too small on the seeds that chose it. Here a seed's regret is that of the method
    which is best on all other seeds, so its mean is what the choice is worth on a new seed. If the choices differ, the
    name lists them, the most frequent first. A single seed has no other seeds: the choice is made on it.
    """
    names, table = list(regrets), np.stack(list(regrets.values()))
    n_seeds = table.shape[1]
    others = table.sum(axis=1, keepdims=True) - table if n_seeds > 1 else table
    chosen = others.argmin(axis=0)
    counts = Counter(names[i] for i in chosen.tolist())
    return Contender(" or ".join(name for name, _ in counts.most_common()), table[chosen, np.arange(n_seeds)])
