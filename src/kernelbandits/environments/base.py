"""What an environment is: a spec that draws instances; an instance serves rounds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.problem import Problem
from kernelbandits.specs import Spec
from kernelbandits.types import Array

_CONTEXTS = "(rounds, arms, features)"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """Everything that happens to a learner, fixed beforehand so that all methods meet the same.

    Attributes:
        contexts: shape (T, K, d); may be a view that repeats one context for all arms.
        means: mean reward of every arm, shape (T, K).
        noise: ξ(t), shape (T,), whichever arm is played.

    """

    contexts: Array
    means: Array
    noise: Array

    def __post_init__(self) -> None:
        horizon = len(checks.finite_array("noise", self.noise, (None,), "one number a round"))
        shape = np.shape(self.contexts)
        if len(shape) == 3 and self.contexts.strides[1] == 0:  # all arms share a context: look at it once
            shared = checks.shaped_array("contexts", self.contexts[:, :1], (horizon, 1, None), _CONTEXTS)
            checks.refuse_unusable("contexts", shared)
        else:
            contexts = checks.shaped_array("contexts", self.contexts, (horizon, None, None), _CONTEXTS)
            checks.refuse_unusable("contexts", contexts)
        checks.finite_array("means", self.means, shape[:2], "(rounds, arms)")

    def __len__(self) -> int:
        return len(self.noise)


class Instance(ABC):
    """One drawn bandit problem: fixed reward functions, contexts to be served."""

    __slots__ = ()

    @abstractmethod
    def problem(self, horizon: int | None = None) -> Problem:
        """What a learner may know."""

    @abstractmethod
    def rounds(self, horizon: int, rng: np.random.Generator) -> Rounds:
        """The next T rounds."""


class Environment(Spec, ABC):
    """A family of bandit problems."""

    __slots__ = ()

    @abstractmethod
    def draw(self, rng: np.random.Generator | int) -> Instance:
        """One problem of the family; all randomness comes from `rng`, a generator or a seed."""

    def notes(self, horizon: int) -> tuple[str, ...]:
        """What a reader of results of `horizon` rounds should know, in lines; raises if so many cannot be played.

        Nothing by default. An environment made from a file reads it here, before anything is computed or written.
        """
        return ()
