"""LinearUCB and LinearThompsonSampling against the formulas of their papers, worked out from all data every round."""

import numpy as np
import pytest
from scipy.stats import chisquare

import kernelbandits as kb

K, DIM = 3, 4


def ridge_regression(X, y, ridge):
    """A⁻¹ and θ from scratch."""
    A = ridge * np.eye(X.shape[1]) + X.T @ X
    return np.linalg.inv(A), np.linalg.solve(A, X.T @ y)


def with_one(X):
    return np.column_stack([X, np.ones(len(X))])


@pytest.mark.parametrize("intercept", [True, False])
def test_the_belief_is_ridge_regression_for_every_arm(intercept):
    rng = np.random.default_rng(0)
    tracker = kb.LinearArms(0.7, intercept, kb.AsGiven()).start(kb.Problem(K, DIM))
    X, y, arms = rng.standard_normal((200, DIM)), rng.standard_normal(200), rng.integers(K, size=200)
    for x, reward, arm in zip(X, y, arms, strict=True):
        tracker.observe(x, int(arm), float(reward))
    contexts = rng.standard_normal((K, DIM))
    mean, width = tracker.mean_and_std(contexts)
    features, shown = (with_one(X), with_one(contexts)) if intercept else (X, contexts)
    for arm in range(K):
        inverse, theta = ridge_regression(features[arms == arm], y[arms == arm], 0.7)
        assert mean[arm] == pytest.approx(theta @ shown[arm], rel=1e-11)
        assert width[arm] == pytest.approx(np.sqrt(shown[arm] @ inverse @ shown[arm]), rel=1e-11)


def test_many_copies_of_a_point_keep_the_width_right():
    tracker = kb.LinearArms(1e-8, intercept=False, rewards=kb.AsGiven()).start(kb.Problem(1, 2))
    for _ in range(10_000):
        tracker.observe(np.array([1e3, 0.0]), 0, 1.0)
    mean, width = tracker.mean_and_std(np.array([[1e3, 0.0]]))
    assert mean[0] == pytest.approx(1.0, rel=1e-9)
    assert width[0] == pytest.approx(0.01, rel=1e-9)
    _, width = tracker.mean_and_std(np.array([[0.0, 1.0]]))
    assert width[0] == pytest.approx(1e4, rel=1e-12)


def test_linear_ucb_plays_the_largest_bound():
    rng = np.random.default_rng(1)
    agent = kb.LinearUCB(alpha=0.8, ridge=2.0, rewards=kb.AsGiven()).start(kb.Problem(K, DIM), rng=0)
    data = [(np.empty((0, DIM + 1)), np.empty(0)) for _ in range(K)]
    for _ in range(120):
        contexts = rng.standard_normal((K, DIM))
        decision = agent.choose(contexts)
        bounds, means = [], []
        for (X, y), x in zip(data, with_one(contexts), strict=True):
            inverse, theta = ridge_regression(X, y, 2.0)
            means.append(theta @ x)
            bounds.append(theta @ x + 0.8 * np.sqrt(x @ inverse @ x))
        assert decision.scores == pytest.approx(bounds, rel=1e-9)
        assert decision.arm == np.argmax(bounds)
        assert decision.explored == (decision.arm != np.argmax(means))
        reward = float(contexts[decision.arm] @ np.arange(DIM) * (decision.arm - 1) + 0.1 * rng.standard_normal())
        agent.observe(contexts[decision.arm], decision.arm, reward)
        X, y = data[decision.arm]
        data[decision.arm] = (np.vstack([X, with_one(contexts)[decision.arm]]), np.append(y, reward))


def test_linear_ucb_is_gp_ucb_with_a_linear_kernel():
    """θᵀx is the posterior mean at ridge λ² = ridge/d, and √(xᵀA⁻¹x) its standard deviation divided by √ridge/√d."""
    instance = kb.Synthetic(kb.LowRank(), n_arms=4, dim=10).draw(0)
    linear = kb.play(kb.LinearUCB(alpha=2.0, ridge=5.0, intercept=False, rewards=kb.AsGiven()), instance, 200, rng=1)
    model = kb.GaussianProcess(kb.Linear(), ridge=5.0 / 10)
    gaussian = kb.play(kb.GPUCB(model, kb.ConstantWidth(2.0 / np.sqrt(5.0 / 10)), kb.AsGiven()), instance, 200, rng=1)
    assert np.array_equal(linear.arms, gaussian.arms)


