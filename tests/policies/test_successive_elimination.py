"""Turns for the arms that may be the best: against refitting everything, and that it pays."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import kernelbandits as kb
import oracles

K, DIM, HORIZON = 4, 10, 70
INSTANCE = kb.Synthetic(kb.ApproximateLowRank(), n_arms=K, dim=DIM).draw(np.random.default_rng(0))
MODEL = kb.GaussianProcess(kb.Gaussian(4.0), ridge=1e-8)


def rounds_of(seed):
    return INSTANCE.rounds(HORIZON, np.random.default_rng(seed))


def play(policy, rounds, horizon=HORIZON):
    agent, decisions = policy.start(kb.Problem(K, DIM, horizon), 0), []
    for t, shown in enumerate(rounds.contexts):
        decisions.append(agent.choose(shown))
        arm = decisions[-1].arm
        agent.observe(shown[arm], arm, float(rounds.means[t, arm] + rounds.noise[t]))
    return decisions


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("share", [0.05, 0.6])
@pytest.mark.parametrize("units", [kb.AsGiven(), kb.Standardized()], ids=repr)
def test_turns_are_those_of_refitting_everything(seed, share, units):
    rounds = rounds_of(seed)
    expected = oracles.successive_elimination(rounds, oracles.gaussian, 1e-8, share, 120, 40, units.left_out_levels)
    decisions = play(kb.SuccessiveElimination(MODEL, share, cap=40, rewards=units), rounds, horizon=120)
    assert [decision.explored for decision in decisions] == [t < len(expected) for t in range(HORIZON)]
    assert [decision.arm for decision in decisions[: len(expected)]] == expected


def test_some_arms_have_fewer_turns_and_are_played_in_the_end():
    counts, later = np.zeros(K), set()
    for seed in range(20):
        decisions = play(kb.SuccessiveElimination(MODEL, share=0.6), rounds_of(seed))
        counts += np.bincount([decision.arm for decision in decisions if decision.explored], minlength=K)
        later |= {decision.arm for decision in decisions if not decision.explored}
    assert counts.max() > 1.2 * counts.min()
    assert counts.argmin() in later


def test_with_a_tiny_share_it_is_adaptive_explore_then_commit():
    """Rewards of which each may be the largest: nobody is dropped."""
    same = kb.Synthetic(kb.LowRank(n_active=1), n_arms=K, dim=DIM, noise_std=3.0).draw(np.random.default_rng(5))
    rounds = same.rounds(HORIZON, np.random.default_rng(6))
    some = play(kb.SuccessiveElimination(MODEL, share=1e-9), rounds)
    every = play(kb.AdaptiveExploreThenCommit(MODEL), rounds)
    assert [decision.arm for decision in some] == [decision.arm for decision in every]


@settings(max_examples=20)
@given(st.integers(0, 2**20), st.integers(K, 60), st.sampled_from([None, 50, 10_000]), st.floats(0.01, 0.99))
def test_never_more_than_the_cap(seed, cap, horizon, share):
    decisions = play(kb.SuccessiveElimination(MODEL, share, cap), rounds_of(seed), horizon)
    assert sum(decision.explored for decision in decisions) <= cap


def test_no_contender_is_eligible():
    """Then the best prediction among the others is played, and that is no turn."""
    agent, rng = kb.SuccessiveElimination(MODEL, share=0.9).start(kb.Problem(K, DIM, 1000), 0), np.random.default_rng(7)
    for _ in range(3 * K):
        shown = rng.standard_normal((K, DIM))
        arm = agent.choose(shown).arm
        agent.observe(shown[arm], arm, [0.0, 0.1, 5.0, 5.0][arm] + 0.1 * rng.standard_normal())
    decision = agent.choose(rng.standard_normal((K, DIM)), eligible=np.array([True, True, False, False]))
    assert (decision.explored, decision.arm in (0, 1)) == (False, True)


def test_dropping_arms_pays():
    """Against turns for all arms, on the paper's size."""
    environment = kb.Synthetic(kb.SpectralDecay(), n_arms=20, dim=100)
    policies = (kb.SuccessiveElimination(), kb.AdaptiveExploreThenCommit())
    regrets = np.zeros(2)
    for seed in range(1000, 1002):
        instance = environment.draw(seed)
        regrets += [kb.play(policy, instance, 1000, rng=seed).regrets.sum() for policy in policies]
    assert regrets[0] < 0.9 * regrets[1]


def test_every_arm_must_have_its_turn():
    with pytest.raises(kb.errors.InvalidArgument, match="cap must be at least the number of arms"):
        kb.SuccessiveElimination(cap=3).start(kb.Problem(K, DIM), 0)
