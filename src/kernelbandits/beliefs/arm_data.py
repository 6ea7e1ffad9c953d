"""Contexts and rewards, arm by arm, in arrays that grow."""

from __future__ import annotations

from typing import final

import numpy as np

from kernelbandits.types import Array


@final
class ArmData:
    """Everything observed. Room doubles, so that adding costs O(d) on average.

    Attributes:
        counts: number of rewards of every arm, shape (K,).

    """

    __slots__ = ("_X", "_y", "counts")

    def __init__(self, n_arms: int, dim: int) -> None:
        self.counts = np.zeros(n_arms, dtype=np.int64)
        self._X = [np.empty((0, dim)) for _ in range(n_arms)]
        self._y = [np.empty(0) for _ in range(n_arms)]

    def __len__(self) -> int:
        return int(self.counts.sum())

    def add(self, context: Array, arm: int, reward: float) -> None:
        """One more reward of an arm."""
        n = int(self.counts[arm])
        if n == len(self._y[arm]):
            self._X[arm], self._y[arm] = _doubled(self._X[arm]), _doubled(self._y[arm])
        self._X[arm][n], self._y[arm][n] = context, reward
        self.counts[arm] = n + 1

    def of(self, arm: int) -> tuple[Array, Array]:
        """Contexts (n, d) and rewards (n,) of an arm. Views: do not write."""
        n = self.counts[arm]
        return self._X[arm][:n], self._y[arm][:n]

    @property
    def played(self) -> list[int]:
        """The arms with rewards."""
        return [int(arm) for arm in np.flatnonzero(self.counts)]

    @property
    def level(self) -> float:
        """The mean over played arms of their mean rewards: an arm played often counts as one."""
        return float(np.mean([self.of(arm)[1].mean() for arm in self.played])) if len(self) else 0.0

    def evenly_spread(self, most: int) -> list[tuple[Array, Array]]:
        """Data of every played arm, at most `most` rewards of each, evenly spread over their order."""
        return [self.thinned(arm, most) for arm in self.played]

    def thinned(self, arm: int, most: int) -> tuple[Array, Array]:
        """At most `most` rewards of an arm with their contexts, evenly spread over their order."""
        X, y = self.of(arm)
        rows = np.linspace(0, len(y) - 1, min(most, len(y))).round().astype(np.int64)
        return X[rows], y[rows]

    def spread(self, values: Array, default: float) -> Array:
        """One value an arm, shape (K,), from values of the played arms; `default` for the others."""
        everyone = np.full(len(self.counts), default)
        everyone[self.played] = values
        return everyone


def _doubled(array: Array) -> Array:
    larger = np.empty((max(16, 2 * len(array)), *array.shape[1:]))
    larger[: len(array)] = array
    return larger
