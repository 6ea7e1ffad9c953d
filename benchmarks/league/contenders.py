"""Who plays in the league: the default, its neighbours in the library, the paper's eight, linear methods, and peers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import kernelbandits as kb

DEFAULT = "default"


@final
@dataclass(frozen=True, slots=True)
class Contender:
    """A policy with a name of its own; settings of one method are a family, of which the best counts."""

    name: str
    family: str
    policy: kb.Policy


def contenders(problem: kb.Problem, horizon: int) -> list[Contender]:
    """Everyone from this library. EtC explores for max(d, 5K) rounds, but at most for half of all."""
    n_arms, dim, ridge = problem.n_arms, problem.dim, float(problem.dim)
    eight = kb.paper.methods(dim, max(n_arms, min(max(dim, 5 * n_arms), horizon // 2)))
    return [
        Contender(DEFAULT, DEFAULT, kb.default_policy()),
        Contender("ThompsonSampling", "Thompson", kb.ThompsonSampling()),
        *(Contender(name, "the paper's eight", policy) for name, policy in eight.items()),
        *(
            Contender(f"LinearUCB {alpha:g}", "LinearUCB", kb.LinearUCB(alpha=alpha, ridge=ridge))
            for alpha in (0.1, 0.3, 1.0)
        ),
        *(
            Contender(f"LinearTS {scale:g}", "LinearTS", kb.LinearThompsonSampling(scale=scale, ridge=ridge))
            for scale in (0.3, 1.0)
        ),
        Contender("Uniform", "Uniform", kb.Uniform()),
    ]


def vowpal_wabbits() -> list[Contender]:
    """Settings of Vowpal Wabbit, the best of a dozen that were tried on seed 1000 of nine problems."""
    from benchmarks.league.peers.vowpal_wabbit import VowpalWabbit

    return [
        Contender(f"VW {name}", "Vowpal Wabbit", VowpalWabbit(options))
        for name, options in {
            "squarecb 100": "--squarecb --gamma_scale 100",
            "squarecb 1000": "--squarecb --gamma_scale 1000",
            "squarecb 1000, rate 2": "--squarecb --gamma_scale 1000 --learning_rate 2",
            "squarecb 1000, coin betting": "--squarecb --gamma_scale 1000 --coin",
            "ε-greedy 0.02, rate 2": "--epsilon 0.02 --learning_rate 2",
            "ε-greedy 0.1": "--epsilon 0.1",
        }.items()
    ]


def forests() -> list[Contender]:
    """ε-greedy on random forests."""
    from benchmarks.league.peers.forest_greedy import ForestGreedy

    return [Contender(f"forest, {turns:g} turns", "forest", ForestGreedy(turns=turns)) for turns in (2.0, 5.0)]


def logistic_regressions() -> list[Contender]:
    """Policies of contextualbandits, for one context shared by all arms and rewards of 0 or 1."""
    from benchmarks.league.peers.contextualbandits_policy import ContextualBandits

    percentiles = {"BootstrappedUCB": 80, "AdaptiveGreedy": 30}
    return [
        Contender(name, "contextualbandits", ContextualBandits(name, percentile))
        for name, percentile in percentiles.items()
    ]
