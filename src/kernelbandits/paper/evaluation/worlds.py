"""Worlds: sources of logs whose truth is known, by writers that are fixed and by writers that learn."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple, final

import numpy as np
from scipy.special import expit, ndtr, softmax

from kernelbandits.offline import Log
from kernelbandits.paper.data_sets import digits_points
from kernelbandits.policies import ExplorationFloor, LinearUCB, Policy, Uniform
from kernelbandits.problem import Problem
from kernelbandits.specs import Count, NonNegative, Positive, Spec
from kernelbandits.types import Array, IntArray

MANY = 400_000  # rows from which a truth is computed


class WorldCase(NamedTuple):
    """A log, a candidate's probabilities in its rows, shape (n, K), the candidate's true value, and mean rewards."""

    log: Log
    chances: Array
    truth: float
    means: Array | None = None


class LoggedWorld(Spec, ABC):
    """A source of logs whose truth is known, `n` rows each."""

    __slots__ = ()

    @abstractmethod
    def cases(self, seeds: range) -> Iterator[WorldCase]:
        """One case for each seed, always the same."""


def drawn(chances: Array, rng: np.random.Generator) -> IntArray:
    """One arm per row with these probabilities."""
    limits = chances.cumsum(axis=-1)
    luck = rng.random((*chances.shape[:-1], 1)) * limits[..., -1:]
    return np.asarray((limits > luck).argmax(axis=-1), dtype=np.int64)


@final
@dataclass(frozen=True, slots=True)
class SoftmaxWorld(LoggedWorld):
    """Normal contexts; rewards 0 or 1, of log-odds level + slope · ⟨x, b_a⟩; softmax writer and candidate."""

    n: Count
    n_arms: Count = 10
    dim: Count = 5
    level: float = 0.0  # log-odds of a reward at an average context
    slope: NonNegative = 1.0  # how much contexts matter to rewards
    sharp: NonNegative = 1.0  # how sharply the writer prefers arms, which has nothing to do with their rewards
    floor: NonNegative = 0.0  # share of rows that the writer draws uniformly
    greedy: bool = False  # whether the candidate takes the best arm instead of a softmax of twice its log-odds
    bent: NonNegative = 0.0  # how much of the reward is a wave that no linear model sees

    def cases(self, seeds: range) -> Iterator[WorldCase]:
        truth = _softmax_truth(self)
        for seed in seeds:
            rng = np.random.default_rng((seed, 17))
            x, means, logged, chances = self.draw(self.n, rng)
            arms, rows = drawn(logged, rng), np.arange(self.n)
            rewards = (rng.random(self.n) < means[rows, arms]).astype(np.float64)
            yield WorldCase(Log(x, arms, rewards, logged[rows, arms], self.n_arms, learned=False), chances, truth)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
        """Contexts, mean rewards, and the probabilities of writer and candidate."""
        fixed = np.random.default_rng(7)
        b, c = fixed.standard_normal((2, self.dim, self.n_arms)) / np.sqrt(self.dim)
        x = rng.standard_normal((n, self.dim))
        odds = self.level + self.slope * (x @ b) + self.bent * np.sin(3.0 * (x @ c))
        logged = softmax(self.sharp * (x @ c), axis=1)
        logged = (1.0 - self.floor) * logged + self.floor / self.n_arms
        chances = np.eye(self.n_arms)[odds.argmax(axis=1)] if self.greedy else softmax(2.0 * odds, axis=1)
        return x, expit(odds), logged, chances


@cache
def _softmax_truth(world: SoftmaxWorld) -> float:
    rng = np.random.default_rng(12345)
    total = 0.0
    for _ in range(10):
        _, means, _, chances = world.draw(MANY // 10, rng)
        total += float((means * chances).sum(axis=1).mean())
    return total / 10


@final
@dataclass(frozen=True, slots=True)
class DigitsWorld(LoggedWorld):
    """Scikit-learn's digits as a bandit: reward 1 for the right class (Dudík et al. 2014). The truth is exact.

    Two ridge classifiers are fitted to 15 % of the rows each; one plays its guess, but a share `floor` of rows
    uniformly, and writes the log; the guess of the other is the candidate. Rows of the log are `n` of the rest, drawn
    with replacement.
    """

    n: Count = 1000
    floor: Positive = 0.2

    def cases(self, seeds: range) -> Iterator[WorldCase]:
        x, labels, logged, chances = _digits(self.floor)
        right = chances[np.arange(len(labels)), labels]
        for seed in seeds:
            rng = np.random.default_rng((seed, 23))
            rows = rng.integers(len(labels), size=self.n)
            arms = drawn(logged[rows], rng)
            rewards = (arms == labels[rows]).astype(np.float64)
            log = Log(x[rows], arms, rewards, logged[rows, arms], 10, learned=False)
            yield WorldCase(log, chances[rows], float(right.mean()))


@cache
def _digits(floor: float) -> tuple[Array, IntArray, Array, Array]:
    x, labels = digits_points()
    order = np.random.default_rng(0).permutation(len(labels))
    x, labels = x[order], labels[order]
    first, second = int(0.15 * len(x)), int(0.3 * len(x))
    scores = []
    for rows in (slice(0, first), slice(first, second)):
        A = np.concatenate([np.ones((len(x), 1)), x], axis=1)
        gram = A[rows].T @ A[rows] + 3.0 * np.eye(A.shape[1])
        scores.append(A[second:] @ np.linalg.solve(gram, A[rows].T @ np.eye(10)[labels[rows]]))
    logged, chances = (np.eye(10)[each.argmax(axis=1)] for each in scores)
    return x[second:], labels[second:], (1.0 - floor) * logged + floor / 10, chances


@final
@dataclass(frozen=True, slots=True)
class LearnerWorld(LoggedWorld):
    """A greedy learner with a floor writes the log, and learns after each `batch`. The candidate plays one arm."""

    n: Count
    means: tuple[float, ...]  # mean reward of every arm at an average context
    dim: int = 0
    floor: NonNegative = 0.02  # probability of every arm that does not look best
    batch: Count = 50
    arm: int = 0  # what the candidate plays
    thompson: bool = False  # whether the learner samples from normal posteriors of two arms instead, without a floor

    def cases(self, seeds: range) -> Iterator[WorldCase]:
        truth = _learner_truth(self)
        rng = np.random.default_rng((seeds.start, len(seeds), 31))
        contexts, arms, rewards, propensities = batch_learner(self, len(seeds), rng)
        chances = np.eye(len(self.means))[[self.arm] * self.n]
        for i in range(len(seeds)):
            log = Log(contexts[i], arms[i], rewards[i], propensities[i], len(self.means), learned=True)
            yield WorldCase(log, chances, truth)


def mean_rewards(world: LearnerWorld, contexts: Array) -> Array:
    """Mean rewards at contexts (…, d), shape (…, K)."""
    level = np.array(world.means)
    if not world.dim:
        return np.broadcast_to(level, (*contexts.shape[:-1], len(level)))
    b = np.random.default_rng(5).standard_normal((world.dim, len(level))) / np.sqrt(world.dim)
    return np.asarray(expit(np.log(level / (1.0 - level)) + contexts @ b))


@cache
def _learner_truth(world: LearnerWorld) -> float:
    x = np.random.default_rng(99).standard_normal((MANY, world.dim))
    return float(mean_rewards(world, x)[:, world.arm].mean())


@final
@dataclass(frozen=True, slots=True)
class OwnLearnerWorld(LoggedWorld):
    """The library's own LinearUCB with a floor writes the log, row by row. The candidate plays one arm."""

    n: Count = 600
    floor: Positive = 0.05
    arm: int = 0

    def cases(self, seeds: range) -> Iterator[WorldCase]:
        world = LearnerWorld(self.n, (0.3, 0.4, 0.5), dim=4, arm=self.arm)
        policy, chances = ExplorationFloor(LinearUCB(), epsilon=self.floor), np.eye(3)[[self.arm] * self.n]
        for seed in seeds:
            problem, rng = Problem(3, world.dim, self.n), np.random.default_rng((seed, 37))
            log = live_log(policy, problem, partial(mean_rewards, world), self.n, rng)
            yield WorldCase(log, chances, _learner_truth(world))


