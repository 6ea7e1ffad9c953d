"""What a belief is: a frozen spec of how rewards are modelled. It starts a tracker, which follows the data."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kernelbandits.errors import InvalidArgument
from kernelbandits.problem import Problem
from kernelbandits.specs import Spec
from kernelbandits.types import Array


class Tracker(ABC):
    """What is believed of every arm's mean reward, kept current while rewards arrive in any order."""

    __slots__ = ()

    @abstractmethod
    def mean_and_std(self, contexts: Array, row: int | None) -> tuple[Array, Array]:
        """Of the mean rewards at contexts of shape (K, d): two fresh arrays of shape (K,).

        `row` is the place of the contexts in the block last given to `look_ahead`, None if they are not of it.
        """

    @abstractmethod
    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        """Take in one reward."""

    @abstractmethod
    def look_ahead(self, contexts: Array | None) -> None:
        """Contexts that will come, shape (B, K, d), None to forget them: saves time, changes no answer."""

    def add_arm(self) -> None:
        """Take on one more arm of which nothing is known; or raise, and change nothing."""
        raise InvalidArgument("this belief cannot take on another arm; start a new agent with all arms")


class Belief(Spec, ABC):
    """How rewards are modelled. Policies such as Thompson sampling act on any belief."""

    __slots__ = ()

    @abstractmethod
    def start(self, problem: Problem) -> Tracker:
        """A tracker that has seen no reward yet."""
