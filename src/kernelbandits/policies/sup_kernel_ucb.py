"""SupKernelUCB: optimism by levels of accuracy, each with its own rewards (Valko et al. 2013)."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, log2, sqrt
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs import AsGiven, Belief, CommonFunction, JointArms, Prefetched, Tracker
from kernelbandits.errors import MissingKnowledge
from kernelbandits.kernels import Gaussian
from kernelbandits.policies.agent import Policy
from kernelbandits.policies.learner import Choice, Learner, Scores
from kernelbandits.policies.selection import TIE, best_arm, best_shares, mask_scores
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess
from kernelbandits.specs import Positive
from kernelbandits.types import Array, BoolArray

_FIRST, _NONE = 0, -1


@final
@dataclass(frozen=True, slots=True)
class SupKernelUCB(Policy):
    """Eliminates arms by levels s = 1, 2, … of accuracy 2⁻ˢ; a level learns only from rewards that it asked for.

    With confidence widths w = `width` · std, from s = 1 on, for the arms still in:

    1. all w ≤ range/√T: the arm with the largest mean + w is played, and its reward is not learned;
    2. all w ≤ range · 2⁻ˢ: arms with mean + w below the largest by more than range · 2¹⁻ˢ are eliminated, s grows by 1;
    3. otherwise the arm with the largest w is played, and its reward is learned by level s.

    So the rewards of a level are independent given the contexts. The proof of regret O(√(T d̃)) needs that, with the
    effective dimension d̃; plain optimism has O(d̃ √T). The price is that little is learned from each reward: it is a
    baseline with a guarantee rather than a policy to use.

    `belief` is that of every level: one common function as in the paper, or `IndependentArms`. Its deviations are
    compared with `reward_range`, so it should state a prior for rewards `AsGiven`. `reward_range` is the length of an
    interval that contains the mean rewards. In theory `width` is ‖f‖ + σ √(2 ln(2TK/δ)/ridge). Needs `problem.horizon`.

    The scores of a decision are mean + w in step 1 and w in step 3, −∞ for eliminated arms. The level of a reward is
    found by arm and context; a reward that no decision asked for goes to the first level.

    Cost per round: with S = ⌈½ log₂ T⌉ + 1 levels at most S predictions and one reward; levels have disjoint data, so
    all S together cost no more than one belief with all data.

    Attributes:
        belief: what every level believes of the arms; by default one common function, in units of the rewards.
        width: w is this many standard deviations of the belief.
        reward_range: largest minus smallest mean reward, or a bound of it; widths are compared with it.

    >>> belief = JointArms(GaussianProcess(Gaussian(gamma=4.0), ridge=0.1), rewards=AsGiven())
    >>> agent = SupKernelUCB(belief, width=0.6).start(Problem(n_arms=3, dim=50, horizon=1000), rng=0)
    >>> agent.choose(np.zeros(50)).scores  # all widths, above ½: the widest arm is played to learn
    array([0.6, 0.6, 0.6])

    See also `default_policy`, `LinearThompsonSampling`, `ExplorationFloor`, `Uniform`.
    """

    belief: Belief = JointArms(GaussianProcess(Gaussian(), ridge=1.0), CommonFunction(), AsGiven())
    width: Positive = 1.0
    reward_range: Positive = 1.0

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        if problem.horizon is None:
            raise MissingKnowledge(
                "SupKernelUCB needs problem.horizon; state it in Problem(…), or use CalibratedUCB which needs none"
            )
        return _SupKernelUCBLearner(self, problem, problem.horizon, rng)


@final
class _SupKernelUCBLearner(Learner):
    __slots__ = ("_asked", "_enough", "_last", "_levels", "_policy", "_rng")
    _policy: SupKernelUCB
    _rng: np.random.Generator
    _enough: float
    _levels: list[Tracker]
    _asked: dict[tuple[int, bytes], _Asked]
    _last: _Asked | None

    def __init__(self, policy: SupKernelUCB, problem: Problem, horizon: int, rng: np.random.Generator) -> None:
        self._policy = policy
        self._rng = rng
        self._enough = policy.reward_range / sqrt(horizon)
        # At the last of these levels the accuracy 2⁻ˢ is at most 1/√T, so that step 1 or 3 applies.
        self._levels = [policy.belief.start(problem, own) for own in rng.spawn(ceil(0.5 * log2(horizon)) + 1)]
        self._asked = {}
        self._last = None

    def _validate(self) -> None:
        """Refuse, in what was loaded from a file, rewards for levels that are not there."""
        levels = {level for asked in self._asked.values() for level in asked.levels}
        counts = [0 <= asked.n_observed <= len(asked.levels) for asked in self._asked.values()]
        checks.refuse_inconsistent(self, bool(self._levels), levels <= {*range(_NONE, len(self._levels))}, *counts)

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        level, scores, _, _ = self._stage(contexts, eligible)
        arm, propensity = best_arm(scores, self._rng)
        return self._noted(contexts, level, Choice(arm, propensity, scores, explored=level != _NONE))

    def _stage(self, contexts: Array, eligible: BoolArray | None) -> tuple[int, Array, Array, Array]:
        """The level that learns the reward, by what arms are compared, and the means and deviations of that level."""
        inside = np.ones(len(contexts), dtype=np.bool_) if eligible is None else eligible.copy()
        accuracy = self._policy.reward_range
        for level, tracker in enumerate(self._levels):
            accuracy /= 2.0
            mean, std = tracker.mean_and_std(contexts)
            widths = self._policy.width * std
            bounds = mask_scores(mean + widths, inside)
            widest = float(widths[inside].max())
            if widest <= self._enough * (1.0 + TIE):
                return _NONE, bounds, mean, std
            if widest > accuracy * (1.0 + TIE):
                return level, mask_scores(widths, inside), mean, std
            inside &= bounds >= bounds.max() - 2.0 * accuracy
        raise AssertionError("the last level is accurate enough for step 1 or asks for a reward")

    def score(self, contexts: Array, eligible: BoolArray | None) -> Scores:
        masks = [None] * len(contexts) if eligible is None else eligible
        stages = [self._stage(shown, mask) for shown, mask in zip(contexts, masks, strict=True)]
        _, scores, means, stds = zip(*stages, strict=True)
        return Scores(np.array(means), np.array(stds), best_shares(np.array(scores)))

    def _noted(self, contexts: Array, level: int, choice: Choice) -> Choice:
        """Remember which level the reward of this choice is for."""
        self._last = self._asked.setdefault((choice.arm, contexts[choice.arm].tobytes()), _Asked())
        self._last.levels.append(level)
        return choice

    def observe(self, context: Array, arm: int, reward: float) -> None:
        asked = self._asked.get((arm, context.tobytes()))
        level = _FIRST if asked is None else asked.next()
        if level != _NONE:
            self._levels[level].observe(context, arm, reward)

    def withdraw(self) -> None:
        if self._last is not None:
            self._last.levels.pop()

    def add_arm(self, problem: Problem) -> None:
        for tracker in self._levels:  # all of one belief: the first raises or none does
            tracker.add_arm(problem)

    def prefetch(self, block: Prefetched | None) -> None:
        for tracker in self._levels:
            tracker.prefetch(block)


@final
@dataclass(slots=True, eq=False)
class _Asked:
    """The levels of the decisions for one arm and context, in order, and the number of rewards observed for it."""

    levels: list[int] = field(default_factory=list)
    n_observed: int = 0

    def next(self) -> int:
        """The level of the next reward; a repeated reward goes to the level of the last decision."""
        if not self.levels:  # the only decision was withdrawn
            return _FIRST
        decision = min(self.n_observed, len(self.levels) - 1)
        self.n_observed = decision + 1
        return self.levels[decision]
