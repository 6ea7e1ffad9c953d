"""Learners: the part of an agent that differs between policies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol, runtime_checkable

import numpy as np

from kernelbandits.beliefs import Prefetched
from kernelbandits.errors import InvalidArgument
from kernelbandits.policies.decisions import Choice, Decisions
from kernelbandits.problem import Problem
from kernelbandits.types import Array, BoolArray


class Learner(ABC):
    """Decides and observes; its input was checked.

    A learner may have more methods: those of `Prefetching`, `Batching`, `Withdrawing` and `Growing`. An agent calls
    them through the functions of this module, which say what happens without them.
    """

    __slots__ = ()

    @abstractmethod
    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        """The arm for contexts of shape (K, d) and a mask of shape (K,), None if every arm is eligible."""

    @abstractmethod
    def observe(self, context: Array, arm: int, reward: float) -> None:
        """Take one reward into account."""


@runtime_checkable
class Prefetching(Protocol):
    """A learner that can prepare for coming rounds."""

    def prefetch(self, block: Prefetched | None) -> None:
        """Prepare for the rounds of a block; None forgets them. Must not change a decision."""


@runtime_checkable
class Batching(Protocol):
    """A learner that decides many rounds faster than one by one."""

    def decide_batch(self, contexts: Array, eligible: BoolArray | None) -> Decisions:
        """Decisions for contexts of shape (B, K, d) and a mask of shape (B, K), as if asked round by round."""


@runtime_checkable
class Withdrawing(Protocol):
    """A learner that counts its decisions."""

    def withdraw(self) -> None:
        """Take the last decision back: it was not carried out."""


@runtime_checkable
class Growing(Protocol):
    """A learner that accepts new arms."""

    def add_arm(self, problem: Problem) -> None:
        """Add an arm, the last of `problem`; or raise and change nothing."""


def prefetch(learner: Learner, block: Prefetched | None) -> None:
    """Announce rounds to a learner; one that cannot prepare for them ignores it."""
    if isinstance(learner, Prefetching):
        learner.prefetch(block)


def decide_batch(learner: Learner, contexts: Array, eligible: BoolArray | None) -> Decisions:
    """Decisions for B rounds without feedback between them."""
    if isinstance(learner, Batching):
        return learner.decide_batch(contexts, eligible)
    return decide_one_by_one(learner, contexts, eligible)


def decide_one_by_one(learner: Learner, contexts: Array, eligible: BoolArray | None) -> Decisions:
    """Decisions for contexts of shape (B, K, d) and a mask of shape (B, K)."""
    masks = [None] * len(contexts) if eligible is None else eligible
    choices = [learner.decide(shown, mask) for shown, mask in zip(contexts, masks, strict=True)]
    arms, propensities, scores, explored, _ = zip(*choices, strict=True)
    return Decisions(0, np.array(arms), np.array(propensities), np.array(scores), np.array(explored))


def withdraw(learner: Learner) -> None:
    """Tell a learner that its last decision was not carried out; one that does not count decisions ignores it."""
    if isinstance(learner, Withdrawing):
        learner.withdraw()


def add_arm(learner: Learner, problem: Problem) -> None:
    """Add an arm, the last of `problem`; or raise and change nothing."""
    if not isinstance(learner, Growing):
        raise InvalidArgument("agents of this policy cannot add an arm; start a new agent with all arms")
    learner.add_arm(problem)
