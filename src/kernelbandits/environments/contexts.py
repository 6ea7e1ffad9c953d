"""How recorded rows are served as contexts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.specs import Spec
from kernelbandits.types import Array, IntArray


class Contexts(Spec, ABC):
    """How the held-out rows of the arms become contexts. Every row is served once before any is served again.

    >>> rows = [np.array([[1.0], [2.0]]), np.array([[8.0], [9.0]])]  # of two arms, one feature each
    >>> sorted(SharedContexts().serve(rows, 4, np.random.default_rng(0))[:, 0, 0].tolist())
    [1.0, 2.0, 8.0, 9.0]

    See also `OwnContexts`, `SharedContexts`.
    """

    __slots__ = ()

    @abstractmethod
    def serve(self, groups: Sequence[Array], horizon: int, rng: np.random.Generator) -> Array:
        """Return the contexts of T rounds, shape (T, K, d), from the rows of each arm, shape (n_i, d)."""


@final
@dataclass(frozen=True, slots=True)
class OwnContexts(Contexts):
    """Every arm shows one of its own rows: the paper's X⁽ⁱ⁾(t).

    >>> OwnContexts().serve([np.zeros((2, 1)), np.ones((2, 1))], 3, np.random.default_rng(0))[:, :, 0]
    array([[0., 1.],
           [0., 1.],
           [0., 1.]])

    See also `Contexts`, `SharedContexts`.
    """

    def serve(self, groups: Sequence[Array], horizon: int, rng: np.random.Generator) -> Array:
        contexts = np.empty((horizon, len(groups), groups[0].shape[1]))
        for arm, rows in enumerate(groups):
            contexts[:, arm] = rows[_shuffled(len(rows), horizon, rng)]
        return contexts


@final
@dataclass(frozen=True, slots=True)
class SharedContexts(Contexts):
    """All arms show the same row, taken from the rows of all arms together.

    >>> served = SharedContexts().serve([np.zeros((2, 1)), np.ones((2, 1))], 3, np.random.default_rng(0))
    >>> bool((served[:, 0] == served[:, 1]).all())
    True

    See also `Contexts`, `OwnContexts`.
    """

    def serve(self, groups: Sequence[Array], horizon: int, rng: np.random.Generator) -> Array:
        rows = np.concatenate(list(groups))
        return np.repeat(rows[_shuffled(len(rows), horizon, rng), np.newaxis], len(groups), axis=1)


def _shuffled(n: int, length: int, rng: np.random.Generator) -> IntArray:
    """Return `length` row numbers below n: random orders of all rows, one after the other."""
    orders = [rng.permutation(n) for _ in range(-(-length // n))]
    return np.concatenate(orders)[:length]
