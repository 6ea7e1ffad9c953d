"""Gaussian processes over very many rounds: one posterior an arm, on centres that follow the effective dimension."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import NamedTuple, final

import numpy as np

from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.base import Belief, Tracker
from kernelbandits.beliefs.sketch import Sketch
from kernelbandits.kernels import Kernel
from kernelbandits.linalg import pieces
from kernelbandits.problem import Problem
from kernelbandits.regression.gaussian_process import GaussianProcess
from kernelbandits.regression.normal_equations import Basis, rows_of_block
from kernelbandits.specs import Count, CountFromZero, Positive
from kernelbandits.types import Array

_FEW = 16
_GROWTH = 1.2


@final
@dataclass(frozen=True, slots=True)
class BudgetedArms(Belief):
    """f⁽ⁱ⁾ ~ GP(0, K) as in `IndependentArms`, on a sketch of at most `budget` centres an arm.

    Whenever an arm's rewards have grown by a fifth, its centres are drawn anew: a context is one with probability
    min(1, oversampling · var/ridge), its current ridge leverage score, so that their number follows the effective
    dimension Σ var/ridge; at most `budget` of them, those with the larger scores more likely. `seed` is for the draws.

    Cost with r ≤ budget centres: O(r² + r d) a reward and O(K (r² + r d)) a question, less with prefetched contexts;
    memory O(K r²) besides the contexts themselves.

    Reference: Calandriello, Carratino, Lazaric, Valko & Rosasco 2019 (BKB); here an arm has a sketch of its own.

    >>> belief = BudgetedArms(GaussianProcess(Gaussian(gamma=4.0), ridge=0.01), budget=200)
    """

    model: GaussianProcess
    budget: Count = 300
    oversampling: Positive = 4.0
    seed: CountFromZero = 0

    def start(self, problem: Problem) -> Tracker:
        return _BudgetedTracker(self, problem)


@final
class _BudgetedTracker(Tracker):
    def __init__(self, belief: BudgetedArms, problem: Problem) -> None:
        self._data = ArmData(problem.n_arms, problem.dim)
        self._arms = [_Arm(belief, arm) for arm in range(problem.n_arms)]
        self._belief = belief

    def mean_and_std(self, contexts: Array, row: int | None) -> tuple[Array, Array]:
        ahead = [arm.ahead for arm in self._arms if arm.ahead is not None]
        if row is not None and ahead:
            return np.array([arm.mean[row] for arm in ahead]), np.sqrt([arm.variance[row] for arm in ahead])
        answers = [arm.ask(contexts[i : i + 1])[:2] for i, arm in enumerate(self._arms)]
        mean, variance = np.concatenate(answers, axis=1)
        return mean, np.sqrt(variance)

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        self._data.add(context, arm, reward)
        self._arms[arm].learn(*self._data.arrived(arm), row)

    def look_ahead(self, contexts: Array | None) -> None:
        for i, arm in enumerate(self._arms):
            arm.ahead = None
            if contexts is not None:
                arm.look_ahead(contexts[:, i])

    def add_arm(self) -> None:
        self._data.add_arm()
        self._arms.append(_Arm(self._belief, len(self._arms)))
        self.look_ahead(None)


class _Ahead(NamedTuple):
    """Contexts ahead of one arm, their features if it has a sketch, and the answers."""

    contexts: Array
    features: Array | None
    mean: Array
    variance: Array


@final
class _Arm:
    """One arm's sketch, and its answers at the contexts ahead, which every reward moves by a rank-one step."""

    __slots__ = ("_belief", "_next", "_rng", "_sketch", "ahead")

    def __init__(self, belief: BudgetedArms, arm: int) -> None:
        self._belief = belief
        self._rng = np.random.default_rng((belief.seed, arm))
        self._sketch: Sketch | None = None
        self._next = 1
        self.ahead: _Ahead | None = None

    @property
    def _kernel(self) -> Kernel:
        return self._belief.model.kernel

    def ask(self, Z: Array) -> tuple[Array, Array, Array | None]:
        """Mean and variance at the rows of Z, shape (m,), and what the sketch sees of them."""
        prior = self._kernel.diagonal(Z)
        if self._sketch is None:
            return np.zeros(len(Z)), prior, None
        features = self._sketch.features(Z)
        return *self._sketch.mean_and_variance(features, prior), features

    def look_ahead(self, contexts: Array) -> None:
        """Answer for contexts of shape (B, d), and keep the answers current."""
        mean, variance, features = self.ask(contexts)
        self.ahead = _Ahead(contexts, features, mean, variance)

    def learn(self, X: Array, y: Array, row: int | None) -> None:
        """Take in the last of the rewards y at the rows of X, in place `row` of the block; the others are known."""
        if self._sketch is None or len(y) >= self._next:
            centers = X if self._sketch is None else self._drawn(self._sketch, X)
            self._sketch = Sketch(Basis.of(self._kernel, centers), self._belief.model.ridge, X, y)
            self._next = len(y) + 1 if len(y) < _FEW else ceil(_GROWTH * len(y))
            if self.ahead is not None:
                self.look_ahead(self.ahead.contexts)
            return
        known = None if self.ahead is None else self.ahead.features
        phi = self._sketch.features(X[-1:])[:, 0] if known is None or row is None else known[:, row]
        step = self._sketch.absorb(phi, float(y[-1]))
        if self.ahead is not None and known is not None:
            h = step.direction @ known
            self.ahead.mean[:] += h * step.gain
            np.maximum(self.ahead.variance - h * h * step.loss, 0.0, out=self.ahead.variance)

    def _drawn(self, sketch: Sketch, X: Array) -> Array:
        """Centres among the rows of X, by their ridge leverage scores."""
        if len(X) <= _FEW:
            return X
        scores = np.empty(len(X))
        for rows in pieces(len(X), rows_of_block(sketch.basis.size)):
            prior = self._kernel.diagonal(X[rows])
            _, scores[rows] = sketch.mean_and_variance(sketch.features(X[rows]), prior)
        chances = np.minimum(1.0, self._belief.oversampling / self._belief.model.ridge * scores)
        # Exponential clocks: the first `budget` to ring among those drawn are a draw in proportion to their chances.
        drawn = np.flatnonzero(self._rng.random(len(X)) < chances)
        if len(drawn) > self._belief.budget:
            clocks = self._rng.exponential(size=len(drawn)) / scores[drawn]
            drawn = drawn[np.sort(np.argpartition(clocks, self._belief.budget)[: self._belief.budget])]
        return X[drawn] if len(drawn) else X[-1:]
