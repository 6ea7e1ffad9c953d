"""Greedy interpolation against refitting every arm in every round."""

import numpy as np
import pytest

import kernelbandits as kb
import oracles

K, DIM, HORIZON = 3, 8, 120
INSTANCE = kb.Synthetic(kb.LowRank(), n_arms=K, dim=DIM).draw(np.random.default_rng(0))
ROUNDS = INSTANCE.rounds(HORIZON, np.random.default_rng(1))
POLICY = kb.GreedyInterpolation(kb.GaussianProcess(kb.Gaussian(4.0), ridge=1e-8), n_initial=2, rewards=kb.AsGiven())


def refitted(arm, own, x):
    """The interpolator of an arm's rewards in the rounds `own`, at x."""
    X, y = ROUNDS.contexts[own, arm], ROUNDS.means[own, arm] + ROUNDS.noise[own]
    return oracles.gaussian([x], X)[0] @ oracles.min_norm_weights(oracles.gaussian(X, X), y)


def test_plays_the_best_of_interpolators_fitted_anew():
    agent, played = POLICY.start(kb.Problem(K, DIM), 0), [[] for _ in range(K)]
    for t, shown in enumerate(ROUNDS.contexts):
        decision = agent.choose(shown)
        if t < 2 * K:
            assert (len(played[decision.arm]), decision.explored, decision.propensity) == (t // K, True, 1.0)
        else:
            scores = [refitted(arm, played[arm], shown[arm]) for arm in range(K)]
            np.testing.assert_allclose(decision.scores, scores, atol=1e-4)
            assert (decision.arm, decision.explored, decision.propensity) == (np.argmax(scores), False, 1.0)
        played[decision.arm].append(t)
        agent.observe(shown[decision.arm], decision.arm, float(ROUNDS.means[t, decision.arm] + ROUNDS.noise[t]))


def test_rewards_of_a_repeated_context_are_averaged():
    agent, x = POLICY.start(kb.Problem(K, DIM), 0), np.ones(DIM)
    for reward in (1.0, 2.0, 6.0):
        agent.observe(x, 0, reward)
    for _ in range(2 * K):
        agent.choose(x)
    np.testing.assert_allclose(agent.choose(x).scores, [3.0, 0.0, 0.0], atol=1e-6)


def test_the_order_of_rewards_does_not_matter():
    problem = kb.Problem(K, DIM)
    first, second = POLICY.start(problem, 0), POLICY.start(problem, 0)
    order = np.random.default_rng(3).permutation(60)
    for agent, rows in ((first, range(60)), (second, order)):
        for t in rows:
            agent.observe(ROUNDS.contexts[t, t % K], t % K, float(ROUNDS.means[t, t % K]))
        for _ in range(2 * K):
            agent.choose(ROUNDS.contexts[0])
    for shown in ROUNDS.contexts[60:]:
        np.testing.assert_allclose(first.choose(shown).scores, second.choose(shown).scores, atol=1e-6)


def test_learning_on_pays():
    """Against Explore-then-Commit with the same exploration, on five instances."""
    environment = kb.Synthetic(kb.ApproximateLowRank(), n_arms=5, dim=20)
    greedy = kb.GreedyInterpolation(n_initial=3)
    stuck = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian(4.0)), n_explore=15)
    regrets = np.zeros(2)
    for seed in range(1000, 1005):
        instance = environment.draw(seed)
        regrets += [kb.play(policy, instance, 400, rng=seed).regrets.sum() for policy in (greedy, stuck)]
    assert regrets[0] < 0.8 * regrets[1]


def test_an_arm_must_have_a_turn():
    with pytest.raises(kb.errors.InvalidArgument, match="n_initial must be a whole number of at least 1"):
        kb.GreedyInterpolation(n_initial=0)
