"""What a world is: a source of logs whose truth is known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kernelbandits.offline import Log
from kernelbandits.specs import Spec
from kernelbandits.types import Array, IntArray

MANY = 400_000
"""Rows from which a truth is computed."""


class WorldCase(NamedTuple):
    """A log, a candidate's probabilities in its rows, shape (n, K), the candidate's true value, and mean rewards."""

    log: Log
    chances: Array
    truth: float
    means: Array | None = None


class LoggedWorld(Spec, ABC):
    """Where logs come from. `n` rows each."""

    __slots__ = ()

    @property
    @abstractmethod
    def learned(self) -> bool:
        """Whether the writer of the log learns while it writes."""

    @abstractmethod
    def cases(self, seeds: range) -> Iterator[WorldCase]:
        """One case for each seed, always the same."""


def drawn(chances: Array, rng: np.random.Generator) -> IntArray:
    """One arm per row with these probabilities."""
    limits = chances.cumsum(axis=-1)
    luck = rng.random((*chances.shape[:-1], 1)) * limits[..., -1:]
    return np.asarray((limits > luck).argmax(axis=-1), dtype=np.int64)
