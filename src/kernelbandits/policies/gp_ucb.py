"""GP-UCB with one posterior per arm: the paper's CGP-UCB (after Krause & Ong 2011)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from math import inf, log, sqrt
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs import AffineTracker, ArmsTracker, Prefetched, RewardUnits, Standardized
from kernelbandits.errors import MissingKnowledge
from kernelbandits.policies.agent import Policy
from kernelbandits.policies.believing_learner import BelievingLearner
from kernelbandits.policies.learner import Learner
from kernelbandits.policies.rules import Optimism
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess, Posterior
from kernelbandits.specs import NonNegative, Positive, Probability, Spec
from kernelbandits.types import Array, IntArray


class Width(Spec, ABC):
    """How many standard deviations are added to an arm's mean.

    >>> posterior = GaussianProcess(Gaussian(), ridge=0.25).without_data(dim=1)
    >>> problem = Problem(n_arms=2, dim=1, noise_std=0.5, reward_norms=[1.0, 2.0])
    >>> widths = (ConstantWidth(2.0), TheoreticalWidth(), SubGaussianWidth())
    >>> [round(width.of(0, posterior, problem), 2) for width in widths]
    [2.0, 2.22, 3.45]

    See also `GPUCB`, `TheoreticalWidth`, `SubGaussianWidth`.
    """

    __slots__ = ()

    @abstractmethod
    def of(self, arm: int, posterior: Posterior, problem: Problem) -> float:
        """β for this arm now."""


def _confidence(
    width: Width, arm: int, posterior: Posterior, problem: Problem, delta: float
) -> tuple[float, float, float]:
    """‖f⁽ⁱ⁾‖, σ/λ and √(2 ln det(I + λ⁻²K) + 2 ln(K/δ))."""
    if problem.reward_norms is None or problem.noise_std is None:
        missing = [name for name in ("noise_std", "reward_norms") if getattr(problem, name) is None]
        raise MissingKnowledge(
            f"{type(width).__name__} needs problem.{' and problem.'.join(missing)}; "
            "state it in Problem(…), or use ConstantWidth(…) which needs neither"
        )
    radius = sqrt(4.0 * posterior.information_gain + 2.0 * log(problem.n_arms / delta))
    return float(problem.reward_norms[arm]), problem.noise_std / sqrt(posterior.ridge), radius


@final
@dataclass(frozen=True, slots=True)
class TheoreticalWidth(Width):
    """β = scale · (‖f⁽ⁱ⁾‖ + σ² λ⁻¹ √(2 ln det(I + λ⁻²K) + 2 ln(K/δ))), as the paper prints it for CGP-UCB.

    `scale` = 0.1 is the paper's "Scaled". λ² is the posterior's ridge.

    Attributes:
        delta: δ, the probability with which the bound of some arm may fail, between 0 and 1.
        scale: factor of β; 1 is the theory, smaller ones explore less.

    β grows with the rewards of the arm, here from none to three:

    >>> model, problem = GaussianProcess(Gaussian()), Problem(n_arms=2, dim=1, noise_std=1.0, reward_norms=[1.0, 2.0])
    >>> posteriors = (model.without_data(dim=1), model.fit([[0.0], [1.0], [2.0]], np.ones(3)))
    >>> [round(TheoreticalWidth(scale=0.1).of(0, posterior, problem), 2) for posterior in posteriors]
    [0.34, 0.42]

    See also `GPUCB`, `Width`, `SubGaussianWidth`, `ConstantWidth`.
    """

    delta: Probability = 0.1
    scale: Positive = 1.0

    def of(self, arm: int, posterior: Posterior, problem: Problem) -> float:
        norm, noise, radius = _confidence(self, arm, posterior, problem, self.delta)
        return self.scale * (norm + noise**2 * sqrt(posterior.ridge) * radius)  # (σ/λ)² λ = σ²/λ


@final
@dataclass(frozen=True, slots=True)
class SubGaussianWidth(Width):
    """`TheoreticalWidth` with σ λ⁻¹ in place of σ² λ⁻¹: as in Abbasi-Yadkori (2013), Chowdhury & Gopalan (2017).

    Attributes:
        delta: δ, the probability with which the bound of some arm may fail, between 0 and 1.
        scale: factor of β; 1 is the theory, smaller ones explore less.

    This β is proportional to the unit in which noise and norms are stated; that of `TheoreticalWidth` is not:

    >>> posterior = GaussianProcess(Gaussian(), ridge=1.0).without_data(dim=1)
    >>> problems = [Problem(n_arms=2, dim=1, noise_std=unit, reward_norms=[unit, unit]) for unit in (1.0, 10.0)]
    >>> for width in (SubGaussianWidth(), TheoreticalWidth()):
    ...     [round(width.of(0, posterior, problem), 1) for problem in problems]
    [3.4, 34.5]
    [3.4, 254.8]

    See also `GPUCB`, `TheoreticalWidth`, `ConstantWidth`, `Width`.
    """

    delta: Probability = 0.1
    scale: Positive = 1.0

    def of(self, arm: int, posterior: Posterior, problem: Problem) -> float:
        norm, noise, radius = _confidence(self, arm, posterior, problem, self.delta)
        return self.scale * (norm + noise * radius)


@final
@dataclass(frozen=True, slots=True)
class ConstantWidth(Width):
    """β = value, whatever the problem.

    Attributes:
        value: β, the same for all arms in all rounds; 0 plays the largest mean.

    >>> policy = GPUCB(GaussianProcess(Gaussian()), ConstantWidth(1.5))  # needs neither norms nor noise level
    >>> policy.start(Problem(n_arms=2, dim=1), rng=0).choose([1.0]).scores
    array([1.5, 1.5])

    See also `GPUCB`, `SubGaussianWidth`, `TheoreticalWidth`.
    """

    value: NonNegative = 2.0

    def of(self, arm: int, posterior: Posterior, problem: Problem) -> float:
        return self.value


@final
@dataclass(frozen=True, slots=True)
class GPUCB(Policy):
    """Plays the arm with the largest mean + β · std of its Gaussian-process posterior.

    `model` is a prior for rewards less the level of their arm, in units of their spread, so that shift and scale of the
    rewards do not matter. Norms and noise that a width takes from the problem are stated in units of the rewards, and
    brought to those of the prior. With rewards=AsGiven() it is a prior for the rewards as they are, as in the paper.

    Cost per round with n observations per arm: O(n² + n d) for the posterior of the played arm, O(K (n² + n d)) for the
    scores; with prefetched contexts the scores cost O(B (n + d)) for the block's B rounds.

    Attributes:
        model: kernel and noise variance of the Gaussian process of an arm, in the units that `rewards` says.
        width: β. The default needs `problem.noise_std` and `problem.reward_norms`; `ConstantWidth` needs neither.
        rewards: in which units rewards are modelled: `Standardized()` or `AsGiven()`.

    >>> policy = GPUCB(GaussianProcess(Gaussian(gamma=4.0), ridge=1.0), ConstantWidth(2.0))
    >>> agent = policy.start(Problem(n_arms=2, dim=1), rng=0)
    >>> agent.observe_batch(np.ones((20, 1)), [0, 1] * 10, [0.0, 1.0] * 10)
    >>> agent.choose([1.0]).arm
    1

    See also `default_policy`, `GreedyInterpolation`, `LinearUCB`, `LinearThompsonSampling`.
    """

    model: GaussianProcess
    width: Width = TheoreticalWidth()
    rewards: RewardUnits = Standardized()

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        tracker = self.rewards.start(_BonusTracker(self, problem), problem.n_arms, scale=problem.noise_std or 1.0)
        return BelievingLearner(tracker, Optimism(), 0, problem, rng)


@final
class _BonusTracker(AffineTracker):
    """Means and bonuses β · std of independent arms. β of an arm changes only with its own rewards and with units."""

    __slots__ = ("_arms", "_beta", "_problem", "_scale", "_width")
    _width: Width
    _problem: Problem
    _scale: float
    _arms: ArmsTracker
    _beta: Array

    def __init__(self, policy: GPUCB, problem: Problem) -> None:
        self._width = policy.width
        self._problem = problem
        self._scale = 1.0
        self._arms = ArmsTracker.without_data(policy.model, problem)
        self._beta = self._betas(self._arms.posteriors, problem)

    def _validate(self) -> None:
        n_arms = len(self._arms.posteriors)
        checks.refuse_misshapen(self, _beta=(n_arms,))
        checks.refuse_inconsistent(self, self._problem.n_arms == n_arms, 0.0 < self._scale < inf)

    def _betas(self, posteriors: list[Posterior], problem: Problem) -> Array:
        return np.array([self._width.of(arm, posterior, problem) for arm, posterior in enumerate(posteriors)])

    def _size(self) -> tuple[int, int]:
        return self._problem.n_arms, self._problem.dim

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        mean, std = self._arms.mean_and_std(contexts)
        std *= self._beta
        return mean, std

    def observe(self, context: Array, arm: int, reward: float) -> None:
        self._arms.observe(context, arm, reward)
        self._beta[arm] = self._width.of(arm, self._arms.posteriors[arm], self._problem)

    @property
    def functions(self) -> IntArray:
        return self._arms.functions

    def restate(self, shifts: Array, factor: float) -> None:
        self._arms.restate(shifts, factor)
        self._scale *= factor
        self._problem = _in_units(self._problem, factor)
        self._beta = self._betas(self._arms.posteriors, self._problem)

    def add_arm(self, problem: Problem) -> None:
        stated = _in_units(problem, self._scale)
        try:
            self._beta = self._betas([*self._arms.posteriors, self._arms.prior], stated)
        except MissingKnowledge as error:
            raise MissingKnowledge(
                f"GPUCB cannot add an arm: {type(self._width).__name__} needs the RKHS norm of every arm; "
                "start a new agent with all norms, or use ConstantWidth(…)"
            ) from error
        self._problem = stated
        self._arms.add_arm(problem)

    def prefetch(self, block: Prefetched | None) -> None:
        self._arms.prefetch(block)


def _in_units(problem: Problem, unit: float) -> Problem:
    """The problem with noise and norms of its rewards in multiples of `unit`."""
    noise, norms = problem.noise_std, problem.reward_norms
    return replace(
        problem,
        noise_std=None if noise is None else noise / unit,
        reward_norms=None if norms is None else norms / unit,
    )
