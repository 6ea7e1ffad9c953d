"""Pools of recorded contexts: what an environment made from data serves round by round."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.errors import InvalidArgument
from kernelbandits.specs import Spec
from kernelbandits.types import Array, IntArray


class Pool(ABC):
    """Recorded contexts to serve. Every row is served once before any is served again."""

    __slots__ = ()

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of arms K and of features d."""

    @abstractmethod
    def serve(self, horizon: int, rng: np.random.Generator) -> Array:
        """Contexts of T rounds, shape (T, K, d)."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class ArmPools(Pool):
    """One pool an arm, each of shape (n_i, d): every arm shows a row of its own."""

    rows: tuple[Array, ...]

    def __post_init__(self) -> None:
        if not self.rows:
            raise InvalidArgument("rows must hold one pool per arm; got none")
        first = checks.points("rows[0]", self.rows[0])
        checked = (checks.points(f"rows[{arm}]", rows, first.shape[1]) for arm, rows in enumerate(self.rows))
        object.__setattr__(self, "rows", tuple(checked))

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), self.rows[0].shape[1]

    def serve(self, horizon: int, rng: np.random.Generator) -> Array:
        contexts = np.empty((horizon, *self.shape))
        for arm, rows in enumerate(self.rows):
            contexts[:, arm] = rows[shuffled(len(rows), horizon, rng)]
        return contexts


@final
@dataclass(frozen=True, slots=True, eq=False)
class CommonPool(Pool):
    """One pool of shape (n, d) for all `n_arms` arms: in a round every arm shows the same row."""

    rows: Array
    n_arms: int

    def __post_init__(self) -> None:
        checks.whole("n_arms", self.n_arms, at_least=1)
        object.__setattr__(self, "rows", checks.points("rows", self.rows))

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_arms, self.rows.shape[1]

    def serve(self, horizon: int, rng: np.random.Generator) -> Array:
        return np.repeat(self.rows[shuffled(len(self.rows), horizon, rng), np.newaxis], self.n_arms, axis=1)


def shuffled(n: int, length: int, rng: np.random.Generator) -> IntArray:
    """`length` row numbers below n: random orders of all rows, one after the other."""
    orders = [rng.permutation(n) for _ in range(-(-length // n))]
    return np.concatenate(orders)[:length]


class Contexts(Spec, ABC):
    """How the held-out rows of the arms' groups become contexts."""

    __slots__ = ()

    @abstractmethod
    def pool(self, groups: Sequence[Array]) -> Pool:
        """The pool of held-out rows, one array of shape (n_i, d) for each arm."""


@final
@dataclass(frozen=True, slots=True)
class OwnContexts(Contexts):
    """Every arm shows a row of its own group: the paper's X⁽ⁱ⁾(t)."""

    def pool(self, groups: Sequence[Array]) -> ArmPools:
        return ArmPools(tuple(groups))


@final
@dataclass(frozen=True, slots=True)
class SharedContexts(Contexts):
    """All arms show the same row, taken from the rows of all groups together."""

    def pool(self, groups: Sequence[Array]) -> CommonPool:
        return CommonPool(np.concatenate(list(groups)), len(groups))
