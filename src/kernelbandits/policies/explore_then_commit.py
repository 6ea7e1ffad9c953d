"""Kernelized Explore-then-Commit, Algorithm 1 of the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs import Prefetched, RewardUnits, Standardized
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import KernelExpansion, StackedExpansions, values_by_arm
from kernelbandits.policies.agent import Policy
from kernelbandits.policies.learner import Choice, Decisions, Learner, Scores
from kernelbandits.policies.selection import RoundRobin, best_arms, best_shares, mask_scores, pick_best
from kernelbandits.problem import Problem
from kernelbandits.regression import Estimator, Predictor
from kernelbandits.specs import Count
from kernelbandits.types import Array, BoolArray

_ENOUGH, _LATE = 0.5, 2.0
"""Turns go on until this part of T₀ rewards is in, but for at most this many times T₀ rounds."""

_GROWTH = 1.05
"""Late rewards are fitted when there are this many times as many: so all of these fits cost about seven of the last."""


@final
@dataclass(frozen=True, slots=True)
class ExploreThenCommit(Policy):
    """Plays the arms in turn for `n_explore` rounds in total (T₀ = NK), fits each arm once, then plays the best mean.

    Exploration is the paper's round-robin: the turn is known beforehand, so its propensity is 1. With a mask, the
    eligible arm with the fewest turns is next. Rewards that are observed before, from a log, count as turns.

    Rewards of decisions after the commitment are not used. Those of turns are, whenever they come. If after T₀ turns
    fewer than T₀/2 are in, turns go on until they are, up to 2 T₀ turns, and beyond while none is in. Then what is in
    is fitted, and again as the rest comes. An arm can be added during exploration, which does not become longer.

    `rewards` says from where they are measured. By default from the level of each arm (`Standardized`), so that their
    shift and scale change no decision. `AsGiven()` is the paper's version, for rewards with mean 0.

    Cost: one fit of n_explore/K points per arm; then O(n_explore · d) per round, a matrix product for prefetched
    rounds.

    Attributes:
        estimator: fitted to the rewards of each arm at the commitment, and again as late ones come.
        n_explore: T₀, exploration rounds of all arms together: at least K, at most the horizon if that is known.
        rewards: in which units rewards are modelled: `Standardized()` or `AsGiven()`.

    >>> policy = ExploreThenCommit(MinNormInterpolator(Gaussian(gamma=4.0)), n_explore=4)
    >>> agent, arms = policy.start(Problem(n_arms=2, dim=1), rng=0), []
    >>> for _ in range(6):
    ...     arms.append(agent.choose([1.0]).arm)
    ...     agent.observe([1.0], arms[-1], reward=float(arms[-1]))
    >>> arms
    [0, 1, 0, 1, 1, 1]

    See also `default_policy`, `ThompsonSampling`, `AdaptiveExploreThenCommit`, `SuccessiveElimination`.
    """

    estimator: Estimator[Predictor]
    n_explore: Count
    rewards: RewardUnits = Standardized()

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        if self.n_explore < problem.n_arms:
            raise InvalidArgument(
                f"ExploreThenCommit: n_explore must be at least the number of arms, {problem.n_arms}, "
                f"so that each is tried; got {self.n_explore}"
            )
        if problem.horizon is not None and self.n_explore > problem.horizon:
            raise InvalidArgument(
                f"ExploreThenCommit: n_explore must be at most the horizon, {problem.horizon}; got {self.n_explore}"
            )
        no_data: list[list[tuple[Array, float]]] = [[] for _ in range(problem.n_arms)]
        return _ExploreThenCommitLearner(self, problem.dim, rng, RoundRobin(problem.n_arms), no_data)


@final
@dataclass(eq=False)
class _ExploreThenCommitLearner(Learner):
    _policy: ExploreThenCommit
    _dim: int
    _rng: np.random.Generator
    _turns: RoundRobin
    _data: list[list[tuple[Array, float]]]
    _in_turn: bool = True
    _n_rewards: int = 0
    _n_fitted: int = 0
    _commitment: Commitment | None = None
    _newest: tuple[int, Commitment] | None = None  # number of rewards, and the fit to them
    _block: Prefetched | None = None

    def _validate(self) -> None:
        """Refuse, in what was loaded from a file, rewards of other arms or contexts."""
        n_arms, fits = len(self._data), [self._commitment, None if self._newest is None else self._newest[1]]
        sizes = {n_arms, self._turns.n_arms, *(len(fit.levels) for fit in fits if fit is not None)}
        rows = all(x.shape == (self._dim,) for known in self._data for x, _ in known)
        n_rewards = sum(map(len, self._data))
        checks.refuse_inconsistent(self, sizes == {n_arms}, rows, 0 <= self._n_fitted <= self._n_rewards == n_rewards)

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        commitment = self._committed()
        if commitment is None:
            return self._turns.next(eligible)
        return pick_best(commitment.scores(contexts, self._block), eligible, self._rng)

    def decide_batch(self, contexts: Array, eligible: BoolArray | None) -> Decisions | None:
        commitment = self._committed()
        return None if commitment is None else commitment.decide_batch(contexts, eligible, self._rng)

    def score(self, contexts: Array, eligible: BoolArray | None) -> Scores:
        commitment = self._fit()
        return self._turns.score(contexts, eligible) if commitment is None else commitment.score(contexts, eligible)

    def _committed(self) -> Commitment | None:
        """What this decision rests on, as `_fit` says."""
        fit = self._fit()
        if fit is not self._commitment:
            self._commitment, self._n_fitted = fit, self._n_rewards
        self._in_turn = fit is None
        return fit

    def _fit(self) -> Commitment | None:
        """What the next decision rests on, fitted to all rewards so far if a fit is due; None while exploring.

        A fit is made once, although it may be scored with before it is decided with.
        """
        n, fitted, n_turns, n_explore = self._n_rewards, self._n_fitted, self._turns.total, self._policy.n_explore
        if self._commitment is None:  # turns go on while there are too few of them, or of their rewards
            late = n < _ENOUGH * n_explore and n_turns < _LATE * n_explore
            if n_turns < n_explore or late:
                return None
        if n == fitted or (n < n_turns and n < _GROWTH * fitted):
            return self._commitment
        if self._newest is not None and self._newest[0] == n:
            return self._newest[1]
        estimator, data = self._policy.estimator, self._data
        rewards = [np.array([y for _, y in known]) for known in data]
        levels = self._policy.rewards.levels(rewards)
        predictors = [
            estimator._fit(np.array([x for x, _ in known]), y - level) if known else estimator.without_data(self._dim)
            for known, y, level in zip(data, rewards, levels, strict=True)
        ]
        expansions = [predictor.expansion for predictor in predictors if predictor.expansion is not None]
        alike = len(expansions) == len(predictors) and all(e.kernel == expansions[0].kernel for e in expansions)
        fit = Commitment(expansions if alike else [_Mean(each) for each in predictors], None, levels)
        self._newest = n, fit
        return fit

    def observe(self, context: Array, arm: int, reward: float) -> None:
        if self._turns.observe(arm, self._in_turn):
            self._data[arm].append((context.copy(), reward))
            self._n_rewards += 1

    def withdraw(self) -> None:
        if self._in_turn:
            self._turns.withdraw()

    def add_arm(self, problem: Problem) -> None:
        if self._fit() is not None:
            raise InvalidArgument(
                f"ExploreThenCommit cannot add an arm: its {self._policy.n_explore} rounds of exploration are over; "
                "start a new agent, or use a policy that goes on learning"
            )
        self._turns.add_arm()
        self._data.append([])

    def prefetch(self, block: Prefetched | None) -> None:
        self._block = block


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Mean:
    """The mean of a predictor, without checks. A value rather than its method, so that an agent can be saved."""

    predictor: Predictor

    def __call__(self, X: Array) -> Array:
        return self.predictor._mean(X)


@final
@dataclass(slots=True, eq=False)
class Commitment:
    """The prediction of every arm, its level + f̂⁽ⁱ⁾, and its values at prefetched contexts, computed when asked for.

    `together` is all f̂⁽ⁱ⁾ as one function of contexts (K, d), faster for a single round; it is made with the first such
    round if all are expansions over one kernel. `levels` has shape (K,).
    """

    functions: Sequence[Callable[[Array], Array]]
    together: StackedExpansions | None
    levels: Array
    _block: Prefetched | None = field(default=None, init=False)
    _prefetched: Array = field(default_factory=lambda: np.empty((0, 0)), init=False)

    def _validate(self) -> None:
        """Refuse, in what was loaded from a file, predictions of other arms."""
        n_arms = len(self.functions)
        checks.refuse_misshapen(self, levels=(n_arms,))
        shape = (0, 0) if self._block is None else self._block.contexts.shape[:2]
        fit = self.together is None or self.together.n_arms == n_arms
        checks.refuse_inconsistent(self, fit, self._prefetched.shape == shape)

    def scores(self, contexts: Array, block: Prefetched | None) -> Array:
        """The prediction of every arm at its context, shape (K,); `block` has the rounds that are prefetched."""
        if block is not None and contexts is block.shown:
            if block is not self._block:
                self._block, self._prefetched = block, values_by_arm(self.functions, block.contexts) + self.levels
            prefetched: Array = self._prefetched[block.row]
            return prefetched
        if self.together is None and isinstance(self.functions[0], KernelExpansion):
            self.together = StackedExpansions(self.functions)  # type: ignore[arg-type]
        values = values_by_arm(self.functions, contexts) if self.together is None else self.together(contexts)
        return values + self.levels

    def decide_batch(self, contexts: Array, eligible: BoolArray | None, rng: np.random.Generator) -> Decisions:
        """The best arms of B rounds, contexts of shape (B, K, d)."""
        scores = mask_scores(values_by_arm(self.functions, contexts) + self.levels, eligible)
        arms, propensities = best_arms(scores, rng)
        return Decisions(0, arms, propensities, scores, np.zeros(len(arms), dtype=bool))

    def score(self, contexts: Array, eligible: BoolArray | None) -> Scores:
        """Predictions for contexts of shape (B, K, d), without deviations."""
        means = values_by_arm(self.functions, contexts) + self.levels
        return Scores(means, np.full_like(means, np.nan), best_shares(mask_scores(means, eligible)))
