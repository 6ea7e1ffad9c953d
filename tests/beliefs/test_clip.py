"""With `clip`, a single wild reward moves a belief only so far."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

import kernelbandits as kb
from kernelbandits.beliefs.estimation import clipped, clipped_first

K, DIM = 3, 4
number = st.floats(-1e6, 1e6)


@given(reward=number, mean=number, std=st.floats(1e-3, 1e3), limit=st.floats(0.1, 10.0))
def test_clipped_to_the_limit(reward, mean, std, limit):
    reach = limit * std
    taken = clipped(reward, mean, reach)
    assert taken == pytest.approx(float(np.clip(reward, mean - reach, mean + reach)))
    if abs(reward - mean) < 0.999 * reach:
        assert taken == reward


def test_without_a_prediction_nothing_is_clipped():
    """A predicted deviation of 0 (all rewards were the same so far) says nothing about the next."""
    assert clipped(5.0, 1.0, 0.0) == 5.0
    assert clipped_first(np.array([0.0, 0.0, 0.0, 1.0]), 3.0).tolist() == [0.0, 0.0, 0.0, 1.0]
    rounded = [0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2, 1.0]  # differ by their last bit
    assert clipped_first(np.array(rounded), 3.0).tolist() == rounded
    assert clipped_first(np.array([-1.0, 0.0, 1.0, 2.0, 1e9]), 3.0).max() == pytest.approx(1.0 + 3.0 * 1.4826)


@pytest.mark.parametrize("clip", [1.0, 3.0])
@pytest.mark.parametrize("value", [0.1, 0.7, -1e6 / 3.0, 0.0])
@pytest.mark.parametrize("belief", [kb.EmpiricalBayes(), kb.EmpiricalBayes(window=30)], ids=repr)
def test_equal_rewards_at_first_do_not_freeze_it(belief, value, clip):
    """Their amplitude is 0, and not what rounding makes of it: nothing to measure surprises by."""
    rng = np.random.default_rng(0)
    tracker = replace(belief, clip=clip).start(kb.Problem(K, DIM))
    for t in range(20):
        tracker.observe(rng.standard_normal(DIM), t % K, value)
        mean, std = tracker.mean_and_std(rng.standard_normal((K, DIM)))
        if t > K:
            assert mean == pytest.approx(np.full(K, value), rel=1e-12)
            assert not std.any()
    for t in range(60):
        tracker.observe(rng.standard_normal(DIM), t % K, value + 5.0 + 0.1 * rng.standard_normal())
    mean, std = tracker.mean_and_std(rng.standard_normal((K, DIM)))
    assert (mean > value + 1.0).all()
    assert (std > 0.005).all()


def test_arms_that_pay_constantly_but_differently_do_not_freeze_it():
    rng = np.random.default_rng(0)
    tracker = kb.EmpiricalBayes(clip=3.0).start(kb.Problem(K, DIM))
    for t in range(24):
        tracker.observe(rng.standard_normal(DIM), t % K, (0.1, 0.3, 0.7)[t % K])
    mean, std = tracker.mean_and_std(rng.standard_normal((K, DIM)))
    assert mean == pytest.approx([0.1, 0.3, 0.7])
    assert (std > 0.01).all()
    for t in range(60):
        tracker.observe(rng.standard_normal(DIM), t % K, 2.0 + 0.1 * rng.standard_normal())
    assert (tracker.mean_and_std(rng.standard_normal((K, DIM)))[0] > mean + 0.3).all()


def tracked(clip, wild_at, size, n=80):
    rng = np.random.default_rng(0)
    tracker = kb.EmpiricalBayes(clip=clip).start(kb.Problem(K, DIM))
    for t in range(n):
        x, arm = rng.standard_normal(DIM), t % K
        reward = x[0] + 0.1 * rng.standard_normal() + size * (t in wild_at)
        tracker.observe(x, arm, float(reward))
    return np.concatenate(tracker.mean_and_std(rng.standard_normal((K, DIM))))


@pytest.mark.parametrize("place", [0, 2, 40, 79])
def test_the_size_of_a_wild_reward_does_not_matter(place):
    """From the first reward to the last: ten thousand or a million, it is clipped to the same."""
    large, larger = (tracked(3.0, {place}, size) for size in (1e4, 1e6))
    assert np.allclose(large, larger, rtol=1e-6)
    raw = [tracked(None, {place}, size) for size in (1e4, 1e6)]
    assert not np.allclose(*raw, rtol=0.5)
    assert np.abs(large - tracked(3.0, set(), 0.0)).max() < 2.0


def contaminated(seed, horizon, share, size):
    rng = np.random.default_rng(seed)
    environment = kb.Synthetic(kb.LowRank(), n_arms=5, dim=10, kernel=kb.Gaussian(1.0), n_bumps=30, noise_std=0.1)
    rounds = environment.draw(rng).rounds(horizon, rng)
    wild = (rng.random(horizon) < share) * size * rng.standard_normal(horizon)
    return kb.Rounds(rounds.contexts, rounds.means / rounds.means.std(), rounds.noise + wild)


def regret(clip, rounds, seed):
    policy = kb.ThompsonSampling(kb.EmpiricalBayes(clip=clip))
    trace = kb.replay(policy, kb.Problem(5, 10), rounds, np.random.default_rng(seed))
    return trace.cumulative_regret[-1]


@pytest.mark.parametrize(("share", "size", "most"), [(0.05, 20.0, 0.7), (0.0, 0.0, 1.2)])
def test_it_pays_where_rewards_are_contaminated_and_costs_little_where_not(share, size, most):
    totals = np.zeros(2)
    for seed in range(2):
        rounds = contaminated(seed, 250, share, size)
        totals += [regret(clip, rounds, seed) for clip in (3.0, None)]
    with_clip, without = totals
    assert with_clip < most * without


def test_it_depends_on_the_order_of_rewards():
    """As its description says."""
    rng = np.random.default_rng(1)
    contexts, arms = rng.standard_normal((40, DIM)), np.arange(40) % K
    rewards = contexts[:, 0] + 5.0 * (rng.random(40) < 0.2)
    answers = []
    for order in (range(40), range(39, -1, -1)):
        tracker = kb.EmpiricalBayes(clip=2.0).start(kb.Problem(K, DIM))
        for t in order:
            tracker.observe(contexts[t], int(arms[t]), float(rewards[t]))
        answers.append(tracker.mean_and_std(contexts[:K])[0])
    assert not np.allclose(*answers, atol=1e-3)


def test_the_expected_distance_includes_the_noise():
    """The mean at a context that is shown again and again becomes certain, its rewards do not."""
    rng = np.random.default_rng(0)
    contexts, rewards = rng.standard_normal((3, 2)), rng.exponential(size=300)
    agent = kb.CalibratedUCB(kb.EmpiricalBayes(clip=3.0), width=0.0, n_initial=0).start(kb.Problem(1, 2), rng=0)
    for t, reward in enumerate(rewards):
        agent.observe(contexts[t % 3], 0, float(reward))
    assert agent.choose(contexts[:1]).scores[0] == pytest.approx(rewards.mean(), rel=0.1)
