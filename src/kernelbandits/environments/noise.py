"""Distributions of the noise of rewards, at variance 1."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, final

import numpy as np

from kernelbandits.specs import Range, Spec
from kernelbandits.types import Array


class NoiseLaw(Spec, ABC):
    """A distribution with mean 0 and variance 1."""

    __slots__ = ()

    @abstractmethod
    def draw(self, size: int, rng: np.random.Generator) -> Array:
        """Return independent draws, shape (size,)."""


@final
@dataclass(frozen=True, slots=True)
class NormalNoise(NoiseLaw):
    """N(0, 1), as in the paper."""

    def draw(self, size: int, rng: np.random.Generator) -> Array:
        return rng.standard_normal(size)


@final
@dataclass(frozen=True, slots=True)
class StudentNoise(NoiseLaw):
    """Student's t, scaled to variance 1: heavy tails, so that some rewards lie far from their mean."""

    df: Annotated[float, Range("a number above 2, so that the variance is finite", lambda v: v > 2)] = 2.5

    def draw(self, size: int, rng: np.random.Generator) -> Array:
        draws: Array = rng.standard_t(self.df, size) * np.sqrt((self.df - 2.0) / self.df)
        return draws
