"""One Gaussian process an arm, with a kernel and a noise level that are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits.beliefs.base import Belief, Tracker
from kernelbandits.beliefs.lookahead import Lookahead
from kernelbandits.beliefs.stack import PosteriorStack
from kernelbandits.problem import Problem
from kernelbandits.regression.gaussian_process import GaussianProcess, Posterior
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True)
class IndependentArms(Belief):
    """f⁽ⁱ⁾ ~ GP(0, K) for every arm by itself; noise of variance `model.ridge`.

    Cost with n observations an arm: O(n² + n d) a reward, O(K (n² + n d)) a question, less with prefetched contexts.

    >>> belief = IndependentArms(GaussianProcess(Gaussian(gamma=4.0), ridge=0.01))
    """

    model: GaussianProcess

    def start(self, problem: Problem) -> ArmsTracker:
        return ArmsTracker([self.model.without_data(problem.dim)] * problem.n_arms)


@final
class ArmsTracker(Tracker):
    """Follows one posterior an arm, all over one kernel; prefetched contexts cost matrix–matrix work."""

    __slots__ = ("_ahead", "_next_row", "_stack")

    def __init__(self, posteriors: Sequence[Posterior]) -> None:
        self._stack = PosteriorStack(posteriors)
        self._ahead: Lookahead | None = None
        self._next_row = 0

    @property
    def posteriors(self) -> list[Posterior]:
        """The posterior of every arm."""
        return self._stack.posteriors

    def mean_and_std(self, contexts: Array, row: int | None) -> tuple[Array, Array]:
        if row is None or self._ahead is None:
            return self._stack.mean_and_std(contexts)
        self._next_row = row + 1
        return self._ahead.mean[:, row].copy(), np.sqrt(np.maximum(self._ahead.variance[:, row], 0.0))

    def learn(self, context: Array, arm: int, reward: float, row: int | None) -> None:
        posterior, ahead = self._stack.posteriors[arm], self._ahead
        if row is None or ahead is None:
            posterior = posterior._extend(context, reward, self._stack.outlook(arm, context))
        else:
            posterior = ahead.absorb(posterior, arm, row, reward)
        self._stack.replace(arm, posterior)
        if ahead is not None:
            # The round just decided is kept current too: its reward may come after other rewards, or twice.
            ahead.update(posterior, arm, row, start=max(self._next_row - 1, 0))

    def look_ahead(self, contexts: Array | None) -> None:
        self._ahead = None if contexts is None else Lookahead(self._stack.posteriors, contexts, self._ahead)
        self._next_row = 0

    def add_arm(self) -> None:
        first = self.posteriors[0]
        self.append(GaussianProcess(first.kernel, first.ridge).without_data(first.dim))

    def append(self, posterior: Posterior) -> None:
        """One more arm with this posterior over the same kernel. Contexts to come are forgotten."""
        self._stack = PosteriorStack([*self._stack.posteriors, posterior])
        self.look_ahead(None)
