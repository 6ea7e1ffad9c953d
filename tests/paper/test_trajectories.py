"""Every method of the paper plays, arm for arm, what its formulas say."""

from functools import cache

import numpy as np
import pytest

import kernelbandits as kb
import oracles

HORIZON = 180
DESIGNS = {"low-rank": kb.LowRank(), "approximate": kb.ApproximateLowRank(), "decay": kb.SpectralDecay()}
METHODS = [
    "EtC",
    "EtC-Ridge",
    "EtC-Linear",
    "EtC-Linear-Ridge",
    "CGP-UCB",
    "CGP-UCB-Ridgeless",
    "CGP-UCB-Scaled",
    "CGP-UCB-Scaled-Ridgeless",
]
PAPER = (20, 100, 100)  # arms K, features d, exploration rounds T₀
SMALL = (4, 6, 60)  # few enough features that CGP-UCB learns, more draws an arm than features


@cache
def drawn(size, design, seed):
    n_arms, dim, _ = size
    instance = kb.Synthetic(DESIGNS[design], n_arms=n_arms, dim=dim).draw(np.random.default_rng(seed))
    return instance.problem(HORIZON), instance.rounds(HORIZON, np.random.default_rng(1000 + seed))


@cache
def expected_arms(size, design, seed, method):
    problem, rounds = drawn(size, design, seed)
    return oracles.paper_arms(method, rounds, problem.reward_norms, problem.noise_std, n_explore=size[2])


def policy(method, size):
    return kb.paper.methods(dim=size[1], n_explore=size[2])[method]


def test_the_paper_has_eight_methods():
    assert list(kb.paper.methods(dim=100)) == METHODS


def test_exploration_lasts_as_many_rounds_as_there_are_features():
    assert kb.paper.methods(dim=100) == kb.paper.methods(dim=7, n_explore=100) != kb.paper.methods(dim=7)


@pytest.mark.parametrize("size", [PAPER, SMALL], ids=["paper", "small"])
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
@pytest.mark.parametrize("method", METHODS)
def test_arms_are_those_of_the_formulas(size, design, seed, method):
    trace = kb.replay(policy(method, size), *drawn(size, design, seed), np.random.default_rng(seed))
    assert np.array_equal(trace.arms, expected_arms(size, design, seed, method))


@pytest.mark.parametrize("size", [PAPER, SMALL], ids=["paper", "small"])
@pytest.mark.parametrize("method", METHODS)
def test_one_round_at_a_time_gives_the_same_arms(size, method):
    """Without hints about coming contexts, as a service would call it."""
    problem, rounds = drawn(size, "decay", 0)
    agent = policy(method, size).start(problem, 0)
    arms = []
    for t in range(HORIZON):
        arm = agent.choose(rounds.contexts[t]).arm
        agent.observe(rounds.contexts[t, arm], arm, float(rounds.means[t, arm] + rounds.noise[t]))
        arms.append(arm)
    assert np.array_equal(arms, expected_arms(size, "decay", 0, method))


@pytest.mark.parametrize("design", DESIGNS)
def test_the_methods_do_differ(design):
    """If two methods played alike, equality with the oracle would say little."""
    played = {tuple(expected_arms(SMALL, design, 0, method)) for method in METHODS}
    assert len(played) == len(METHODS)
