"""GP-UCB with one posterior an arm: the paper's CGP-UCB (after Krause & Ong 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.estimators.gaussian_process import GaussianProcess
from kernelbandits.estimators.lookahead import Lookahead
from kernelbandits.estimators.stack import PosteriorStack
from kernelbandits.policies.base import Choice, Learner, Policy
from kernelbandits.policies.choosing import mask_scores, pick_best
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
        self._ahead: list[Lookahead] = []
        self._ahead_mean = self._ahead_variance = np.empty((0, problem.n_arms))
        self._next_row = 0

    def decide(self, contexts: Array, eligible: BoolArray | None, row: int | None) -> Choice:
        mean, std = self._predict(contexts, row)
        choice = pick_best(mean + self._beta * std, eligible, self._rng)
        mean = mask_scores(mean, eligible)
        return choice._replace(explored=bool(mean[choice.arm] < mean.max()))

    def _predict(self, contexts: Array, row: int | None) -> tuple[Array, Array]:
        """Posterior mean and standard deviation of every arm at its context, shapes (K,)."""
        if row is None:
            return self._stack.mean_and_std(contexts)
        self._next_row = row + 1
        return self._ahead_mean[row], np.sqrt(np.maximum(self._ahead_variance[row], 0.0))

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        posterior = self._stack.posteriors[arm]
        if row is None:
            posterior = posterior.absorb(context, reward)
        else:
            posterior = self._ahead[arm].absorb(posterior, row, reward)
        self._stack.replace(arm, posterior)
        self._beta[arm] = self._width.of(arm, posterior, self._problem)
        if self._ahead:
            # The context just decided is kept current too: its reward may come after other rewards, or twice.
            self._ahead[arm].update(posterior, max(self._next_row - 1, 0), row)

    def look_ahead(self, contexts: Array | None) -> None:
        self._ahead = []
        self._next_row = 0
        if contexts is None:
            return
        self._ahead_mean = np.empty(contexts.shape[:2])
        self._ahead_variance = np.empty(contexts.shape[:2])
        for arm, posterior in enumerate(self._stack.posteriors):
            Z = np.ascontiguousarray(contexts[:, arm])
            self._ahead.append(Lookahead(posterior, Z, self._ahead_mean[:, arm], self._ahead_variance[:, arm]))
