"""Explore-then-Commit that determines from the data how long to explore, and which arms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from kernelbandits import checks
from kernelbandits.beliefs import Prefetched, RewardUnits, Standardized
from kernelbandits.errors import InvalidArgument
from kernelbandits.kernels import Gaussian, StackedExpansions
from kernelbandits.policies.agent import Policy
from kernelbandits.policies.commitment_value import GrowingLeaveOneOut, RegretEstimate, chances, commitment_value
from kernelbandits.policies.explore_then_commit import Commitment
from kernelbandits.policies.learner import Choice, Decisions, Learner, Scores
from kernelbandits.policies.selection import RoundRobin, pick_best
from kernelbandits.problem import Problem
from kernelbandits.regression import GaussianProcess
from kernelbandits.specs import Count, Probability
from kernelbandits.types import Array, BoolArray

FEWEST = 3
"""Draws per arm before the first estimate: leaving one out of two would leave a single point to predict from."""

_DIGITS = 12
"""Digits of an estimated regret, in units of the range of an arm's rewards, that rounding leaves."""


@final
@dataclass(frozen=True, slots=True)
class AdaptiveExploreThenCommit(Policy):
    """Plays the arms in turn while another turn saves more than it costs, then the best interpolated mean.

    Each time all arms have had another draw, leave-one-out predictions estimate the cost of a commitment: r, the mean
    regret of following them, and rₑ, that of an arm in turn, over all rounds that past draws can form
    (`commitment_value`). Errors of averages fall as N^(−½) with the draws N = T₀/K per arm, and r with them, so

        T₀ rₑ + (T − T₀) r(N),  r(N) ∝ N^(−½),  is least where  r (T + T₀) = 2 T₀ rₑ,

    and exploration goes on while r (T + T₀) > 2 T₀ rₑ. It takes at most `cap` rounds; None is half of the horizon.
    An unknown horizon is guessed, and the guess doubled whenever it was too short: exploration then continues from the
    data at hand if that pays.

    The interpolator is the mean of `model` with a ridge so small that it matters for repeated contexts only. `rewards`
    says from where they are measured: by default from the level of each arm, so that their shift and scale change no
    decision. Rewards of turns are used whenever they come, those of decisions after the commitment are not; rewards
    that are observed before, from a log, count as turns. With a `cap`, at most cap/K of an arm's are kept, so that
    memory is bounded and no arm is left without turns. Noise counts as avoidable regret, so exploration is longer than
    optimal if rewards are very noisy.

    Turns and commitment are certain given the past: propensities are 1, ties apart. Cost: O(n² + n d) per reward of an
    arm with n draws while exploring, and O(T₀ log T₀) per round for the estimate; then that of `ExploreThenCommit`.

    Reference: Algorithm 1 of the paper, with T₀ from the data; leave-one-out, Rasmussen & Williams 2006, section 5.4.2.

    Attributes:
        model: kernel of the interpolator, and a noise variance (`ridge`) that should be tiny.
        cap: largest number of exploration rounds of all arms together, at least K; None is half of the horizon.
        rewards: in which units rewards are modelled: `Standardized()` or `AsGiven()`.

    Where arm 1 always pays more, three turns each are enough, of the 30 rounds allowed:

    >>> agent, explored = AdaptiveExploreThenCommit().start(Problem(n_arms=2, dim=1, horizon=60), rng=0), 0
    >>> for _ in range(60):
    ...     decision = agent.choose([1.0])
    ...     explored += decision.explored
    ...     agent.observe([1.0], decision.arm, reward=float(decision.arm))
    >>> explored
    6

    See also `default_policy`, `ExploreThenCommit`, `SuccessiveElimination`, `GreedyInterpolation`.
    """

    model: GaussianProcess = GaussianProcess(Gaussian(gamma=4.0), ridge=1e-8)
    cap: Count | None = None
    rewards: RewardUnits = Standardized()

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        return _ExploringLearner(self.model, self.rewards, self.cap, 0.0, problem, rng)


