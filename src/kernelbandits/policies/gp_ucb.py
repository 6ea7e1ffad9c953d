"""GP-UCB with one posterior an arm: the paper's CGP-UCB (after Krause & Ong 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.estimators.gaussian_process import GaussianProcess, Posterior
from kernelbandits.estimators.lookahead import Lookahead
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
        self._posteriors = [model.without_data(problem.dim) for _ in range(problem.n_arms)]
        self._beta = np.array([width.of(arm, p, problem) for arm, p in enumerate(self._posteriors)])
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
        if row is not None:
            self._next_row = row + 1
            return self._ahead_mean[row], np.sqrt(np.maximum(self._ahead_variance[row], 0.0))
        pairs = [p.mean_and_std(x[np.newaxis]) for p, x in zip(self._posteriors, contexts, strict=True)]
        return np.array([mean[0] for mean, _ in pairs]), np.array([std[0] for _, std in pairs])

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        posterior = self._posteriors[arm]
        whitened = posterior.whiten(context[np.newaxis])[:, 0] if row is None else self._ahead[arm].whitened(row)
        posterior = posterior.absorb(context, reward, whitened)
        self._posteriors[arm] = posterior
        self._beta[arm] = self._width.of(arm, posterior, self._problem)
        if self._ahead:
            self._ahead[arm].update(posterior, self._next_row)

    def look_ahead(self, contexts: Array | None) -> None:
        self._ahead = []
        self._next_row = 0
        if contexts is None:
            return
        self._ahead_mean = np.empty(contexts.shape[:2])
        self._ahead_variance = np.empty(contexts.shape[:2])
        self._ahead = [self._arm_ahead(p, contexts, i) for i, p in enumerate(self._posteriors)]

    def _arm_ahead(self, posterior: Posterior, contexts: Array, arm: int) -> Lookahead:
        Z = np.ascontiguousarray(contexts[:, arm])
        return Lookahead(posterior, Z, self._ahead_mean[:, arm], self._ahead_variance[:, arm])
