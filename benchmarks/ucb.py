"""CGP-UCB in simulation and live, against the same algorithm written with other tools; the default policy live."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks import ucb_loops
from benchmarks.cases import Case, Goal
from kernelbandits import (
    GPUCB,
    AsGiven,
    Gaussian,
    GaussianProcess,
    LowRank,
    Policy,
    Problem,
    Rounds,
    Synthetic,
    TheoreticalWidth,
    default_policy,
    replay,
)
from kernelbandits.types import IntArray

POLICY = GPUCB(
    GaussianProcess(Gaussian(ucb_loops.GAMMA), ucb_loops.RIDGE), TheoreticalWidth(ucb_loops.DELTA), AsGiven()
)


@cache
def world(horizon: int) -> tuple[Rounds, Problem]:
    """The paper's low-rank design, K = 20, d = 100."""
    instance = Synthetic(LowRank()).draw(np.random.default_rng(0))
    return instance.rounds(horizon, np.random.default_rng(1)), instance.problem(horizon)


def ours(horizon: int) -> IntArray:
    """Play rounds that were drawn beforehand, as `play` does."""
    rounds, problem = world(horizon)
    return replay(POLICY, problem, rounds, np.random.default_rng(2)).arms


def live(horizon: int, policy: Policy = POLICY) -> IntArray:
    """Use `choose` and `observe` as in production: nothing is known of the rounds ahead."""
    rounds, problem = world(horizon)
    agent = policy.start(problem, np.random.default_rng(2))
    arms = np.empty(horizon, dtype=np.int64)
    for t, contexts in enumerate(rounds.contexts):
        arm = arms[t] = agent.choose(contexts).arm
        agent.observe(contexts[arm], int(arm), float(rounds.means[t, arm] + rounds.noise[t]))
    return arms


def _against_peers(horizon: int) -> Mapping[str, Callable[[], Any]]:
    rounds, problem = world(horizon)
    contenders: dict[str, Callable[[], Any]] = {
        "ours": partial(ours, horizon),
        "plain incremental": partial(ucb_loops.plain_incremental, rounds, problem),
        "scikit-learn": partial(ucb_loops.scikit_learn, rounds, problem),
    }
    if find_spec("botorch"):
        contenders["BoTorch"] = partial(ucb_loops.botorch, rounds, problem)
    return contenders


def _live(horizon: int) -> Mapping[str, Callable[[], Any]]:
    rounds, problem = world(horizon)
    return {"ours": partial(live, horizon), "plain incremental": partial(ucb_loops.plain_incremental, rounds, problem)}


def _default_live(horizon: int) -> Mapping[str, Callable[[], Any]]:
    return {**_live(horizon), "ours": partial(live, horizon, default_policy())}


def cases() -> Iterator[Case]:
    """Yield T = 1000 and 2000 in simulation, T = 1000 live."""
    title = "CGP-UCB, K = 20, d = 100, T = {}, one thread, `play`"
    goals = (Goal("plain incremental", 12), Goal("scikit-learn", 60), Goal("BoTorch", 150))
    yield Case("ucb-1000", title.format(1000), partial(_against_peers, 1000), goals=goals, same=True)
    goals = (Goal("plain incremental", 9), Goal("scikit-learn", 40), Goal("BoTorch", 100))
    yield Case("ucb-2000", title.format(2000), partial(_against_peers, 2000), goals=goals, same=True)
    title = "CGP-UCB, K = 20, d = 100, T = 1000, one thread, live `choose` and `observe`"
    yield Case("ucb-live", title, partial(_live, 1000), goals=(Goal("plain incremental", 5),), same=True)
    title = "default_policy(), K = 20, d = 100, T = 1000, one thread, live; the plain loop is CGP-UCB, as a yardstick"
    yield Case("default-live", title, partial(_default_live, 1000))
