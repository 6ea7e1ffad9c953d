"""GP-UCB with one posterior an arm: the paper's CGP-UCB (after Krause & Ong 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.estimators.gaussian_process import GaussianProcess
from kernelbandits.estimators.lookahead import Lookahead
from kernelbandits.estimators.stack import PosteriorStack
from kernelbandits.policies.base import Choice, Learner, Policy
from kernelbandits.policies.choosing import best_arm, mask_scores
from kernelbandits.policies.widths import TheoreticalWidth, Width
from kernelbandits.problem import Problem
from kernelbandits.types import Array, BoolArray


@final
@dataclass(frozen=True, slots=True)
class GPUCB(Policy):
    """Plays the arm with the largest mean + β · std of its Gaussian-process posterior.

    Cost per round with n observations an arm: O(n² + n d) for the posterior of the played arm, O(K (n² + n d)) for the
    scores; with prefetched contexts the scores cost O(B (n + d)) for the block's B rounds.

    >>> policy = GPUCB(GaussianProcess(Gaussian(gamma=4.0), ridge=1.0), ConstantWidth(2.0))
    """

    model: GaussianProcess
    width: Width = TheoreticalWidth()

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        return _GPUCBLearner(self.model, self.width, problem, rng)


@final
class _GPUCBLearner(Learner):
    def __init__(self, model: GaussianProcess, width: Width, problem: Problem, rng: np.random.Generator) -> None:
        self._width = width
        self._problem = problem
        self._rng = rng
        self._stack = PosteriorStack([model.without_data(problem.dim)] * problem.n_arms)
        self._beta = np.array([width.of(arm, p, problem) for arm, p in enumerate(self._stack.posteriors)])
        self._ahead: Lookahead | None = None
        self._next_row = 0

    def decide(self, contexts: Array, eligible: BoolArray | None, row: int | None) -> Choice:
        if row is None or self._ahead is None:
            mean, std = self._stack.mean_and_std(contexts)
        else:
            self._next_row = row + 1
            mean, std = self._ahead.mean[:, row], np.sqrt(np.maximum(self._ahead.variance[:, row], 0.0))
        scores = mask_scores(mean + self._beta * std, eligible)
        arm, propensity = best_arm(scores, self._rng)
        greedy = int(mask_scores(mean, eligible).argmax())
        return Choice(arm, propensity, scores, explored=bool(mean[arm] < mean[greedy]))

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        posterior, ahead = self._stack.posteriors[arm], self._ahead
        if row is None or ahead is None:
            posterior = posterior.absorb(context, reward, self._stack.outlook(arm, context))
        else:
            posterior = ahead.absorb(posterior, arm, row, reward)
        self._stack.replace(arm, posterior)
        self._beta[arm] = self._width.of(arm, posterior, self._problem)
        if ahead is not None:
            # The round just decided is kept current too: its reward may come after other rewards, or twice.
            ahead.update(posterior, arm, row, start=max(self._next_row - 1, 0))

    def look_ahead(self, contexts: Array | None) -> None:
        self._ahead = None if contexts is None else Lookahead(self._stack.posteriors, contexts)
        self._next_row = 0
