"""A belief with a window forgets, and that pays where rewards drift."""

import numpy as np
from hypothesis import given, strategies as st

import kernelbandits as kb
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.estimation import next_estimate

K, DIM = 3, 4


@given(
    arms=st.lists(st.integers(0, K - 1), max_size=60),
    keeps=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 70)), max_size=4),
)
def test_data_keep_the_newest(arms, keeps):
    """Against a plain list of everything."""
    data, plain = ArmData(K, 1), []
    for i, arm in enumerate(arms):
        data.add(np.array([float(i)]), arm, 10.0 * i)
        plain.append((arm, i))
        for at, newest in keeps:
            if at == i:
                data.keep(newest)
                plain = plain[len(plain) - newest :] if newest < len(plain) else plain
    assert len(data) == len(plain)
    for arm in range(K):
        X, y = data.of(arm)
        own = [i for a, i in plain if a == arm]
        assert sorted(X[:, 0]) == own
        assert np.array_equal(y, 10.0 * X[:, 0])
        assert data.counts[arm] == len(own)


@given(n=st.integers(1, 700), start=st.integers(2, 30))
def test_up_to_an_eighth_more_than_the_window_counts(n, start):
    at = start
    for _ in range(60):
        later = next_estimate(at, n)
        assert later > at
        assert min(at, n) + later - 1 - at <= n + n / 8 or later <= 1.5 * at + 1 <= n + 1
        at = later


def stream(n, seed):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, DIM)), rng.integers(K, size=n), rng.standard_normal(n)


def test_what_is_outside_the_window_does_not_matter():
    """After an estimation the belief is that of the window's rewards alone, whatever came before.

    Deviations follow within some rewards, as they change by a bounded factor with each.
    """
    belief = kb.EmpiricalBayes(window=40)
    contexts, arms, rewards = stream(120, 0)
    count = max(2, K)
    while next_estimate(count, 40) <= 110:
        count = next_estimate(count, 40)
    asked = np.random.default_rng(9).standard_normal((K, DIM))
    answers = []
    for other in (0.0, 100.0):
        tracker = belief.start(kb.Problem(K, DIM))
        for t in range(count + 10):
            reward = float(rewards[t]) + (other if t < count - 40 else 0.0)
            tracker.observe(contexts[t], int(arms[t]), reward)
        answers.append(tracker.mean_and_std(asked))
    np.testing.assert_allclose(*answers, rtol=1e-12)


def turning(seed, horizon, drift):
    """Reward functions that turn into others: cos(a t) f + sin(a t) g, rewards of unit size with noise 0.1."""
    rng = np.random.default_rng(seed)
    environment = kb.Synthetic(kb.LowRank(), n_arms=5, dim=10, kernel=kb.Gaussian(1.0), n_bumps=30, noise_std=0.1)
    first = environment.draw(rng)
    second = kb.SyntheticInstance(environment.draw(rng).rewards, first.context_std, 0.1, 10.0)
    rounds = first.rounds(horizon, rng)
    angle = drift * np.arange(horizon)[:, np.newaxis]
    means = np.cos(angle) * rounds.means + np.sin(angle) * second.means(rounds.contexts)
    return kb.Rounds(rounds.contexts, means / means.std(), rounds.noise)


def regret(window, rounds, seed):
    policy = kb.ThompsonSampling(kb.EmpiricalBayes(window=window))
    trace = kb.replay(policy, kb.Problem(5, 10), rounds, np.random.default_rng(seed))
    return trace.cumulative_regret[-1]


def test_a_window_pays_where_rewards_drift_and_costs_where_they_do_not():
    """A quarter turn in 250 rounds: 0.2 × the regret with the window; without drift twice."""
    ratios = {}
    for drift in (0.0, np.pi / 2 / 250):
        all_rounds = [turning(seed, 450, drift) for seed in range(2)]
        windowed, everything = (
            [regret(window, rounds, seed) for seed, rounds in enumerate(all_rounds)] for window in (120, None)
        )
        ratios[drift] = np.array(windowed) / everything
    steady, drifting = ratios.values()
    assert drifting.max() < 0.8
    assert steady.min() > 1.0, "forgetting costs where nothing changes: not the default"
