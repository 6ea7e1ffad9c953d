"""Contexts and rewards per arm, in growing arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.linalg import enlarged
from kernelbandits.types import Array, IntArray

_SORTED = 2000


@final
class ArmData:
    """Observations per arm in the order of arrival. Capacity doubles, so that adding costs O(d) on average.

    Attributes:
        counts: number of rewards of every arm, shape (K,).
        dim: number of features d.

    """

    __slots__ = ("_X", "_arrivals", "_y", "counts", "dim")
    counts: IntArray
    dim: int
    _X: list[Array]
    _y: list[Array]
    _arrivals: list[int]

    def __init__(self, n_arms: int, dim: int) -> None:
        self.counts = np.zeros(n_arms, dtype=np.int64)
        self.dim = dim
        self._X = [np.empty((0, dim)) for _ in range(n_arms)]
        self._y = [np.empty(0) for _ in range(n_arms)]
        self._arrivals = []  # the arm of every reward, oldest first

    def _validate(self) -> None:
        n_arms = len(self.counts)
        checks.refuse_misshapen(self, counts=(n_arms,))
        for n, X, y in zip(self.counts.tolist(), self._X, self._y, strict=True):
            checks.refuse_inconsistent(self, y.ndim == 1, X.shape == (len(y), self.dim), 0 <= n <= len(y))
            if not np.abs(y[:n]).max(initial=0.0) <= checks.HUGE:
                raise InvalidArgument("rewards of an arm are so large that their squares are not numbers")
        known = {*self._arrivals} <= {*range(n_arms)}  # first, because counting takes memory for the largest of them
        if not known or not np.array_equal(np.bincount(self._arrivals, minlength=n_arms), self.counts):
            raise InvalidArgument("the order of rewards does not agree with their numbers")

    def __len__(self) -> int:
        return len(self._arrivals)

    def add_arm(self) -> None:
        """Add an arm without rewards."""
        self.counts = np.append(self.counts, 0)
        self._X.append(np.empty((0, self.dim)))
        self._y.append(np.empty(0))

    def add(self, context: Array, arm: int, reward: float) -> None:
        """Add a reward of an arm."""
        n = int(self.counts[arm])
        if n == len(self._y[arm]):
            self._X[arm], self._y[arm] = enlarged(self._X[arm], n), enlarged(self._y[arm], n)
        self._X[arm][n], self._y[arm][n] = context, reward
        self.counts[arm] = n + 1
        self._arrivals.append(arm)

    def snapshot(self) -> ArmData:
        """The rewards so far, whatever is added or forgotten later. O(K): the rewards themselves are shared."""
        other = ArmData(0, self.dim)
        other.counts, other._X, other._y = self.counts.copy(), self._X.copy(), self._y.copy()
        other._arrivals = self._arrivals.copy()
        return other

    def with_opposites(self, middle: float) -> ArmData:
        """Each of two arms with the rewards of the other as well, mirrored at the middle: new arrays."""
        other = ArmData(2, self.dim)
        other.counts = np.full(2, len(self))
        other._arrivals = [0] * len(self) + [1] * len(self)
        for arm in range(2):
            (X, y), (Z, z) = self.arrived(arm), self.arrived(1 - arm)
            other._X[arm] = np.concatenate([X, Z])
            other._y[arm] = np.concatenate([y, middle - (z - middle)])
        return other

    def keep(self, newest: int) -> None:
        """Forget all rewards but the `newest` ones of all arms together."""
        n_old = len(self) - newest
        if n_old <= 0:
            return
        for arm, n_gone in enumerate(np.bincount(self._arrivals[:n_old], minlength=len(self.counts))):
            n = self.counts[arm]
            self._X[arm], self._y[arm] = self._X[arm][n_gone:n].copy(), self._y[arm][n_gone:n].copy()
            self.counts[arm] -= n_gone
        del self._arrivals[:n_old]

    def change(self, rewards: Callable[[Array], Array]) -> None:
        """Replace all rewards by a function of them, from shape (n,) to shape (n,)."""
        changed = rewards(np.concatenate([y[:n] for y, n in zip(self._y, self.counts, strict=True)]))
        for y, part in zip(self._y, np.split(changed, np.cumsum(self.counts)[:-1]), strict=True):
            y[: len(part)] = part

    def restate(self, shifts: Array, factor: float) -> None:
        """Replace every reward y of arm i by (y − shiftsᵢ)/factor."""
        for y, n, shift in zip(self._y, self.counts, shifts, strict=True):
            y[:n] -= shift
            y[:n] /= factor

    def arrived(self, arm: int) -> tuple[Array, Array]:
        """Contexts (n, d) and rewards (n,) of an arm in the order of arrival. Views: do not write."""
        n = self.counts[arm]
        return self._X[arm][:n], self._y[arm][:n]

    def of(self, arm: int, every: int = 1) -> tuple[Array, Array]:
        """Contexts (n, d) and rewards (n,) of an arm: copies, in an order that depends on the values alone.

        Of the rewards in the order of arrival, one in `every` is taken.

        Sorted by reward, then by the distance from the mean of the contexts. So whatever is computed from them is the
        same to the last bit for any order of arrival, and a part of them is the same for any unit of contexts.
        """
        X, y = self.arrived(arm)
        rows = np.column_stack((X[::every], y[::every]))
        rows = rows[rows.view(np.dtype((np.void, rows.strides[0]))).ravel().argsort()]  # by their bytes: for ties
        apart = rows[:, :-1] - (rows[:, :-1].mean(axis=0) if len(rows) else 0.0)
        rows = rows[np.lexsort((np.vecdot(apart, apart), rows[:, -1]))]
        return rows[:, :-1].copy(), rows[:, -1].copy()

    @property
    def played(self) -> list[int]:
        """The arms with rewards."""
        return [int(arm) for arm in np.flatnonzero(self.counts)]

    @property
    def rewards(self) -> list[Array]:
        """The rewards of every arm, sorted, K arrays of shape (n,): new arrays, the same for any order of arrival."""
        return [np.sort(y[:n]) for y, n in zip(self._y, self.counts, strict=True)]

    def thinned(self, arm: int, most: int) -> tuple[Array, Array]:
        """At most `most` rewards of an arm with their contexts, evenly spread over the order that `of` gives.

        Of very many rewards, some are taken in the order of arrival first, because sorting all of them takes long.
        """
        X, y = self.of(arm, -(-int(self.counts[arm]) // _SORTED))
        rows = np.linspace(0, len(y) - 1, min(most, len(y))).round().astype(np.int64)
        return X[rows], y[rows]