def live_log(
    policy: Policy, problem: Problem, means_at: Callable[[Array], Array], n: int, rng: np.random.Generator
) -> Log:
    """The log of a policy that plays n rounds live, on normal contexts; rewards are 0 or 1 with these means."""
    agent = policy.start(problem, rng.spawn(1)[0])
    x, luck = rng.standard_normal((n, problem.dim)), rng.random(n)
    means, arms, rewards, propensities = means_at(x), np.empty(n, dtype=np.int64), np.empty(n), np.empty(n)
    for t in range(n):
        decision = agent.choose(x[t])
        arms[t], propensities[t] = decision.arm, decision.propensity
        rewards[t] = float(luck[t] < means[t, decision.arm])
        agent.observe(x[t], decision.arm, rewards[t])
    return Log(x, arms, rewards, propensities, problem.n_arms, learned=not isinstance(policy, Uniform))


def batch_learner(world: LearnerWorld, runs: int, rng: np.random.Generator) -> tuple[Array, IntArray, Array, Array]:
    """Contexts (runs, n, d), arms, rewards and propensities (runs, n) of a learner that fits after every batch."""
    n, K = world.n, len(world.means)
    x = rng.standard_normal((runs, n, world.dim))
    z = np.concatenate([np.ones((runs, n, 1)), x], axis=2)
    means = mean_rewards(world, x)
    gram = np.tile(np.eye(z.shape[2]), (runs, K, 1, 1))
    moment = np.zeros((runs, K, z.shape[2]))
    arms, rewards, propensities = np.empty((runs, n), dtype=np.int64), np.empty((runs, n)), np.empty((runs, n))
    for start in range(0, n, world.batch):
        rows = slice(start, start + world.batch)
        shown = z[:, rows]
        chances = _chances(world, gram, moment, shown, first=start == 0)
        arms[:, rows] = played = drawn(chances, rng)
        own = np.take_along_axis(means[:, rows], played[..., np.newaxis], axis=2)[..., 0]
        rewards[:, rows] = earned = (rng.random(own.shape) < own).astype(np.float64)
        propensities[:, rows] = np.take_along_axis(chances, played[..., np.newaxis], axis=2)[..., 0]
        for arm in range(K):
            mine = shown * (played == arm)[..., np.newaxis]
            gram[:, arm] += np.einsum("rnp,rnq->rpq", mine, shown)
            moment[:, arm] += np.einsum("rnp,rn->rp", mine, earned)
    return x, arms, rewards, propensities


def _chances(world: LearnerWorld, gram: Array, moment: Array, shown: Array, first: bool) -> Array:
    runs, b, K = shown.shape[0], shown.shape[1], gram.shape[1]
    if first:
        return np.full((runs, b, K), 1.0 / K)
    fits = np.linalg.solve(gram, moment[..., np.newaxis])[..., 0]
    if world.thompson:
        deviation = np.sqrt(0.25 / gram[:, 0, 0, 0] + 0.25 / gram[:, 1, 0, 0])
        second = ndtr((fits[:, 1, 0] - fits[:, 0, 0]) / deviation)
        both = np.stack([1.0 - second, second], axis=1)
        return np.repeat(both[:, np.newaxis], b, axis=1)
    best = np.einsum("rnp,rkp->rnk", shown, fits).argmax(axis=2)
    chances = np.full((runs, b, K), world.floor)
    np.put_along_axis(chances, best[..., np.newaxis], 1.0 - (K - 1) * world.floor, axis=2)
    return chances
