"""How much a single reward may move a belief."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.specs import Positive, Spec
from kernelbandits.types import Array

_MAD = 1.4826  # standard deviation of a normal, in units of its median absolute deviation


class Influence(Spec, ABC):
    """What is believed of a reward that nobody expected."""

    __slots__ = ()

    @abstractmethod
    def limited(self, reward: float, predict: Callable[[], tuple[float, float]]) -> float:
        """The reward to learn from; `predict` gives the mean and standard deviation that were expected of it."""

    @abstractmethod
    def first(self, rewards: Array) -> Array:
        """The rewards to learn from, of those with which a belief begins: nothing was expected of them; shape (n,)."""


@final
@dataclass(frozen=True, slots=True)
class Unlimited(Influence):
    """Every reward is taken as it is."""

    def limited(self, reward: float, predict: Callable[[], tuple[float, float]]) -> float:
        return reward

    def first(self, rewards: Array) -> Array:
        return rewards


@final
@dataclass(frozen=True, slots=True)
class ClippedInnovations(Influence):
    """A reward more than `limit` predicted standard deviations from its prediction is drawn in to that distance.

    The prediction is that of the belief just before the reward, noise included; the first rewards are drawn in to
    median ± limit · 1.4826 · median absolute deviation of all of them. For rewards of which some are wrong or wild.

    What is learned then depends on the order of the rewards: a surprise is judged by what was known when it came. And
    rewards that are rare by nature (a click in a thousand) are surprises too: take them as they are, `Unlimited()`.

    Reference: the limited influence of Huber 1964, in the innovations of a filter as in Masreliez & Martin 1977.

    >>> belief = EmpiricalBayes(influence=ClippedInnovations(limit=3.0))
    """

    limit: Positive = 3.0

    def limited(self, reward: float, predict: Callable[[], tuple[float, float]]) -> float:
        mean, std = predict()
        reach = self.limit * std
        return min(max(reward, mean - reach), mean + reach) if reach > 0.0 else reward

    def first(self, rewards: Array) -> Array:
        middle = np.median(rewards)
        reach = self.limit * _MAD * np.median(np.abs(rewards - middle))
        return np.clip(rewards, middle - reach, middle + reach) if reach > 0.0 else rewards
