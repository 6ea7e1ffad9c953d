from dataclasses import replace

import numpy as np
import pytest

import examples
import kernelbandits as kb
import oracles

K, DIM = 3, 5
PROBLEM = kb.Problem(K, DIM)
POLICY = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(gamma=4.0)), n_explore=11)
UNITS = pytest.mark.parametrize("units", [kb.AsGiven(), kb.Standardized()], ids=repr)
rng = np.random.default_rng(0)
CONTEXTS, NOISE = rng.standard_normal((60, K, DIM)), rng.standard_normal(60)


def rewards(t):
    return np.sin(CONTEXTS[t].sum(axis=1)) + 0.1 * NOISE[t]


def explored(n=11, seed=0, policy=POLICY):
    """An agent that has played its exploration, and what it chose."""
    agent, decisions = policy.start(PROBLEM, seed), []
    for t in range(n):
        decision = agent.choose(CONTEXTS[t])
        agent.observe(CONTEXTS[t, decision.arm], decision.arm, float(rewards(t)[decision.arm]))
        decisions.append(decision)
    return agent, decisions


def test_explores_in_turn_for_exactly_n_explore_rounds():
    agent, decisions = explored()
    assert [d.arm for d in decisions] == [t % K for t in range(11)]
    assert all(d.explored and d.propensity == 1.0 for d in decisions)
    assert not agent.choose(CONTEXTS[11]).explored


@UNITS
def test_commits_to_the_prediction_of_each_arms_own_data(units):
    agent, _ = explored(policy=replace(POLICY, rewards=units))
    own = [list(range(arm, 11, K)) for arm in range(K)]
    data = [(CONTEXTS[own[arm], arm], np.array([rewards(s)[arm] for s in own[arm]])) for arm in range(K)]
    levels = units.levels([y for _, y in data])
    for t in range(11, 40):
        decision = agent.choose(CONTEXTS[t])
        expected = []
        for arm, (X, y) in enumerate(data):
            weights = oracles.min_norm_weights(oracles.gaussian(X, X), y - levels[arm])
            expected.append(levels[arm] + oracles.gaussian(CONTEXTS[t, arm : arm + 1], X)[0] @ weights)
        assert np.allclose(decision.scores, expected, atol=1e-10)
        assert decision.arm == np.argmax(expected)
        assert decision.propensity == 1.0


def test_later_rewards_are_ignored():
    quiet, shouted = explored()[0], explored()[0]
    for t in range(11, 40):
        first, second = quiet.choose(CONTEXTS[t]), shouted.choose(CONTEXTS[t])
        assert np.array_equal(first.scores, second.scores)
        shouted.observe(CONTEXTS[t, second.arm], second.arm, 1e6)


def late_play(delay, n=60, policy=POLICY):
    """All decisions and the agent, if the reward of every round comes `delay` rounds later."""
    agent, decisions = policy.start(PROBLEM, 0), []
    for t in range(n):
        decisions.append(agent.choose(CONTEXTS[t]))
        if (s := t - delay) >= 0:
            arm = decisions[s].arm
            agent.observe(CONTEXTS[s, arm], arm, float(rewards(s)[arm]))
    return agent, decisions


@pytest.mark.parametrize("delay", [0, 1, 5, 6, 11, 16, 17, 25])
def test_rewards_of_turns_count_whenever_they_come(delay):
    """Turns go on until half of T₀ rewards are in, at most 2 T₀, and beyond while none is in."""
    agent, decisions = late_play(delay)
    n_turns = max(11, min(delay + 6, 22), delay + 1)
    assert [decision.explored for decision in decisions] == [t < n_turns for t in range(60)]
    assert [decision.arm for decision in decisions[:n_turns]] == [t % K for t in range(n_turns)]
    prompt, _ = explored(n_turns, policy=replace(POLICY, n_explore=n_turns))
    np.testing.assert_array_equal(agent.choose(CONTEXTS[20]).scores, prompt.choose(CONTEXTS[20]).scores)


@pytest.mark.parametrize("n", [10, 100])
def test_without_rewards_turns_go_on(n):
    agent = POLICY.start(PROBLEM, 0)
    assert [agent.choose(CONTEXTS[t % 60]).arm for t in range(n)] == [t % K for t in range(n)]


def test_late_rewards_are_fitted_in_any_order():
    agent, decisions = late_play(60, n=22)
    for t in reversed(range(22)):
        agent.observe(CONTEXTS[t, decisions[t].arm], decisions[t].arm, float(rewards(t)[decisions[t].arm]))
        agent.choose(CONTEXTS[0])
    prompt, _ = explored(22, policy=replace(POLICY, n_explore=22))
    agent.choose(CONTEXTS[0])
    np.testing.assert_allclose(agent.choose(CONTEXTS[20]).scores, prompt.choose(CONTEXTS[20]).scores, atol=1e-9)


