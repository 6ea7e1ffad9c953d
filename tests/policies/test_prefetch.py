"""A hint about coming contexts saves time and must not change a decision, whenever rewards arrive."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import examples
import kernelbandits as kb

HORIZON, K, DIM = 40, 3, 4
INSTANCE = kb.Synthetic(kb.ApproximateLowRank(), n_arms=K, dim=DIM, n_bumps=20).draw(np.random.default_rng(0))
PROBLEM = INSTANCE.problem(HORIZON)
ROUNDS = INSTANCE.rounds(HORIZON, np.random.default_rng(1))
GP = kb.GPUCB(kb.GaussianProcess(kb.Gaussian(), ridge=0.1), kb.ConstantWidth(2.0))
every_policy = pytest.mark.parametrize("policy", examples.POLICIES, ids=repr)


def observation(t, arm):
    return ROUNDS.contexts[t, arm], arm, float(ROUNDS.means[t, arm] + ROUNDS.noise[t])


def decisions(policy, delays, block=None, repeats=()):
    """Play, the reward of round t arriving after round t + delays[t]; some rewards arrive twice."""
    agent, scores, due = policy.start(PROBLEM, 0), [], []
    for t in range(HORIZON):
        if block and t % block == 0:
            agent.prefetch(ROUNDS.contexts[t : t + block])
        decision = agent.choose(ROUNDS.contexts[t])
        scores.append(decision.scores)
        due += [(t + delays[t], t, decision.arm)] * (2 if t in repeats else 1)
        for when, s, arm in due:
            if when == t:
                agent.observe(*observation(s, arm))
    return np.array(scores)


@every_policy
def test_delayed_rewards(policy):
    """Rewards that come at once are in the contract of every policy."""
    delays = [3] * HORIZON
    plain = decisions(policy, delays)
    for block in (5, HORIZON):
        assert np.allclose(plain, decisions(policy, delays, block), atol=1e-9)


@every_policy
def test_rewards_in_batches_some_of_them_twice(policy):
    delays, repeats = [3 - t % 4 for t in range(HORIZON)], range(0, HORIZON, 3)
    plain = decisions(policy, delays, repeats=repeats)
    assert np.allclose(plain, decisions(policy, delays, block=16, repeats=repeats), atol=1e-9)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 6), min_size=HORIZON, max_size=HORIZON), st.integers(1, 20))
def test_any_delays(delays, block):
    assert np.allclose(decisions(GP, delays), decisions(GP, delays, block), atol=1e-9)


@every_policy
def test_the_callers_buffer_may_be_reused(policy):
    """Contexts are read into one buffer again and again; what was hinted must not change with it."""
    plain, hinted = policy.start(PROBLEM, 0), policy.start(PROBLEM, 0)
    buffer = np.empty((1, K, DIM))
    for t in range(HORIZON):
        buffer[0] = ROUNDS.contexts[t - 1]
        hinted.prefetch(buffer)
        buffer[0] = ROUNDS.contexts[t]
        first, second = plain.choose(ROUNDS.contexts[t]), hinted.choose(buffer[0])
        assert np.allclose(first.scores, second.scores, atol=1e-9)
        for agent in (plain, hinted):
            agent.observe(*observation(t, first.arm))


def test_rewards_of_other_arms_and_contexts():
    """Logged data from elsewhere may be fed in between, hinted contexts or not."""
    plain, hinted = GP.start(PROBLEM, 0), GP.start(PROBLEM, 0)
    hinted.prefetch(ROUNDS.contexts)
    rng = np.random.default_rng(3)
    for t in range(HORIZON):
        first, second = plain.choose(ROUNDS.contexts[t]), hinted.choose(ROUNDS.contexts[t])
        assert np.allclose(first.scores, second.scores, atol=1e-9)
        for agent in (plain, hinted):
            agent.observe(*observation(t, (first.arm + 1) % K))
        x = rng.standard_normal(DIM)
        for agent in (plain, hinted):
            agent.observe(x, t % K, 0.25)


def test_a_refused_hint_is_forgotten():
    """This kernel knows no zero vector, which only shows when the hint is worked on."""
    kernel = kb.Schoenberg(coefficients=(0.5, 0.5), dim=DIM)
    policy = kb.GPUCB(kb.GaussianProcess(kernel, ridge=0.1), kb.ConstantWidth(1.0))
    plain, hinted = policy.start(PROBLEM, 0), policy.start(PROBLEM, 0)
    for agent in (plain, hinted):
        for t in range(9):
            agent.observe(*observation(t, t % K))
    hint = ROUNDS.contexts[:4].copy()
    hint[2, 1] = 0.0
    with pytest.raises(kb.errors.InvalidArgument, match="zero vector"):
        hinted.prefetch(hint)
    for t in range(4):
        assert np.allclose(plain.choose(ROUNDS.contexts[t]).scores, hinted.choose(ROUNDS.contexts[t]).scores)
