"""The next model of the rewards, made step by step while the last one answers, within a budget."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt, sqrt
from typing import NamedTuple, cast, final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.arm_models import ArmModel, Construction, ExactConstruction, KnownArm
from kernelbandits.beliefs.component_search import ComponentSearch
from kernelbandits.beliefs.followed_levels import FollowedLevels
from kernelbandits.beliefs.levels import rounding
from kernelbandits.beliefs.sketched_arms import SketchConstruction
from kernelbandits.linalg import available_memory
from kernelbandits.problem import Problem
from kernelbandits.types import Array, IntArray

_BYTES = 256 * 2**20
_SHARE = 8  # at most an eighth of the memory at hand
_EXACT = 512  # rewards of one arm, beyond which a round would take too long
_SHORT = 2048  # rounds, which do not take long even if all of them are exact
_LEAST = 64
_FEATURES = 256
_KEPT = 30_000
_EVIDENCE = 128  # rewards of an arm that are used for an estimate, if arms are few
_EVIDENCE_ARMS = 8


class BeliefBudget(NamedTuple):
    """Limits of what a belief holds.

    Attributes:
        n_exact: rewards per arm in an exact posterior; beyond, a sketch takes its place.
        n_features: features of a sketch.
        n_kept: rewards of all arms that are kept to choose another kernel; beyond, only sums over them are kept.

    """

    n_exact: int
    n_features: int
    n_kept: int

    @classmethod
    def of(cls, problem: Problem) -> BeliefBudget:
        """A quarter for posteriors, a half for sketches (two matrices per arm), a quarter for rewards.

        If few rounds are to be played, all of them are exact.
        """
        size = min(_BYTES, available_memory() // _SHARE) // 8
        per_arm = isqrt(size // (4 * problem.n_arms))
        horizon = problem.horizon
        return cls(
            horizon if horizon is not None and horizon <= _SHORT else max(_LEAST, min(_EXACT, per_arm)),
            max(_LEAST, min(max(_FEATURES, 3 * problem.dim // 2), per_arm)),
            max(4 * _LEAST, min(_KEPT, size // (4 * problem.dim))),
        )

    def evidence(self, counts: IntArray) -> int:
        """How many rewards of every arm to use for an estimate, so that its work does not grow with their number."""
        most = _EVIDENCE
        while float((counts.clip(max=most).astype(float) ** 3).sum()) > _EVIDENCE_ARMS * _EVIDENCE**3:
            most = most * 9 // 10
        return most


_COARSE = 4  # rewards take few values if each of them is there this many times on average
_RESOLVED = 0.1  # the least standard deviation of noise that such rewards can show, in units of their smallest step


def least_noise(rewards: Sequence[Array]) -> float:
    """The least variance of noise that is believed: 0, unless the rewards of all arms take few values, such as 0 and 1.

    Where a policy does well, nearly all of its rewards are equal. If their contexts are nearly equal too, a normal
    likelihood grows without limit as the noise vanishes, and the first reward that disagrees is then a huge surprise.

    >>> least_noise([np.array([0.0, 1.0, 1.0, 1.0] * 2)]), least_noise([np.linspace(0.0, 1.0, 8)])
    (0.010000000000000002, 0.0)
    """
    values = np.sort(np.concatenate(rewards))
    steps = np.diff(values)
    steps = steps[steps > rounding(float(np.abs(values).max(initial=0.0)))]
    few = 0 < _COARSE * len(steps) <= len(values) - _COARSE
    return (_RESOLVED * float(steps.min())) ** 2 if few else 0.0


_SHOWN = 4  # rewards of an arm that can show whether it is opposite to another; √n of all n if that is more


def middle_of(rewards: Sequence[Array]) -> float | None:
    """The middle of the two values that the rewards of two arms take; None if the arms cannot be opposite.

    They can be if there are two arms, each with four rewards and √n of all n or more, and rewards take two values. So
    an arm that is hardly played any more, because it is taken for the opposite, is soon believed on its own again.

    >>> middle_of([np.array([0.0, 0.0, 0.0, 1.0]), np.ones(4)])
    0.5
    >>> middle_of([np.array([0.0, 0.0, 0.5, 1.0]), np.ones(4)]) is None
    True
    """
    together = np.concatenate(rewards)
    if len(rewards) != 2 or min(map(len, rewards)) < max(_SHOWN, sqrt(len(together))):
        return None
    low, high = float(together.min()), float(together.max())
    negligible = rounding(max(abs(low), abs(high)))
    between = (together > low + negligible) & (together < high - negligible)
    return None if high - low <= negligible or between.any() else low + 0.5 * (high - low)


def left_out_errors(search: ComponentSearch) -> Array:
    """Squared errors of predictions of each reward from the others, with the components that were found, shape (n,).

    An error is (A⁻¹y)ᵢ/(A⁻¹)ᵢᵢ with A = K + ridge · I (Rasmussen & Williams 2006, section 5.4.2).
    """
    components, grams = search.found()
    errors = []
    for (X, y), gram in zip(search.arms, grams or [components.kernel.gram(X) for X, _ in search.arms], strict=True):
        inverse = np.linalg.inv(gram + components.ridge * np.eye(len(X)))
        errors.append((inverse @ y / inverse.diagonal()) ** 2)
    return np.concatenate(errors)


@final
class RewardSearch:
    """The search for components and levels, and then the construction of the model.

    Two arms whose rewards take two values may be opposite, f⁽¹⁾ = −f⁽⁰⁾ around the middle of the values, as where one
    of two answers is right. Then every reward tells about both arms. They are taken to be opposite unless one function
    for all rewards, those of the second arm mirrored, predicts left-out rewards worse than two functions do. Both arms
    count alike in that, however seldom one was played: its few rewards are what could show that it pays as well. The
    likelihood would not tell: a policy that does well sees one value nearly always, which two constants explain best.

    Attributes:
        middle: where the rewards of opposite arms are mirrored; None if arms are not opposite. Known after the search.

    """

    _budget: BeliefBudget
    _data: ArmData
    _levels: Array
    _arms: list[tuple[Array, Array]]
    _search: ComponentSearch
    _pooled: ComponentSearch | None = None  # which earlier files lack, like the middle
    middle: float | None = None

    def __init__(self, data: ArmData, levels: FollowedLevels, budget: BeliefBudget) -> None:
        self._budget, self._data = budget, data.snapshot()
        self._levels = levels.estimate(self._data, np.arange(len(data.counts))).levels
        rewards, most = self._data.rewards, budget.evidence(data.counts)
        some = [(arm, *self._data.thinned(arm, most)) for arm in data.played]
        self._arms = [(X, y - self._levels[arm]) for arm, X, y in some]
        noise, middle = least_noise(rewards), middle_of(rewards)
        self._search = ComponentSearch(self._arms, self._variance(levels.between), noise)
        if middle is not None:
            (_, X, y), (_, Z, z) = some
            apart = np.concatenate([y - middle, middle - z])
            self._pooled = ComponentSearch([(np.concatenate([X, Z]), apart)], float(np.var(apart)), noise)

    def _validate(self) -> None:
        checks.refuse_misshapen(self, _levels=(len(self._data.counts),))
        checks.refuse_inconsistent(self, len(self._arms) == len(self._data.played))
        if self._pooled is not None:
            sizes = [len(y) for _, y in self._pooled.arms] == [sum(len(y) for _, y in self._arms)]
            checks.refuse_inconsistent(self, sizes, middle_of(self._data.rewards) is not None)

    @property
    def done(self) -> bool:
        return self._search.done and (self._pooled is None or self._pooled.done)

    def step(self) -> float:
        return self._search.step() if self._pooled is None or not self._search.done else self._pooled.step()

    def construction(self) -> Construction:
        """Of an exact model, or of a sketch if rewards are many."""
        (components, grams), levels, data, arms = self._search.found(), self._levels, self._data, self._arms
        if self._pooled is not None and self._is_better(self._pooled):
            self.middle = cast("float", middle_of(data.rewards))
            (components, grams), [(X, y)] = self._pooled.found(), self._pooled.arms
            arms, grams = [(X, y), (X, -y)], [*grams, *map(np.copy, grams)]  # each matrix is overwritten
            data, levels = data.with_opposites(self.middle), np.full(2, self.middle)
        if int(data.counts.max()) > self._budget.n_exact:
            return SketchConstruction(components, levels, data, self._budget.n_features)
        known = {
            arm: KnownArm(X, y, gram)
            for arm, (X, y), gram in zip(data.played, arms, grams, strict=False)  # there may be no matrices
            if len(y) == data.counts[arm]
        }
        return ExactConstruction(components, levels, data, known)

    def _is_better(self, pooled: ComponentSearch) -> bool:
        worse, first = left_out_errors(pooled) - left_out_errors(self._search), len(self._arms[0][1])
        return float(worse[:first].mean() + worse[first:].mean()) <= 0.0

    def _variance(self, between: float) -> float:
        """The variance of rewards less levels. Where it is nothing but rounding, the variance of the levels."""
        rewards = self._data.rewards
        variance = float(np.var(np.concatenate([y - level for y, level in zip(rewards, self._levels, strict=True)])))
        largest = max(float(np.abs(y).max(initial=0.0)) for y in rewards)
        return variance if variance > rounding(largest) ** 2 else between**2


@final
class Estimation:
    """The next model of the rewards, made step by step; rewards that come in the meantime are kept until it is done.

    Attributes:
        levels: those of the new model.
        opposite: whether the first two arms of the new model are opposite.
        arrived: contexts, arms and rewards that came in the meantime.

    """

    _stage: RewardSearch | Construction
    levels: FollowedLevels
    opposite: bool = False  # which earlier files lack
    arrived: list[tuple[Array, int, float]]

    def __init__(self, stage: RewardSearch | Construction, levels: FollowedLevels, opposite: bool = False) -> None:
        self._stage, self.levels, self.opposite, self.arrived = stage, levels, opposite, []

    def advance(self, work: float) -> ArmModel | None:
        """Do about this much work; the model if it is complete now."""
        while work > 0.0:
            stage = self._stage
            if not stage.done:
                work -= stage.step()
            elif isinstance(stage, RewardSearch):
                self._stage, middle = stage.construction(), stage.middle
                if middle is not None:
                    self.opposite = True
                    self.levels.fix(middle)
            else:
                return stage.model()
        return None
