"""Beliefs are frozen specs of how rewards are modelled. A belief starts a tracker, which follows the data."""

from __future__ import annotations

from abc import ABC, abstractmethod

from kernelbandits.beliefs.prefetched import Prefetched
from kernelbandits.problem import Problem
from kernelbandits.regression import Outlook, Posterior
from kernelbandits.specs import Spec
from kernelbandits.types import Array


class Tracker(ABC):
    """Mean and standard deviation of every arm's mean reward, kept current while rewards arrive in any order."""

    __slots__ = ()

    @abstractmethod
    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        """For contexts of shape (K, d): two new arrays of shape (K,)."""

    @abstractmethod
    def observe(self, context: Array, arm: int, reward: float) -> None:
        """Take one reward into account."""

    @abstractmethod
    def prefetch(self, block: Prefetched | None) -> None:
        """Prepare for coming rounds; None forgets them. Saves time, changes no answer."""

    @abstractmethod
    def add_arm(self, problem: Problem) -> None:
        """Add an arm, the last of `problem`, and forget prefetched rounds; or raise and change nothing."""


class PosteriorTracker(Tracker):
    """A tracker that holds Gaussian-process posteriors: one per arm, or one for all arms.

    Attributes:
        posteriors: the posteriors after all rewards so far.

    """

    posteriors: list[Posterior]
    __slots__ = ()

    @abstractmethod
    def index(self, arm: int) -> int:
        """Which of the posteriors has the rewards of this arm."""

    @abstractmethod
    def outlook(self, context: Array, arm: int) -> Outlook:
        """What is known about the arm's reward at a context."""


class Belief(Spec, ABC):
    """How rewards are modelled. Policies such as Thompson sampling act on any belief."""

    __slots__ = ()

    @abstractmethod
    def start(self, problem: Problem) -> Tracker:
        """A tracker without rewards; raises if the belief does not fit the problem."""