@final
@dataclass(frozen=True, slots=True)
class SuccessiveElimination(Policy):
    """`AdaptiveExploreThenCommit` that explores only arms that may be the best.

    After three turns, and after every further turn, each arm's chance to have the largest reward of a round is
    estimated over all rounds that past draws can form. An arm whose chance is below `share` of the leader's has no
    turns while that is so. It is not given up: its interpolator stays, and after the commitment it is played wherever a
    context favours it. Turns end when another one would cost more than it saves: a leader without contenders has turns
    until predictions do better than always playing it. In total they take at most `cap` rounds; None is half of the
    horizon.

    Most arms are far from the best, and the paper's exploration pays for knowing them better. After the commitment no
    rewards are needed; where they keep coming, `ThompsonSampling` does better.

    Turns and commitment are certain given the past: propensities are 1, ties apart. Cost: that of
    `AdaptiveExploreThenCommit`. Reference: Even-Dar, Mannor & Mansour 2006, for arms without contexts.

    Attributes:
        model: kernel of the interpolator, and a noise variance (`ridge`) that should be tiny.
        share: an arm whose chance is below this share of the leader's has no turns; a larger one drops arms sooner.
        cap: largest number of exploration rounds of all arms together, at least K; None is half of the horizon.
        rewards: in which units rewards are modelled: `Standardized()` or `AsGiven()`.

    Arm i pays about i. After three turns only the best arm has more:

    >>> agent = SuccessiveElimination().start(Problem(n_arms=3, dim=1, horizon=200), rng=0)
    >>> rng, turns = np.random.default_rng(0), [0, 0, 0]
    >>> for x in rng.uniform(-1.0, 1.0, (200, 1)):
    ...     decision = agent.choose(x)
    ...     turns[decision.arm] += decision.explored
    ...     agent.observe(x, decision.arm, reward=rng.normal(decision.arm, 0.3))
    >>> turns[:2], turns[2] > 3
    ([3, 3], True)

    See also `default_policy`, `AdaptiveExploreThenCommit`, `GreedyInterpolation`, `GPUCB`.
    """

    model: GaussianProcess = GaussianProcess(Gaussian(gamma=4.0), ridge=1e-8)
    share: Probability = 0.05
    cap: Count | None = None
    rewards: RewardUnits = Standardized()

    def learner(self, problem: Problem, rng: np.random.Generator) -> Learner:
        return _ExploringLearner(self.model, self.rewards, self.cap, self.share, problem, rng)


