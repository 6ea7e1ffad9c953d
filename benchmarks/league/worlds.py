"""Worlds of the league: small bandits, each with one thing that real rewards have and the paper's designs have not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.special import expit, ndtr

from kernelbandits import checks
from kernelbandits.environments import Environment, Instance, Rounds
from kernelbandits.problem import Problem
from kernelbandits.specs import Count, NonNegative, Probability
from kernelbandits.types import Array


@final
@dataclass(frozen=True, slots=True, eq=False)
class Served(Instance):
    """Rounds made by a function of horizon and generator.

    The noise, and a bound of 1 on every norm, which is a convention, are stated for CGP-UCB, which asks for both.
    """

    n_arms: int
    dim: int
    noise_std: float
    serve: Callable[[int, np.random.Generator], Rounds]

    def problem(self, horizon: int | None = None) -> Problem:
        return Problem(self.n_arms, self.dim, horizon, self.noise_std, np.ones(self.n_arms))

    def rounds(self, horizon: int, rng: np.random.Generator) -> Rounds:
        return self.serve(horizon, rng)


def shared(contexts: Array, n_arms: int) -> Array:
    """One context for all arms: shape (T, K, d) from (T, d), without copies."""
    horizon, dim = contexts.shape
    return np.broadcast_to(contexts[:, np.newaxis], (horizon, n_arms, dim))


def coins(chances: Array, rng: np.random.Generator) -> Array:
    """Noise that makes rewards 0 or 1 with these means, shape (T, K)."""
    return (rng.random(chances.shape) < chances) - chances


@final
@dataclass(frozen=True, slots=True)
class LinearRewards(Environment):
    """xᵀθ⁽ⁱ⁾ with θ⁽ⁱ⁾ ~ N(0, I/d), shared contexts x ~ N(0, I), normal noise."""

    n_arms: Count = 5
    dim: Count = 20
    noise_std: NonNegative = 0.3

    def draw(self, rng: np.random.Generator | int) -> Served:
        weights = checks.generator(rng).standard_normal((self.dim, self.n_arms)) / np.sqrt(self.dim)

        def serve(horizon: int, rng: np.random.Generator) -> Rounds:
            contexts = rng.standard_normal((horizon, self.dim))
            noise = self.noise_std * rng.standard_normal(horizon)
            return Rounds(shared(contexts, self.n_arms), contexts @ weights, noise)

        return Served(self.n_arms, self.dim, self.noise_std, serve)


@final
@dataclass(frozen=True, slots=True)
class SparsePurchases(Environment):
    """A visitor buys with a chance of 16 % on average, which depends on arm and context; the reward is what he pays."""

    n_arms: Count = 6
    dim: Count = 8

    def draw(self, rng: np.random.Generator | int) -> Served:
        rng = checks.generator(rng)
        weights = 0.8 * rng.standard_normal((self.dim, self.n_arms)) / np.sqrt(self.dim)
        appeal, prices = -1.9 + 0.5 * rng.standard_normal(self.n_arms), rng.uniform(5.0, 30.0, self.n_arms)

        def serve(horizon: int, rng: np.random.Generator) -> Rounds:
            contexts = rng.standard_normal((horizon, self.dim))
            chances = expit(appeal + contexts @ weights)
            bought = rng.random(chances.shape) < chances
            paid = prices * np.exp(0.3 * rng.standard_normal(chances.shape) - 0.045)
            return Rounds(shared(contexts, self.n_arms), chances * prices, bought * paid - chances * prices)

        return Served(self.n_arms, self.dim, 7.0, serve)


@final
@dataclass(frozen=True, slots=True)
class UselessContexts(Environment):
    """Rewards 0 or 1 with the chance of their arm, .5, .6 and .7, whatever the context."""

    dim: Count = 5

    def draw(self, rng: np.random.Generator | int) -> Served:
        return _tossed((0.5, 0.6, 0.7), self.dim)


@final
@dataclass(frozen=True, slots=True)
class TwoCoins(Environment):
    """Two arms that pay 0 or 1, the second a little more often, whatever the context: they are not opposite."""

    low: Probability = 0.6
    high: Probability = 0.7
    dim: Count = 5

    def draw(self, rng: np.random.Generator | int) -> Served:
        return _tossed((self.low, self.high), self.dim)


def _tossed(chances: tuple[float, ...], dim: int) -> Served:
    """Arms that pay 1 with these chances, and contexts that tell nothing."""

    def serve(horizon: int, rng: np.random.Generator) -> Rounds:
        contexts, means = rng.standard_normal((horizon, dim)), np.tile(chances, (horizon, 1))
        return Rounds(shared(contexts, len(chances)), means, coins(means, rng))

    return Served(len(chances), dim, 0.5, serve)


@final
@dataclass(frozen=True, slots=True)
class StarRatings(Environment):
    """Whole numbers from 1 to 5: an opinion, smooth in the context, plus noise, rounded and cut off."""

    n_arms: Count = 10
    dim: Count = 10

    def draw(self, rng: np.random.Generator | int) -> Served:
        rng = checks.generator(rng)
        weights = rng.standard_normal((self.dim, self.n_arms)) / np.sqrt(self.dim)
        levels = 3.7 + 0.5 * rng.standard_normal(self.n_arms)
        cuts = np.array([1.5, 2.5, 3.5, 4.5])

        def serve(horizon: int, rng: np.random.Generator) -> Rounds:
            contexts = rng.standard_normal((horizon, self.dim))
            opinions = levels + np.tanh(contexts @ weights)
            means = 5.0 - ndtr((cuts - opinions[..., np.newaxis]) / 0.8).sum(axis=-1)
            felt = opinions + 0.8 * rng.standard_normal(opinions.shape)
            stars = 1.0 + (felt > cuts[:, np.newaxis, np.newaxis]).sum(axis=0)
            return Rounds(shared(contexts, self.n_arms), means, stars - means)

        return Served(self.n_arms, self.dim, 0.8, serve)


@final
@dataclass(frozen=True, slots=True)
class RepeatedContexts(Environment):
    """Few different contexts, which come again and again; rewards are 0 or 1, with a chance per arm and context."""

    n_contexts: Count = 12
    n_arms: Count = 4
    dim: Count = 6

    def draw(self, rng: np.random.Generator | int) -> Served:
        rng = checks.generator(rng)
        places, chances = rng.standard_normal((self.n_contexts, self.dim)), rng.random((self.n_contexts, self.n_arms))

        def serve(horizon: int, rng: np.random.Generator) -> Rounds:
            which = rng.integers(self.n_contexts, size=horizon)
            means = chances[which]
            return Rounds(shared(places[which], self.n_arms), means, coins(means, rng))

        return Served(self.n_arms, self.dim, 0.4, serve)


@final
@dataclass(frozen=True, slots=True)
class RawUnits(Environment):
    """Columns as a shop has them: age, income, visits, two flags, a timestamp; rewards in cents around a level."""

    n_arms: Count = 4

    def draw(self, rng: np.random.Generator | int) -> Served:
        weights = checks.generator(rng).standard_normal((6, self.n_arms))

        def serve(horizon: int, rng: np.random.Generator) -> Rounds:
            z = rng.standard_normal((horizon, 6))
            flags = (z[:, 3:5] > 0.0).astype(np.float64)
            tidy = np.column_stack([z[:, :3], 2.0 * flags - 1.0, z[:, 5]])
            raw = np.column_stack(
                [45.0 + 12.0 * z[:, 0], 4e4 * np.exp(0.5 * z[:, 1]), np.exp(z[:, 2]), flags, 1.7e9 + 1e6 * z[:, 5]]
            )
            means = 5000.0 + 300.0 * np.tanh(tidy[:, :5] @ weights[:5] / 1.5)
            return Rounds(shared(raw, self.n_arms), means, 150.0 * rng.standard_normal(horizon))

        return Served(self.n_arms, 6, 150.0, serve)
