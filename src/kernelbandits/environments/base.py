"""Environments, the instances they draw, and the rounds that an instance serves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.kernels import KernelExpansion
from kernelbandits.linalg import require_memory
from kernelbandits.problem import Problem
from kernelbandits.reporting import short_html, short_repr
from kernelbandits.specs import Spec
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """All contexts, mean rewards and noise of a run, drawn beforehand so that all methods meet the same.

    Attributes:
        contexts: shape (T, K, d); may be a view that repeats one context for all arms.
        means: mean reward of every arm, shape (T, K).
        noise: ξ(t), shape (T,), whichever arm is played; or that of each arm, shape (T, K).

    >>> rounds = Synthetic(LowRank(), n_arms=2, dim=3).draw(rng=0).rounds(5, np.random.default_rng(1))
    >>> rounds.contexts.shape, rounds.means.shape, rounds.noise.shape
    ((5, 2, 3), (5, 2), (5,))

    See also `Environment`, `Instance`, `Synthetic`, `SyntheticInstance`.
    """

    contexts: Array
    means: Array
    noise: Array

    __repr__ = short_repr
    _repr_html_ = short_html

    def __post_init__(self) -> None:
        shape = (None,) if np.ndim(self.noise) < 2 else (None, np.shape(self.means)[-1])
        horizon = len(checks.finite_array("noise", self.noise, shape, "one number per round, or per round and arm"))
        contexts = self.contexts
        if np.ndim(contexts) == 3 and contexts.strides[1] == 0:  # all arms share a context: check it once
            contexts = contexts[:, :1]
        contexts = checks.shaped_array("contexts", contexts, (horizon, None, None), "(rounds, arms, features)")
        checks.refuse_unusable("contexts", contexts)
        checks.finite_array("means", self.means, np.shape(self.contexts)[:2], "(rounds, arms)")

    def __len__(self) -> int:
        return len(self.noise)


class Instance(ABC):
    """One bandit problem: fixed reward functions, and contexts to serve.

    >>> instance = Synthetic(LowRank(), n_arms=2, dim=3).draw(np.random.default_rng(0))
    >>> instance.rounds(5, np.random.default_rng(1)).contexts.shape
    (5, 2, 3)

    See also `Environment`, `Rounds`, `Synthetic`.
    """

    __slots__ = ()

    @abstractmethod
    def problem(self, horizon: int | None = None) -> Problem:
        """Return what a learner may know."""

    @abstractmethod
    def rounds(self, horizon: int, rng: np.random.Generator) -> Rounds:
        """Draw T rounds."""


class Environment(Spec, ABC):
    """A family of bandit problems.

    >>> environment = Synthetic(LowRank(), n_arms=2, dim=3)
    >>> norms = [environment.draw(rng=seed).problem().reward_norms for seed in (0, 0, 1)]  # one problem per seed
    >>> bool((norms[0] == norms[1]).all()), bool((norms[0] == norms[2]).any())
    (True, False)

    See also `Instance`, `Rounds`.
    """

    __slots__ = ()

    @abstractmethod
    def draw(self, rng: np.random.Generator | int) -> Instance:
        """Draw a problem; all randomness comes from `rng`, a generator or a seed."""

    def notes(self, horizon: int) -> tuple[str, ...]:
        """Return what a reader of the results should know, one line each; raise if T rounds cannot be played.

        Nothing by default. An environment made from a file reads it here, before anything is computed or written.
        """
        return ()

    def arm_names(self) -> tuple[str, ...]:
        """Return the names of the arms, for reports; empty, as by default, if they only have numbers."""
        return ()


def require_rounds(horizon: int, n_arms: int, dim: int) -> None:
    """Raise `TooLarge` if the contexts, means and noise of T rounds do not fit into memory."""
    what = f"horizon = {horizon:,} with {n_arms:,} arms and {dim:,} features"
    require_memory(8 * horizon * n_arms * (dim + 2), what, "lower the horizon or the number of arms or features")


def means_by_arm(functions: Sequence[KernelExpansion], contexts: Array) -> Array:
    """Return f⁽ⁱ⁾(x⁽ⁱ⁾) for contexts of shape (K, d) or (T, K, d); shape (K,) or (T, K)."""
    rounds = contexts.reshape(-1, *contexts.shape[-2:])
    means = np.empty(rounds.shape[:2])
    for arm, function in enumerate(functions):
        means[:, arm] = function(rounds[:, arm])
    return means.reshape(contexts.shape[:-1])
