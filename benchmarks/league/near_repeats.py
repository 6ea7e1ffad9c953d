"""A world in which a context that nearly repeats once in a while gives the other reward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from benchmarks.league.worlds import Served, coins, shared
from kernelbandits import checks
from kernelbandits.environments import Environment, Rounds
from kernelbandits.specs import Count, NonNegative, Share


@final
@dataclass(frozen=True, slots=True)
class NearRepeats(Environment):
    """Contexts lie close to a few places, each with one right arm, which pays 1 nearly always; the others nearly never.

    A learner that plays well sees rewards of 1 and no noise, until a context that it knows contradicts it.
    """

    n_places: Count = 60
    n_arms: Count = 4
    dim: Count = 20
    jitter: NonNegative = 0.02
    surprise: Share = 0.02

    def draw(self, rng: np.random.Generator | int) -> Served:
        rng = checks.generator(rng)
        places = rng.standard_normal((self.n_places, self.dim))
        right = rng.integers(self.n_arms, size=self.n_places)
        chances = np.where(np.eye(self.n_arms)[right] > 0.0, 1.0 - self.surprise, self.surprise)

        def serve(horizon: int, rng: np.random.Generator) -> Rounds:
            which = rng.integers(self.n_places, size=horizon)
            contexts = places[which] + self.jitter * rng.standard_normal((horizon, self.dim))
            return Rounds(shared(contexts, self.n_arms), chances[which], coins(chances[which], rng))

        noise_std = float(np.sqrt(self.surprise * (1.0 - self.surprise)))
        return Served(self.n_arms, self.dim, noise_std, serve)
