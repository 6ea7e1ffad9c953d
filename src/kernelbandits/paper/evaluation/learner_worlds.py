"""Logs of policies that learn while they log; many runs take their steps together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import final

import numpy as np
from scipy.special import expit, ndtr

from kernelbandits.offline import Log
from kernelbandits.paper.evaluation.worlds import MANY, LoggedWorld, WorldCase, drawn
from kernelbandits.policies import ExplorationFloor, LinearUCB, Policy, Uniform
from kernelbandits.problem import Problem
from kernelbandits.specs import Count, NonNegative, Positive
from kernelbandits.types import Array, IntArray


@final
@dataclass(frozen=True, slots=True)
class LearnerWorld(LoggedWorld):
    """A greedy learner with a floor writes the log, and learns after every `batch` rows. The candidate plays one arm.

    Attributes:
        n: rows.
        means: mean reward of every arm at an average context.
        dim: features; 0 for none.
        floor: probability of every arm that does not look best.
        batch: rows between two fits of the learner.
        arm: what the candidate plays.
        thompson: whether the learner samples from normal posteriors of two arms instead, without a floor.

    """

    n: Count
    means: tuple[float, ...]
    dim: int = 0
    floor: NonNegative = 0.02
    batch: Count = 50
    arm: int = 0
    thompson: bool = False

    def cases(self, seeds: range) -> Iterator[WorldCase]:
        truth = _learner_truth(self)
        rng = np.random.default_rng((seeds.start, len(seeds), 31))
        contexts, arms, rewards, propensities = batch_learner(self, len(seeds), rng)
        chances = np.zeros((self.n, len(self.means)))
        chances[:, self.arm] = 1.0
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
        policy, chances = ExplorationFloor(LinearUCB(), epsilon=self.floor), np.zeros((self.n, 3))
        chances[:, self.arm] = 1.0
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
