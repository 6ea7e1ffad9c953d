"""Independent arms with known components, and how such a model is built in steps of bounded work."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple, cast, final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.base import Prefetched
from kernelbandits.beliefs.evidence import Components
from kernelbandits.beliefs.independent_arms import ArmsTracker
from kernelbandits.linalg import Appended
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess, Posterior
from kernelbandits.types import Array, IntArray


class ArmModel(ABC):
    """What is believed of arms whose rewards less levels are N(0, s² (K + r I)), in units of the amplitude s.

    Attributes:
        components: K, r and what goes with them.

    """

    components: Components
    __slots__ = ()

    @property
    @abstractmethod
    def counts(self) -> IntArray:
        """Number of rewards of every arm, shape (K,)."""

    @abstractmethod
    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        """For contexts of shape (K, d): two new arrays of shape (K,)."""

    @abstractmethod
    def means_and_stds(self, contexts: Array) -> tuple[Array, Array]:
        """`mean_and_std` for contexts of shape (B, K, d), in few calls per arm: two new arrays of shape (B, K)."""

    @abstractmethod
    def outlook(self, context: Array, arm: int) -> tuple[float, float]:
        """Mean and variance of an arm's reward function at a context."""

    @abstractmethod
    def observe(self, context: Array, arm: int, reward: float) -> float:
        """Take in a reward less the level of its arm; returns its squared standardised innovation."""

    @abstractmethod
    def sum_of_squares(self) -> float:
        """The squared standardised innovations of all rewards together: yᵀ(K + r I)⁻¹y, summed over arms."""

    @abstractmethod
    def level_variances(self) -> Array:
        """Variances of what all rewards of an arm tell about, shape (K,)."""

    @abstractmethod
    def prefetch(self, block: Prefetched | None) -> None:
        """Prepare for coming rounds; None forgets them."""

    @abstractmethod
    def add_arm(self, problem: Problem) -> None:
        """Add an arm without rewards, and forget prefetched rounds."""


class Construction(ABC):
    """A model that is built step by step."""

    __slots__ = ()

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether the model is complete."""

    @abstractmethod
    def step(self) -> float:
        """Go on with the work. Returns how much was done, in floating-point operations up to a factor."""

    @abstractmethod
    def model(self) -> ArmModel:
        """The model, with as many of each arm's rewards as the arm had when its turn came."""


@final
class ExactArms(ArmModel):
    """One exact posterior per arm. Of n rewards, each costs O(n²)."""

    __slots__ = ("_counts", "_ones", "_told", "_tracker", "components")
    _tracker: ArmsTracker
    _counts: IntArray
    _ones: list[Array]
    _told: Array

    def __init__(self, components: Components, tracker: ArmsTracker) -> None:
        self.components = components
        self._tracker = tracker
        self._counts = np.array([posterior.n for posterior in tracker.posteriors])
        self._ones = [p.factor.whiten(np.ones(p.n)) if p.n else np.zeros(0) for p in tracker.posteriors]  # L⁻¹1
        self._told = np.array([ones @ ones for ones in self._ones])  # 1ᵀ(K + r I)⁻¹1

    def _validate(self) -> None:
        sizes = [posterior.n for posterior in self._tracker.posteriors]
        checks.refuse_misshapen(self, _counts=(len(sizes),), _told=(len(sizes),))
        ones = [part.shape for part in self._ones] == [(n,) for n in sizes]
        checks.refuse_inconsistent(self, ones, self._counts.tolist() == sizes)

    @property
    def counts(self) -> IntArray:
        return self._counts

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        return self._tracker.mean_and_std(contexts)

    def means_and_stds(self, contexts: Array) -> tuple[Array, Array]:
        if not contexts.strides[1]:  # one row for all arms
            return self._tracker.shared_means_and_stds(contexts[:, 0])
        means, stds = np.empty(contexts.shape[:2]), np.empty(contexts.shape[:2])
        for arm, posterior in enumerate(self._tracker.posteriors):
            means[:, arm], stds[:, arm] = posterior._mean_and_std(contexts[:, arm])
        return means, stds

    def outlook(self, context: Array, arm: int) -> tuple[float, float]:
        outlook = self._tracker.outlook(context, arm)
        return outlook.mean, max(outlook.variance, 0.0)

    def observe(self, context: Array, arm: int, reward: float) -> float:
        self._tracker.observe(context, arm, reward)
        posterior = self._tracker.posteriors[arm]
        n, last = posterior.n, cast("Appended", posterior.last)  # a row was appended just now
        one = (1.0 - float(last.row[: n - 1] @ self._ones[arm])) / last.pivot
        self._ones[arm] = np.concatenate((self._ones[arm], (one,)))
        self._told[arm] += one * one
        self._counts[arm] = n
        return float(posterior.whitened_targets.item(n - 1) ** 2)

    def sum_of_squares(self) -> float:
        return float(sum(np.sum(p.whitened_targets[: p.n] ** 2) for p in self._tracker.posteriors))

    def level_variances(self) -> Array:
        ridge, shared = self.components.ridge, self.components.shared
        least = ridge / (self._counts + ridge / shared)  # of contexts that tell all of the level
        variances: Array = np.maximum(shared - shared**2 * self._told, least)
        return variances

    def prefetch(self, block: Prefetched | None) -> None:
        self._tracker.prefetch(block)

    def add_arm(self, problem: Problem) -> None:
        self._tracker.add_arm(problem)
        self._counts = np.append(self._counts, 0)
        self._ones.append(np.zeros(0))
        self._told = np.append(self._told, 0.0)


class KnownArm(NamedTuple):
    """All rewards of an arm as an estimate has seen them: contexts X, rewards y less the level, the matrix K(X, X)."""

    X: Array
    y: Array
    gram: Array


@final
class ExactConstruction(Construction):
    """`ExactArms`, one arm per step."""

    __slots__ = ("_arms", "_components", "_data", "_known", "_levels", "_model", "_posteriors")
    _known: dict[int, KnownArm]
    _components: Components
    _levels: Array
    _data: ArmData
    _model: GaussianProcess
    _posteriors: list[Posterior]
    _arms: list[int]

    def __init__(self, components: Components, levels: Array, data: ArmData, known: dict[int, KnownArm]) -> None:
        """`levels` of arms, shape (K,), are subtracted from their rewards. Of some arms, this and more is `known`."""
        self._known = known
        self._components, self._levels, self._data = components, levels, data
        self._model = GaussianProcess(components.kernel, components.ridge)
        self._posteriors = [self._model.without_data(data.dim)] * len(levels)
        self._arms = data.played

    def _validate(self) -> None:
        n_arms, dim = len(self._data.counts), self._data.dim
        checks.refuse_misshapen(self, _levels=(n_arms,))
        checks.refuse_inconsistent(self, len(self._posteriors) == n_arms, {*self._arms} <= {*range(n_arms)})
        for X, y, gram in self._known.values():
            checks.refuse_inconsistent(self, X.shape == (len(y), dim), gram.shape == (len(y), len(y)), y.ndim == 1)

    @property
    def done(self) -> bool:
        return not self._arms

    def step(self) -> float:
        arm = self._arms.pop()
        if arm in self._known:
            X, y, gram = self._known.pop(arm)
            self._posteriors[arm] = self._model._fit_gram(gram, X, y)
        else:
            X, y = self._data.of(arm)
            self._posteriors[arm] = self._model._fit(X, y - self._levels[arm])
        return float(len(y) ** 3)

    def model(self) -> ExactArms:
        return ExactArms(self._components, ArmsTracker(self._posteriors, self._model.without_data(self._data.dim)))
