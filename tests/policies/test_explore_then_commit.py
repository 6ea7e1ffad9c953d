import numpy as np
import pytest

import examples
import kernelbandits as kb
import oracles

K, DIM = 3, 5
PROBLEM = kb.Problem(K, DIM)
POLICY = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(gamma=4.0)), n_explore=11)
rng = np.random.default_rng(0)
CONTEXTS, NOISE = rng.standard_normal((60, K, DIM)), rng.standard_normal(60)


def rewards(t):
    return np.sin(CONTEXTS[t].sum(axis=1)) + 0.1 * NOISE[t]


def explored(n=11, seed=0):
    """An agent that has played its exploration, and what it chose."""
    agent, decisions = POLICY.start(PROBLEM, seed), []
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


def test_commits_to_the_prediction_of_each_arms_own_data():
    agent, _ = explored()
    for t in range(11, 40):
        decision = agent.choose(CONTEXTS[t])
        expected = []
        for arm in range(K):
            own = list(range(arm, 11, K))
            X, y = CONTEXTS[own, arm], np.array([rewards(s)[arm] for s in own])
            weights = oracles.min_norm_weights(oracles.gaussian(X, X), y)
            expected.append(oracles.gaussian(CONTEXTS[t, arm : arm + 1], X)[0] @ weights)
        assert np.allclose(decision.scores, expected, atol=1e-10)
        assert decision.arm == np.argmax(expected)
        assert decision.propensity == 1.0


def test_later_rewards_are_ignored():
    quiet, shouted = explored()[0], explored()[0]
    for t in range(11, 40):
        first, second = quiet.choose(CONTEXTS[t]), shouted.choose(CONTEXTS[t])
        assert np.array_equal(first.scores, second.scores)
        shouted.observe(CONTEXTS[t, second.arm], second.arm, 1e6)


def test_rewards_may_come_late_but_before_the_commitment():
    prompt, late = explored()[0], POLICY.start(PROBLEM, 0)
    for t in range(11):
        late.choose(CONTEXTS[t])
    for t in range(11):
        late.observe(CONTEXTS[t, t % K], t % K, float(rewards(t)[t % K]))
    assert np.array_equal(prompt.choose(CONTEXTS[20]).scores, late.choose(CONTEXTS[20]).scores)


def test_under_a_mask_the_least_played_eligible_arm_is_next():
    agent = POLICY.start(PROBLEM, 0)
    masks = [[False, True, True], [False, True, True], [True, True, True], [True, True, False], [True, True, True]]
    arms = [agent.choose(CONTEXTS[t], eligible=np.array(mask)).arm for t, mask in enumerate(masks)]
    assert arms == [1, 2, 0, 0, 1]


@pytest.mark.parametrize("never", range(K))
@pytest.mark.parametrize("announced", [False, True])
@pytest.mark.parametrize("estimator", examples.ESTIMATORS, ids=repr)
def test_an_arm_without_data_predicts_zero(estimator, announced, never):
    agent = kb.ExploreThenCommit(estimator, n_explore=11).start(PROBLEM, 0)
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


@pytest.mark.parametrize("n_explore", [1, K - 1])
def test_every_arm_must_have_its_turn(n_explore):
    with pytest.raises(kb.errors.InvalidArgument, match="n_explore must be at least the number of arms, 3"):
        kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Linear()), n_explore).start(PROBLEM, 0)


def test_exploration_must_fit_into_the_horizon():
    with pytest.raises(kb.errors.InvalidArgument, match="n_explore must be at most the horizon, 10; got 11"):
        POLICY.start(kb.Problem(K, DIM, horizon=10), 0)
    POLICY.start(kb.Problem(K, DIM, horizon=11), 0)
