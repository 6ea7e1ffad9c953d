"""In which units a model sees rewards: as they are given, or measured from a level of every arm."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs.fit_levels import fit_levels, left_out_levels
from kernelbandits.specs import Spec
from kernelbandits.types import Array


class RewardUnits(Spec, ABC):
    """Which level is taken away from every arm's rewards before a model is fitted to them."""

    __slots__ = ()

    @abstractmethod
    def levels(self, rewards: Sequence[Array]) -> Array:
        """The levels of K arms, shape (K,), from their rewards, one array of shape (nᵢ,) per arm."""

    @abstractmethod
    def left_out_levels(self, rewards: Sequence[Array]) -> list[Array]:
        """For every arm the level without each of its rewards, shapes (nᵢ,); every nᵢ is at least 2."""


@final
@dataclass(frozen=True, slots=True)
class AsGiven(RewardUnits):
    """Rewards as they are, as in the paper: the level is 0, and predictions return to 0 where nothing is known."""

    def levels(self, rewards: Sequence[Array]) -> Array:
        return np.zeros(len(rewards))

    def left_out_levels(self, rewards: Sequence[Array]) -> list[Array]:
        return [np.zeros(len(each)) for each in rewards]


@final
@dataclass(frozen=True, slots=True)
class Standardized(RewardUnits):
    """Rewards are measured from a level of their arm, so that their shift and scale change no decision.

    An arm that is far from the others does not touch their levels; see `fit_levels`.
    """

    def levels(self, rewards: Sequence[Array]) -> Array:
        return fit_levels(rewards)

    def left_out_levels(self, rewards: Sequence[Array]) -> list[Array]:
        return left_out_levels(rewards)
