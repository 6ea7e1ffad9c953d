"""Columns brought to comparable units, points to the level at which the paper's kernels are meant to work."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np
from threadpoolctl import threadpool_limits

from kernelbandits.linalg import EPS
from kernelbandits.specs import Spec
from kernelbandits.types import Array, BoolArray

LEVEL = 0.5
"""Tr(Σ)/d of the paper's designs (before c̃), at which ‖x − z‖²/d averages 1: kernel lengths are meant for that."""


def moments(points: Array) -> tuple[Array, Array, BoolArray]:
    """Mean and standard deviation of every column, shape (d,), and whether it varies by more than rounding."""
    mean = points.mean(axis=0)
    std = points.std(axis=0)
    return mean, std, std > 8.0 * EPS * np.abs(points).max(axis=0)


class Scaling(Spec, ABC):
    """How numerical columns are made comparable."""

    __slots__ = ()

    @abstractmethod
    def factors(self, std: Array) -> Array:
        """What to multiply each centred column by, shape (p,), given its standard deviation (above 0)."""

    @abstractmethod
    def words(self) -> str:
        """The scaling, for a reader of the results."""


@final
@dataclass(frozen=True, slots=True)
class UnitVariance(Scaling):
    """Every column has variance 1: for columns in units of their own (age, income)."""

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


def to_level(points: Array, level: float) -> Array:
    """The points times the number that makes the average of ‖x‖²/d equal to `level`."""
    average = np.mean(np.einsum("ij,ij->i", points, points)) / points.shape[1]
    scaled: Array = points * np.sqrt(level / average)
    return scaled


def principal_components(centred: Array, dim: int) -> tuple[Array, float]:
    """Coordinates in the `dim` directions of largest variance, shape (n, dim), and the share of variance they hold.

    The sign of a direction is such that its largest entry is positive.
    """
    with threadpool_limits(1):  # the last bit must not depend on how many threads the process has
        values, vectors = np.linalg.eigh(centred.T @ centred)
        top = vectors[:, ::-1][:, :dim]
        largest = top[np.abs(top).argmax(axis=0), np.arange(dim)]
        return centred @ (top * np.sign(largest)), float(values[::-1][:dim].sum() / values.sum())
