"""A belief that needs no settings: levels, amplitude, noise, kernel and units come from the rewards seen so far."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from math import inf, log, sqrt
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.arm_models import ArmModel, ExactArms
from kernelbandits.beliefs.base import Belief, LearningTracker, Prefetched
from kernelbandits.beliefs.estimation import clipped, clipped_first, next_estimate
from kernelbandits.beliefs.evidence import PRIOR_REWARDS
from kernelbandits.beliefs.followed_levels import FollowedLevels
from kernelbandits.beliefs.model_estimation import BeliefBudget, Estimation, RewardSearch
from kernelbandits.beliefs.sketched_arms import SketchedArms
from kernelbandits.problem import Problem
from kernelbandits.specs import Count, Positive
from kernelbandits.types import Array, IntArray

_OFFSET = 1.0  # variance of levels that the model accounts for, in units of the variance within arms
_SURPRISE = 9.0  # a squared standardised innovation counts as at most this much in the amplitude
_LOUDER = 2.0  # components are estimated again if rewards are likelier with their variance times this,
_UNEXPLAINED = 6.0  # by this many nats: by chance that happens at most once in e⁶ rewards,
_SOONEST = 1.1  # and if the number of rewards has grown at least by this factor
_STRIDE = 3.0  # the prior variance of reward functions moves by at most this factor per reward
_PAIR = 2  # arms that may be opposite
_WORK = 6e6  # done per reward for the next estimate, in cubes of sizes of matrices: about 5 ms


@final
@dataclass(frozen=True, slots=True)
class EmpiricalBayes(Belief):
    """f⁽ⁱ⁾ ~ level⁽ⁱ⁾ + GP(0, s² (K + o)), noise of variance s²·r; levels, s, o, r and K are estimated for all arms.

    o is the variance of an arm's own mean. Arms whose means vary by much more than rewards within arms have levels of
    their own (`arm_levels`), so that an arm that pays very differently changes no other. An arm without rewards has the
    mean of all levels. With fewer than two rewards, the deviation of levels between arms adds to its own.

    K is h(m t/t̄), or its covariance given that the function is 0 at the mean context (`AnchoredKernel`), divided by 1
    − h(m), from m = 4 to m = 1/256, where functions are linear. h(s) is e⁻ˢ, or 1/(1 + s) where rewards take few
    values, such as 0 and 1: these tell regions apart, and functions change quickly between them only. t is ‖x − z‖²/d,
    with contexts as they are, with every feature in units of its deviation, or, where rewards take few values, with
    every feature by where its values stand in their order (`FeatureRamps`); t̄ is its median over pairs of contexts of
    one arm. So neither the unit nor a shift of contexts matters, nor does it matter much if each feature has a unit of
    its own, or a long tail. K maximises the marginal likelihood, and o and r are geometric means under it (`evidence`),
    whenever the number of rewards has grown by half, and whenever rewards have become much less likely than expected.
    At most 128 rewards per arm are used for it. The amplitude follows every reward, and no single reward moves it far.

    Two arms whose rewards take two values are opposite (where one pays, the other does not) if one function for both
    predicts left-out rewards as well as two do. Then every reward tells about both arms (`RewardSearch`).

    It stays light however many rewards come. Beyond 512 rewards of an arm (fewer if there are very many arms; never if
    a horizon of at most 2,048 rounds is known) posteriors go over to features that all arms share (`SketchedArms`), and
    beyond some ten thousand rewards only sums over them are kept (`BeliefBudget`). An estimate that takes long is made
    in steps of about 5 ms, one with each reward.

    - `window`: only the newest `window` rewards of all arms together count, for rewards that drift. An arm that was not
      played for long is forgotten, so it is tried again. Old rewards are dropped an eighth of the window at a time.
    - `clip`: a reward more than `clip` predicted standard deviations from its prediction is moved to that distance, for
      rewards of which some are wrong. The first rewards are clipped by their median absolute deviation. Rewards that
      are rare by nature (one click in a thousand) are surprises too: do not clip them.

    Rewards may come in any order: without window and clip, estimates at milestones depend on the rewards seen by then
    and not on their order. Amplitudes follow within a few rewards, as they move by at most a factor of three with each.
    With `clip`, a surprise is judged by what was known when it came.

    Cost: O(n² + n d) per reward with n ≤ 512 rewards of its arm, then O(r² + r d) with r features, 256 or 1.5 d; K
    times that per round.

    References: the innovations form of the marginal likelihood, Rasmussen & Williams 2006, ch. 5; clipping, Huber 1964
    and, in the innovations of a filter, Masreliez & Martin 1977.

    Attributes:
        window: how many rewards count, the newest of all arms together, not of each; None for all.
        clip: in predicted standard deviations; a reward farther from its prediction is moved to there; None for never.

    >>> tracker = EmpiricalBayes(window=500, clip=3.0).start(Problem(n_arms=2, dim=1))
    >>> for reward in [1.0, 1.2] * 10:
    ...     tracker.observe(np.ones(1), 0, reward)
    ...     tracker.observe(np.ones(1), 1, reward + 1.0)
    >>> tracker.observe(np.ones(1), 0, 1000.0)  # a wrong reward, which moves the mean little
    >>> tracker.mean_and_std(np.ones((2, 1)))[0].round(1)
    array([1.1, 2.1])

    See also `Belief`, `IndependentArms`, `LinearArms`.
    """

    window: Count | None = None
    clip: Positive | None = None

    def start(self, problem: Problem, rng: np.random.Generator | int = 0) -> CalibratedTracker:
        return CalibratedTracker(problem, self.window, self.clip)


@final
class CalibratedTracker(LearningTracker):
    """The tracker of `EmpiricalBayes`.

    Between estimates the squared amplitude is the mean of squared standardised innovations and the prior; none counts
    as more than nine. If the latest rewards, as many as say so most clearly, are e⁶ times likelier with twice their
    variance, the components are estimated again (the cumulative sums of Page 1954). Estimates at milestones fall due as
    if there had been none in between, so what is known there depends on the rewards alone.

    An estimate that takes long is made in steps, some with each reward, while the last one answers. The first is made
    at once. The prior variance of reward functions moves by at most a factor of three per reward.
    """

    _model: ArmModel | None
    _window: int | None
    _clip: float | None
    _budget: BeliefBudget
    _data: ArmData
    _keeps: bool
    _counts: IntArray
    _seen: int
    _last_estimate: int
    _next_estimate: int
    _levels: FollowedLevels
    _block: Prefetched | None
    _estimation: Estimation | None
    _opposite: bool = False  # which earlier files lack
    _square: float
    _sum: float
    _unexplained: float

    def __init__(self, problem: Problem, window: int | None, clip: float | None) -> None:
        self._window, self._clip = window, clip
        self._budget = BeliefBudget.of(problem)
        self._data = ArmData(problem.n_arms, problem.dim)
        self._keeps = True
        self._counts = np.zeros(problem.n_arms, dtype=np.int64)
        self._seen = self._last_estimate = 0
        self._next_estimate = max(2, problem.n_arms)
        self._levels = FollowedLevels(problem.n_arms, _OFFSET)
        self._block = None
        self._model = None
        self._estimation = None
        self._square = self._sum = self._unexplained = 0.0

    def _validate(self) -> None:
        n_arms, model, estimation = len(self._counts), self._model, self._estimation
        sizes = {n_arms, len(self._data.counts), len(self._levels.levels)}
        sizes |= {n_arms if model is None else len(model.counts)}
        sizes |= {n_arms if estimation is None else len(estimation.levels.levels)}
        checks.refuse_misshapen(self, _counts=(n_arms,))
        pair = n_arms >= _PAIR or not (self._opposite or (estimation is not None and estimation.opposite))
        checks.refuse_inconsistent(self, sizes == {n_arms}, self._counts.min() >= 0, 0 <= self._square < inf, pair)

    def _size(self) -> tuple[int, int]:
        return len(self._counts), self._data.dim

    @property
    def counts(self) -> IntArray:
        return self._counts

    def mean_and_std(self, contexts: Array) -> tuple[Array, Array]:
        if self._model is None:  # too few rewards to estimate anything: all arms are alike
            return np.zeros(len(contexts)), np.ones(len(contexts))
        return self._scaled(*self._model.mean_and_std(contexts))

    def means_and_stds(self, contexts: Array) -> tuple[Array, Array]:
        if self._model is None:
            return np.zeros(contexts.shape[:2]), np.ones(contexts.shape[:2])
        return self._scaled(*self._model.means_and_stds(contexts))

    def _scaled(self, mean: Array, std: Array) -> tuple[Array, Array]:
        """In units of the rewards what the model says in its own, shape (…, K)."""
        std *= sqrt(self._square)
        if self._opposite and self._model is not None:
            np.sqrt(std * std + self._own_variances(self._model), out=std)
        return self._levels.around(mean, std)

    def _own_variances(self, model: ArmModel) -> Array:
        """Variances of the levels of opposite arms, shape (K,), if nothing but their own rewards told them.

        That arms are opposite is not certain. So an arm that is hardly played is not known as well as the other.
        """
        ridge, shared = model.components.ridge, model.components.shared
        variances: Array = self._square * ridge / (self._counts.astype(np.float64) + ridge / shared)
        return variances

    def learnable(self) -> tuple[Array, float]:
        if self._model is None:
            return np.ones(len(self._counts)), 1.0
        variances: Array = self._square * self._model.level_variances()
        reach = self._model.components.reach
        if self._opposite:
            variances += self._own_variances(self._model)
        return variances if self._levels.doubt is None else variances + self._levels.doubt, reach

    def observe(self, context: Array, arm: int, reward: float) -> None:
        variance = 0.0 if self._model is None else self._square * self._model.components.variance  # of reward functions
        if self._model is not None and self._clip is not None:
            reward = clipped(reward, *self._prediction(self._model, context, arm, self._clip))
        self._seen += 1
        self._counts[arm] += 1
        if self._keeps:
            self._data.add(context, arm, reward)
        if self._model is not None:
            self._follow(self._model, context, arm, reward)
        if self._is_due(arm):
            self._estimation = self._begin()
        elif self._estimation is not None:
            self._estimation.arrived.append((context.copy(), arm, reward))
        if self._estimation is not None:
            model = self._estimation.advance(inf if self._model is None else _WORK)
            if model is not None:
                self._replace(model, self._estimation)
        if variance and self._model is not None:
            unit = self._model.components.variance
            self._square = min(max(self._square, variance / (_STRIDE * unit)), _STRIDE * variance / unit)

    def _is_due(self, arm: int) -> bool:
        """Whether to begin an estimate now, after a reward of this arm.

        At a milestone one is begun even if another is still being made.
        """
        model = self._model
        if self._seen >= self._next_estimate:
            self._next_estimate = next_estimate(self._seen, self._window)
            return True
        if model is None or self._estimation is not None:
            return False
        if self._unexplained > _UNEXPLAINED and self._seen > _SOONEST * self._last_estimate:
            return True
        return isinstance(model, ExactArms) and model.counts.item(arm) > self._budget.n_exact

    def _follow(self, model: ArmModel, context: Array, arm: int, reward: float) -> None:
        if self._keeps and self._levels.is_unsure(arm):
            self._levels.observe(arm, self._data, np.arange(len(self._counts)))
        reward -= self._levels.levels.item(arm)
        innovation = model.observe(context, arm, reward)
        if self._opposite and arm < _PAIR:
            model.observe(context, 1 - arm, -reward)
        surprise = innovation / self._square if self._square else inf if innovation else 1.0
        self._unexplained = max(0.0, self._unexplained + 0.5 * ((1.0 - 1.0 / _LOUDER) * surprise - log(_LOUDER)))
        self._sum += min(innovation, _SURPRISE * self._square)
        self._square = self._amplitude(model)

    def _amplitude(self, model: ArmModel) -> float:
        """s²: its mean given the prior and the squared innovations so far."""
        n = int(model.counts.sum()) / (_PAIR if self._opposite else 1)
        return (PRIOR_REWARDS * model.components.prior + self._sum) / (PRIOR_REWARDS + n)

    def _prediction(self, model: ArmModel, context: Array, arm: int, clip: float) -> tuple[float, float]:
        """Mean of a reward of this arm, and `clip` standard deviations of it, noise included."""
        mean, variance = model.outlook(context, arm)
        variance = self._square * (variance + model.components.ridge)
        if self._levels.doubt is not None:
            variance += self._levels.doubt.item(arm)
        return mean + self._levels.levels.item(arm), clip * sqrt(variance)

    def _begin(self) -> Estimation:
        self._unexplained, self._last_estimate = 0.0, self._seen
        data, model, levels, clip = self._data, self._model, copy(self._levels), self._clip
        too_many = not self._keeps or len(data) > self._budget.n_kept
        if isinstance(model, SketchedArms) and self._window is None and too_many:
            self._data, self._keeps = ArmData(len(self._counts), data.dim), False
            return Estimation(model.revision(), levels, self._opposite)
        if model is None and clip is not None:
            data.change(lambda rewards: clipped_first(rewards, clip))
        if self._window is not None:
            data.keep(self._window)
            self._counts = data.counts.copy()
        return Estimation(RewardSearch(data, levels, self._budget), levels)

    def _replace(self, model: ArmModel, estimation: Estimation) -> None:
        """Go over to a new model, which learns first what came while it was made."""
        self._model, self._levels, self._estimation = model, estimation.levels, None
        self._opposite = estimation.opposite
        self._sum = model.sum_of_squares() / (_PAIR if self._opposite else 1)  # opposite arms have each reward twice
        self._square = self._amplitude(model)
        for context, arm, reward in estimation.arrived:
            self._follow(model, context, arm, reward)
        model.prefetch(self._block)

    def prefetch(self, block: Prefetched | None) -> None:
        self._block = block
        if self._model is not None:
            self._model.prefetch(block)

    def add_arm(self, problem: Problem) -> None:
        if self._estimation is not None:  # it was for the old number of arms
            self._next_estimate = self._seen + 1
        self._block = self._estimation = None
        self._counts = np.append(self._counts, 0)
        self._data.add_arm()
        if self._model is None:
            self._next_estimate = max(2, problem.n_arms)
            self._levels = FollowedLevels(problem.n_arms, _OFFSET)
        else:
            self._model.add_arm(problem)
            self._levels.add_arm(self._counts, np.arange(problem.n_arms))
