"""Rules that decide on means and standard deviations of the arms: values, so that an agent can be saved."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.policies.batched_propensities import batched_probabilities
from kernelbandits.policies.learner import Choice
from kernelbandits.policies.propensities import pick_sampled
from kernelbandits.policies.selection import best_shares, mask_scores, pick_best, pick_optimistic
from kernelbandits.specs import NonNegative, Spec
from kernelbandits.types import Array, BoolArray


class DecisionRule(Spec, ABC):
    """How an arm is picked, given what is believed of every arm."""

    __slots__ = ()

    @abstractmethod
    def __call__(self, mean: Array, std: Array, eligible: BoolArray | None, rng: np.random.Generator) -> Choice:
        """The choice for means and standard deviations of shape (K,)."""

    @abstractmethod
    def probabilities(self, mean: Array, std: Array, eligible: BoolArray | None) -> Array:
        """The exact probability of every arm in each of B rounds, all arrays of shape (B, K)."""


@final
@dataclass(frozen=True, slots=True)
class Optimism(DecisionRule):
    """The largest mean + width · std."""

    width: NonNegative = 1.0

    def __call__(self, mean: Array, std: Array, eligible: BoolArray | None, rng: np.random.Generator) -> Choice:
        return pick_optimistic(mean, std, eligible, rng, self.width)

    def probabilities(self, mean: Array, std: Array, eligible: BoolArray | None) -> Array:
        return best_shares(mask_scores(mean + self.width * std, eligible))


@final
@dataclass(frozen=True, slots=True)
class Sampling(DecisionRule):
    """The largest of independent draws from N(mean, scale² std²)."""

    scale: NonNegative = 1.0

    def __call__(self, mean: Array, std: Array, eligible: BoolArray | None, rng: np.random.Generator) -> Choice:
        return pick_sampled(mean, std, eligible, rng, self.scale)

    def probabilities(self, mean: Array, std: Array, eligible: BoolArray | None) -> Array:
        return batched_probabilities(mean, self.scale * std, eligible)


@final
@dataclass(frozen=True, slots=True)
class Greed(DecisionRule):
    """The largest mean."""

    def __call__(self, mean: Array, std: Array, eligible: BoolArray | None, rng: np.random.Generator) -> Choice:
        return pick_best(mean, eligible, rng)

    def probabilities(self, mean: Array, std: Array, eligible: BoolArray | None) -> Array:
        return best_shares(mask_scores(mean, eligible))
