"""Scaling of numerical columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.linalg import EPS
from kernelbandits.specs import Spec
from kernelbandits.types import Array, BoolArray

LEVEL = 0.5
"""Average of ‖x‖²/d in the paper's designs (before c̃). Then ‖x − z‖²/d averages 1, as kernel lengths assume."""


def moments(points: Array) -> tuple[Array, Array, BoolArray]:
    """Return mean and standard deviation of every column, shape (d,), and whether it varies by more than rounding."""
    mean = points.mean(axis=0)
    std = points.std(axis=0)
    return mean, std, std > 8.0 * EPS * np.abs(points).max(axis=0)


class Scaling(Spec, ABC):
    """How numerical columns are made comparable."""

    __slots__ = ()

    @abstractmethod
    def factors(self, std: Array) -> Array:
        """Return the factor of each centred column, shape (p,), given its standard deviation (above 0)."""

    @abstractmethod
    def words(self) -> str:
        """Describe the scaling in a note."""


@final
@dataclass(frozen=True, slots=True)
class UnitVariance(Scaling):
    """Every column has variance 1: for columns in different units (age, income)."""

    def factors(self, std: Array) -> Array:
        return 1.0 / std

    def words(self) -> str:
        return "each to mean 0 and variance 1"


@final
@dataclass(frozen=True, slots=True)
class CommonUnit(Scaling):
    """One factor for all columns, such that their variances average 1: for columns in one unit (pixels)."""

    def factors(self, std: Array) -> Array:
        return np.full(len(std), np.sqrt(len(std) / max(float(std @ std), np.finfo(float).tiny)))

    def words(self) -> str:
        return "each to mean 0, all by one factor to variance 1 on average"
