"""When gradient descent stops. The number of steps is its regularisation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, final

import numpy as np

from kernelbandits.kernels import Kernel, KernelExpansion
from kernelbandits.specs import Count, Probability, Spec
from kernelbandits.types import Array, IntArray

_KEPT = 2**24
"""Largest block that is kept between steps, in doubles: 128 MiB."""

Descend: TypeAlias = Callable[[IntArray], Iterator[Array]]
"""Row numbers → an endless iterator over the weights after step 0, 1, 2 … of the descent on those rows."""


class Stop(NamedTuple):
    """The number of steps, whether the rule was met, and why, in words."""

    steps: int
    met: bool
    reason: str


class Stopping(Spec, ABC):
    """A rule for the number of steps. Frozen; randomness comes from `rng`."""

    __slots__ = ()

    @abstractmethod
    def decide(self, kernel: Kernel, X: Array, y: Array, descend: Descend, rng: np.random.Generator) -> Stop:
        """The number of steps for points X of shape (n, d) and targets y of shape (n,)."""

    @abstractmethod
    def foreseen(self, usual: int) -> list[tuple[float, int]]:
        """The expected descents of a fit as (share of the rows, steps), for its cost.

        `usual` is the number of steps to assume if the data decide.
        """


@final
@dataclass(frozen=True, slots=True)
class FixedSteps(Stopping):
    """A fixed number of steps."""

    steps: Count

    def foreseen(self, usual: int) -> list[tuple[float, int]]:
        return [(1.0, self.steps)]

    def decide(self, kernel: Kernel, X: Array, y: Array, descend: Descend, rng: np.random.Generator) -> Stop:
        return Stop(self.steps, True, f"{self.steps} steps were asked for")


@final
@dataclass(frozen=True, slots=True)
class HeldOut(Stopping):
    """The number of steps with the least squared error on a `fraction` of the rows, held out from a first descent.

    The first descent ends when that error has not fallen for `patience` steps (met) or after `max_steps` (not met). The
    second descent, on all rows, takes the best number of steps.
    """

    fraction: Probability = 0.2
    patience: Count = 20
    max_steps: Count = 2000

    def foreseen(self, usual: int) -> list[tuple[float, int]]:
        return [(1.0 - self.fraction, min(usual + self.patience, self.max_steps)), (1.0, min(usual, self.max_steps))]

    def decide(self, kernel: Kernel, X: Array, y: Array, descend: Descend, rng: np.random.Generator) -> Stop:
        n_out = max(1, round(self.fraction * len(X)))
        if n_out >= len(X):
            return Stop(1, True, "there are too few rows to hold any out")
        order = rng.permutation(len(X))
        out, rows = np.sort(order[:n_out]), np.sort(order[n_out:])
        predicted = _predictions(kernel, X[rows], X[out])
        best, least = 0, np.inf
        for step, weights in enumerate(descend(rows)):
            error = float(np.mean((y[out] - predicted(weights)) ** 2))
            if error < least:
                best, least = step, error
            if step - best >= self.patience:
                return Stop(best, True, f"the held-out error has not fallen for {self.patience} steps")
            if step >= self.max_steps:
                break
        return Stop(best, False, f"max_steps = {self.max_steps} is reached and the held-out error still falls")


def _predictions(kernel: Kernel, X: Array, Z: Array) -> Callable[[Array], Array]:
    """The map from weights on X to values at the rows of Z; K(Z, X) is kept only if it is small."""
    if len(X) * len(Z) > _KEPT:
        return lambda weights: KernelExpansion(kernel, X, weights)(Z)
    K = kernel.block(Z, X)
    return lambda weights: K @ weights