def taught(policy, seed):
    agent = policy.start(kb.Problem(K, DIM), rng=seed)
    rng = np.random.default_rng(7)
    for _ in range(30):
        agent.observe(rng.standard_normal(DIM), int(rng.integers(K)), float(rng.standard_normal()))
    return agent


@pytest.mark.parametrize("eligible", [None, np.array([True, False, True])])
def test_thompson_sampling_draws_from_the_posterior(eligible):
    """Arms come up as often as when θ itself is drawn, and as often as the decision says."""
    contexts = np.random.default_rng(2).standard_normal((K, DIM))
    agent = taught(kb.LinearThompsonSampling(scale=1.5, ridge=0.5, rewards=kb.AsGiven()), seed=0)
    decisions = [agent.choose(contexts, eligible) for _ in range(4000)]
    propensity = {decision.arm: decision.propensity for decision in decisions}
    allowed = np.arange(K) if eligible is None else np.flatnonzero(eligible)
    assert sorted(propensity) == allowed.tolist()
    assert sum(propensity.values()) == pytest.approx(1.0, abs=1e-10)
    counts = np.bincount([decision.arm for decision in decisions], minlength=K)[allowed]
    assert chisquare(counts, [4000 * propensity[arm] for arm in allowed]).pvalue > 0.01

    rng = np.random.default_rng(7)
    data = [(rng.standard_normal(DIM), int(rng.integers(K)), float(rng.standard_normal())) for _ in range(30)]
    drawn = np.full((20_000, K), -np.inf)
    for arm in allowed:
        X, y = with_one(np.array([x for x, a, _ in data if a == arm])), np.array([r for _, a, r in data if a == arm])
        inverse, theta = ridge_regression(X, y, 0.5)
        thetas = np.random.default_rng(arm).multivariate_normal(theta, 1.5**2 * inverse, size=20_000)
        drawn[:, arm] = thetas @ with_one(contexts)[arm]
    wins = np.bincount(drawn.argmax(axis=1), minlength=K)[allowed]
    assert chisquare(wins, [20_000 * propensity[arm] for arm in allowed]).pvalue > 0.01


def test_without_scale_thompson_sampling_is_greedy():
    contexts = np.random.default_rng(2).standard_normal((K, DIM))
    sampled = taught(kb.LinearThompsonSampling(scale=0.0), 0).choose(contexts)
    greedy = taught(kb.LinearUCB(alpha=0.0), 0).choose(contexts)
    assert (sampled.arm, sampled.propensity, sampled.explored) == (greedy.arm, 1.0, False)


@pytest.mark.parametrize("kind", [kb.LinearUCB, kb.LinearThompsonSampling])
def test_a_zero_context_without_intercept_is_a_tie(kind):
    policy = kind(intercept=False)
    arms = [policy.start(kb.Problem(K, DIM), seed).choose(np.zeros(DIM)) for seed in range(900)]
    assert {decision.propensity for decision in arms} == {1 / K}
    assert chisquare(np.bincount([decision.arm for decision in arms])).pvalue > 0.01


@pytest.mark.parametrize("policy", [kb.LinearUCB(alpha=0.5), kb.LinearThompsonSampling(scale=0.2)], ids=repr)
def test_linear_rewards_are_learnt(policy):
    rng = np.random.default_rng(4)
    contexts = rng.standard_normal((1500, K, DIM))
    means = np.einsum("tkd,kd->tk", contexts, rng.standard_normal((K, DIM))) + np.array([0.5, 0.0, -0.5])
    rounds = kb.Rounds(contexts, means, 0.1 * rng.standard_normal(1500))
    trace = kb.replay(policy, kb.Problem(K, DIM), rounds, np.random.default_rng(0))
    assert trace.regrets[500:].mean() < 0.01 * kb.replay(kb.Uniform(), kb.Problem(K, DIM), rounds, rng).regrets.mean()
