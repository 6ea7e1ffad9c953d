"""Who plays in the league: the default, its neighbours in the library, the paper's eight, linear methods, and peers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import kernelbandits as kb
from benchmarks.league.places import Place

DEFAULT = "default"


@final
@dataclass(frozen=True, slots=True)
class Contender:
    """A policy with a name of its own; settings of one method are a family, of which the best counts."""

    name: str
    family: str
    policy: kb.Policy


def contenders(place: Place, with_peers: bool) -> list[Contender]:
    """Everyone who can play here. EtC explores for max(d, 5K) rounds, but at most for half of all."""
    problem = place.environment.draw(0).problem()
    n_arms, dim, ridge = problem.n_arms, problem.dim, float(problem.dim)
    eight = kb.paper.methods(dim, max(n_arms, min(max(dim, 5 * n_arms), place.horizon // 2)))
    found = [
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
    return found + peers(place) if with_peers else found


def peers(place: Place) -> list[Contender]:
    """Methods of other libraries that can play here: contextualbandits needs one context for all arms, and coins."""
    from benchmarks.league.peers.contextualbandits_policy import AdaptiveGreedy, BootstrappedUCB
    from benchmarks.league.peers.forest_greedy import ForestGreedy
    from benchmarks.league.peers.vowpal_wabbit import VowpalWabbit

    found = [
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
    found += [Contender(f"forest, {turns:g} turns", "forest", ForestGreedy(turns=turns)) for turns in (2.0, 5.0)]
    if place.coins:
        found += [
            Contender("BootstrappedUCB", "contextualbandits", BootstrappedUCB()),
            Contender("AdaptiveGreedy", "contextualbandits", AdaptiveGreedy()),
        ]
    return found
