"""Policies of the library contextualbandits on logistic regression, for one context shared by all arms and coins."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from benchmarks.league.peers import is_due
from kernelbandits.beliefs import Prefetched
from kernelbandits.policies import Choice, Learner, Policy
from kernelbandits.problem import Problem
from kernelbandits.specs import Count
from kernelbandits.types import Array, BoolArray, IntArray


@final
@dataclass(frozen=True, slots=True)
class ContextualBandits(Policy):
    """A class of the library, such as BootstrappedUCB or AdaptiveGreedy, with everything but `percentile` as it comes.

    BootstrappedUCB: upper percentiles over ten bootstrapped fits per arm. AdaptiveGreedy: the best arm if it looks
    better than a falling threshold, else any.
    """

    model: str
    percentile: Count

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        from contextualbandits import online
        from sklearn.linear_model import LogisticRegression

        settings = {"percentile": self.percentile, "random_state": int(rng.integers(2**31))}
        jobs = {"njobs_arms": 1} if self.model == "BootstrappedUCB" else {"njobs": 1}
        model = getattr(online, self.model)(LogisticRegression(max_iter=200), problem.n_arms, **settings, **jobs)
        return _ContextualBanditsLearner(model, rng)


@final
@dataclass(slots=True, eq=False)
class _ContextualBanditsLearner(Learner):
    """Fits to all rewards again once there are a fifth more of them.

    The library decides for many contexts at once; what it decided for prefetched rounds holds until the next fit.
    """

    model: Any
    rng: np.random.Generator
    contexts: list[Array] = field(default_factory=list)
    arms: list[int] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    n_fitted: int = 0
    block: Prefetched | None = None
    decided: IntArray | None = None

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        """The library does not state probabilities; its decisions count as certain, and masks are not for it."""
        if not self.n_fitted:
            arm = int(self.rng.integers(len(contexts)))
        elif self.block is not None and self.block.shown is contexts:
            if self.decided is None:
                self.decided = self.model.predict(np.ascontiguousarray(self.block.contexts[:, 0]))
            arm = int(self.decided[self.block.row])
        else:
            arm = int(self.model.predict(contexts[:1])[0])
        return Choice(arm, 1.0, np.zeros(len(contexts)), explored=False)

    def prefetch(self, block: Prefetched | None) -> None:
        self.block, self.decided = block, None

    def observe(self, context: Array, arm: int, reward: float) -> None:
        self.contexts.append(context)
        self.arms.append(arm)
        self.rewards.append(reward)
        if is_due(len(self.rewards), self.n_fitted, least=20):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of fits that did not converge, and of future versions
                self.model.fit(np.array(self.contexts), np.array(self.arms), np.array(self.rewards))
            self.n_fitted, self.decided = len(self.rewards), None