def test_delays_cost_little():
    """T₀ = 100 of 1000 rounds on the paper's size; the exploration of a delay is what must be paid."""
    instance = kb.Synthetic(kb.LowRank(), n_arms=5, dim=50).draw(1)
    rounds = instance.rounds(1000, np.random.default_rng(2))
    policy, regrets = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(4.0)), 100), []
    for delay in (0, 100, 300):
        agent, arms = policy.start(instance.problem(1000), 0), []
        for t, shown in enumerate(rounds.contexts):
            arms.append(agent.choose(shown).arm)
            if (s := t - delay) >= 0:
                agent.observe(rounds.contexts[s, arms[s]], arms[s], float(rounds.means[s, arms[s]] + rounds.noise[s]))
        regrets.append(float((rounds.means.max(axis=1) - rounds.means[np.arange(1000), arms]).sum()))
    at_random = float((rounds.means.max(axis=1) - rounds.means.mean(axis=1)).mean())
    assert regrets[1] < regrets[0] + 60 * at_random
    assert regrets[2] < regrets[0] + 220 * at_random


@UNITS
def test_what_was_observed_counts_as_explored(units):
    """A start from a log: T₀ rewards are an exploration, fewer are a part of one."""
    agent = kb.ExploreThenCommit(POLICY.estimator, 40, units).start(PROBLEM, 0)
    for t in range(60):
        agent.observe(CONTEXTS[t, t % K], t % K, float(rewards(t)[t % K]))
    assert not any(agent.choose(CONTEXTS[t]).explored for t in range(12))
    partly = replace(POLICY, rewards=units).start(PROBLEM, 0)
    for t, arm in enumerate([0, 0, 0, 0, 1]):
        partly.observe(CONTEXTS[t, arm], arm, 0.5)
    decisions = []
    for t in range(8):
        decisions.append(partly.choose(CONTEXTS[t]))
        partly.observe(CONTEXTS[t, decisions[-1].arm], decisions[-1].arm, 0.5)
    assert [decision.arm for decision in decisions[:6]] == [2, 1, 2, 1, 2, 1]
    assert [decision.explored for decision in decisions] == [True] * 6 + [False] * 2


def test_one_arm_far_below_does_not_touch_the_others():
    shifted = np.array([-300.0, 0.0, 0.0])
    near, far = (POLICY.start(PROBLEM, 0) for _ in range(2))
    for t in range(11):
        for agent, shift in ((near, 0.0), (far, shifted)):
            arm = agent.choose(CONTEXTS[t]).arm
            agent.observe(CONTEXTS[t, arm], arm, float((rewards(t) + shift)[arm]))
    only = np.array([False, True, True])
    differences = [near.choose(x, only).scores[1:] - far.choose(x, only).scores[1:] for x in CONTEXTS[11:]]
    assert np.abs(differences).max() < 1.0  # rewards lie between −1 and 1


def test_under_a_mask_the_least_played_eligible_arm_is_next():
    agent = POLICY.start(PROBLEM, 0)
    masks = [[False, True, True], [False, True, True], [True, True, True], [True, True, False], [True, True, True]]
    arms = [agent.choose(CONTEXTS[t], eligible=np.array(mask)).arm for t, mask in enumerate(masks)]
    assert arms == [1, 2, 0, 0, 1]


@pytest.mark.parametrize("never", range(K))
@pytest.mark.parametrize("announced", [False, True])
@pytest.mark.parametrize("estimator", examples.ESTIMATORS, ids=repr)
def test_an_arm_without_data_predicts_zero_as_given(estimator, announced, never):
    agent = kb.ExploreThenCommit(estimator, 11, kb.AsGiven()).start(PROBLEM, 0)
    data = [[] for _ in range(K)]
    for t in range(11):
        arm = agent.choose(CONTEXTS[t], eligible=np.arange(K) != never).arm
        agent.observe(CONTEXTS[t, arm], arm, -1.0)
        data[arm].append(CONTEXTS[t, arm])
    if announced:
        agent.prefetch(CONTEXTS[11:13])
    scores = agent.choose(CONTEXTS[11]).scores
    for arm, X in enumerate(data):
        expected = estimator.fit(X, -np.ones(len(X))).mean(CONTEXTS[11, arm : arm + 1])[0] if X else 0.0
        assert scores[arm] == pytest.approx(expected, abs=1e-9)


def test_an_arm_without_data_predicts_the_median_of_the_levels():
    agent = POLICY.start(kb.Problem(4, DIM), 0)
    for t in range(12):
        arm = agent.choose(CONTEXTS[t, [0, 1, 2, 2]], eligible=np.arange(4) < 3).arm
        agent.observe(CONTEXTS[t, arm], arm, [-100.0, 7.0, 8.0][arm])
    assert agent.choose(CONTEXTS[12, [0, 1, 2, 2]]).scores[3] == pytest.approx(7.0)


@pytest.mark.parametrize("n_explore", [1, K - 1])
def test_every_arm_must_have_its_turn(n_explore):
    with pytest.raises(kb.errors.InvalidArgument, match="n_explore must be at least the number of arms, 3"):
        kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Linear()), n_explore).start(PROBLEM, 0)


def test_exploration_must_fit_into_the_horizon():
    with pytest.raises(kb.errors.InvalidArgument, match="n_explore must be at most the horizon, 10; got 11"):
        POLICY.start(kb.Problem(K, DIM, horizon=10), 0)
    POLICY.start(kb.Problem(K, DIM, horizon=11), 0)
