"""Logs of learners, many at once: all runs take their steps together."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from kernelbandits.paper.evaluation.worlds import LearnerWorld, drawn, mean_rewards
from kernelbandits.types import Array, IntArray


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