@final
class _ExploringLearner(Learner):
    """Plays contenders in turn while another turn pays (`RegretEstimate.another_turn_pays`), then the best prediction.

    Rewards are learned while exploring; afterwards those that turns wait for. The commitment is not final: late
    rewards, or a horizon that was guessed too short, can lead to more turns.
    """

    _units: RewardUnits
    _share: float
    _cap: int | None
    _problem: Problem
    _rng: np.random.Generator
    _turns: RoundRobin
    _in_turn: bool
    _n_decisions: int
    _guess: int
    _arms: list[GrowingLeaveOneOut]
    _contenders: BoolArray
    _n_rewards: int
    _next_estimate: int
    _estimate: RegretEstimate | None
    _commitment: Commitment | None
    _block: Prefetched | None

    def __init__(
        self,
        model: GaussianProcess,
        units: RewardUnits,
        cap: int | None,
        share: float,
        problem: Problem,
        rng: np.random.Generator,
    ) -> None:
        """An arm contends with at least `share` of the leader's chance to have the largest reward."""
        n_arms = problem.n_arms
        if cap is not None and cap < n_arms:
            raise InvalidArgument(f"cap must be at least the number of arms, {n_arms}, to try each; got {cap}")
        self._units = units
        self._share = share
        self._cap = cap
        self._problem = problem
        self._rng = rng
        self._turns = RoundRobin(n_arms)
        self._in_turn = True  # so that rewards from before the first decision count
        self._n_decisions = 0
        self._guess = 2 * FEWEST * n_arms
        self._arms = [GrowingLeaveOneOut(model.without_data(problem.dim)) for _ in range(n_arms)]
        self._contenders = np.ones(n_arms, dtype=bool)
        self._n_rewards = 0
        self._next_estimate = FEWEST * n_arms
        self._estimate = None
        self._commitment = None
        self._block = None

    def _validate(self) -> None:
        """Refuse, in what was loaded from a file, other arms, or a horizon from which doubling leads nowhere."""
        n_arms, dim = self._problem.n_arms, self._problem.dim
        sizes = {n_arms, len(self._arms), self._turns.n_arms}
        sizes |= {n_arms if self._commitment is None else len(self._commitment.levels)}
        checks.refuse_misshapen(self, _contenders=(n_arms,))
        checks.refuse_inconsistent(self, sizes == {n_arms}, {arm.dim for arm in self._arms} == {dim}, self._guess >= 1)
        checks.refuse_inconsistent(self, bool(self._contenders.any()), self._n_rewards == sum(a.n for a in self._arms))

    def decide(self, contexts: Array, eligible: BoolArray | None) -> Choice:
        candidates = self._contenders if eligible is None else self._contenders & eligible
        self._in_turn = bool(candidates.any()) and self._explores()
        self._n_decisions += 1
        if self._in_turn:
            return self._turns.next(candidates)
        return pick_best(self._committed().scores(contexts, self._block), eligible, self._rng)

    def decide_batch(self, contexts: Array, eligible: BoolArray | None) -> Decisions | None:
        doubles = self._problem.horizon is None and self._n_decisions + len(contexts) > self._guess
        if self._explores() or doubles:
            return None
        self._in_turn = False
        self._n_decisions += len(contexts)
        return self._committed().decide_batch(contexts, eligible, self._rng)

    def score(self, contexts: Array, eligible: BoolArray | None) -> Scores:
        scores = self._committed().score(contexts, eligible)
        if self._explores():
            allowed = np.ones(contexts.shape[:2], dtype=np.bool_) if eligible is None else eligible
            rows = (candidates := self._contenders & allowed).any(axis=1)
            scores.probabilities[rows] = self._turns.score(contexts[rows], candidates[rows]).probabilities
        return scores

    def _explores(self) -> bool:
        """Whether another turn pays: asked by whole turns, so that arms have equal shares."""
        horizon, n_arms = self._problem.horizon, int(self._contenders.sum())
        if horizon is None:
            while self._guess <= self._n_decisions:
                self._guess *= 2
            horizon = self._guess
        if self._turns.total >= (max(self._problem.n_arms, horizon // 2) if self._cap is None else self._cap):
            return False
        n_turns, begun = divmod(self._turns.of(self._contenders), n_arms)
        if n_turns < FEWEST or self._estimate is None:
            return True
        remaining = max(horizon - self._n_decisions + begun, 0)
        return self._estimate.another_turn_pays(n_turns, n_arms, remaining)

    def observe(self, context: Array, arm: int, reward: float) -> None:
        if not self._turns.observe(arm, self._in_turn and self._has_room(arm)):
            return
        self._arms[arm].observe(context, reward)
        self._n_rewards += 1
        self._commitment = None
        if self._n_rewards >= self._next_estimate:
            self._measure()

    def _has_room(self, arm: int) -> bool:
        """Whether a reward that no turn waits for is kept: its arm has had less than its share of the cap."""
        return self._cap is None or (self._turns.total < self._cap and self._arms[arm].n < self._cap // len(self._arms))

    def _measure(self) -> None:
        """Update the contenders, and the regret per round of exploring them and of a commitment."""
        known = [i for i, arm in enumerate(self._arms) if arm.n > 1]
        if not known:
            return
        pairs = self._left_out_pairs(known)
        samples = [rewards for _, rewards in pairs]
        best, committed = commitment_value(pairs)
        if self._share:
            chance = chances(samples)
            self._contenders[known] = chance >= self._share * chance.max()
        turns = [rewards for i, rewards in zip(known, samples, strict=True) if self._contenders[i]]
        explored, size = np.mean([rewards.mean() for rewards in turns]), np.mean([len(rewards) for rewards in turns])
        commit_regret, explore_regret = round(best - committed, _DIGITS), round(best - float(explored), _DIGITS)
        self._estimate = RegretEstimate(commit_regret, explore_regret, float(size) - 1.0)
        self._next_estimate = self._n_rewards + int(self._contenders.sum())

    def _left_out_pairs(self, arms: list[int]) -> list[tuple[Array, Array]]:
        """Leave-one-out predictions and rewards of these arms, from the largest reward, in units of an arm's range.

        Predictions are only compared, and rounded so that equal ones are equal.
        """
        samples = [self._arms[i].rewards for i in arms]
        largest = max(float(rewards.max()) for rewards in samples)
        unit = max(float(np.ptp(rewards)) for rewards in samples) or 1.0
        return [
            (((self._arms[i].predictions(left_out) - largest) / unit).round(_DIGITS // 2), (rewards - largest) / unit)
            for i, left_out, rewards in zip(arms, self._units.left_out_levels(samples), samples, strict=True)
        ]

    def _committed(self) -> Commitment:
        if self._commitment is None:
            levels = self._units.levels([arm.rewards for arm in self._arms])
            expansions = [arm.expansion(level) for arm, level in zip(self._arms, levels.tolist(), strict=True)]
            self._commitment = Commitment(expansions, StackedExpansions(expansions), levels)
        return self._commitment

    def withdraw(self) -> None:
        self._n_decisions -= 1
        if self._in_turn:
            self._turns.withdraw()

    def prefetch(self, block: Prefetched | None) -> None:
        self._block = block
