"""Rewards per arm, counted and summed."""

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.types import Array, IntArray


@final
class Tally:
    """Numbers and sums of rewards per arm, shape (K,), plain and weighted by 1/propensity; `n` is that of all arms."""

    __slots__ = ("counts", "n", "squares", "sums", "weighted_sums", "weights")
    n: int
    counts: IntArray
    sums: Array
    squares: Array
    weights: NDArray[Any]  # not finite without propensities
    weighted_sums: NDArray[Any]

    def __init__(self, n_arms: int) -> None:
        self.n = 0
        self.counts = np.zeros(n_arms, dtype=np.int64)
        self.sums, self.squares, self.weights, self.weighted_sums = np.zeros((4, n_arms))

    def _validate(self) -> None:
        """Refuse, in what was loaded from a file, sums of another number of arms."""
        checks.whole("n", self.n, at_least=0)
        checks.refuse_unfit("counts of rewards", self.counts, np.int64, (None,))
        for sums in (self.sums, self.squares, self.weights, self.weighted_sums):
            checks.refuse_unfit("sums of rewards", sums, np.float64, self.counts.shape)
        if self.counts.min(initial=0) < 0 or self.counts.sum() != self.n:
            raise InvalidArgument(f"{self.n} rewards cannot be those of the arms, {self.counts.tolist()}")

    def add(self, arms: IntArray, rewards: Array, propensities: Array) -> None:
        """Count rewards, shape (n,). A propensity that was not logged is NaN, and then so are the weighted sums."""
        weights = 1.0 / propensities
        n_arms = len(self.counts)
        self.n += len(arms)
        self.counts += np.bincount(arms, minlength=n_arms)
        for sums, values in (
            (self.sums, rewards),
            (self.squares, rewards**2),
            (self.weights, weights),
            (self.weighted_sums, weights * rewards),
        ):
            sums += np.bincount(arms, values, minlength=n_arms)

    def add_one(self, arm: int, reward: float, propensity: float) -> None:
        self.n += 1
        self.counts[arm] += 1
        self.sums[arm] += reward
        self.squares[arm] += reward * reward
        self.weights[arm] += 1.0 / propensity
        self.weighted_sums[arm] += reward / propensity

    def add_arm(self) -> None:
        self.counts = np.append(self.counts, 0)
        sums = (self.sums, self.squares, self.weights, self.weighted_sums)
        self.sums, self.squares, self.weights, self.weighted_sums = (np.append(each, 0.0) for each in sums)
