"""Two arms of which one pays what the other does not: every reward tells about both."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

import kernelbandits as kb
from kernelbandits.beliefs import model_estimation
from kernelbandits.beliefs.followed_levels import FollowedLevels
from kernelbandits.beliefs.model_estimation import left_out_errors, middle_of
from kernelbandits.beliefs.sketched_arms import SketchedArms


@pytest.mark.parametrize(
    ("rewards", "middle"),
    [
        ([[0.0, 0.0, 1.0, 1.0], [1.0] * 4], 0.5),
        ([[-3.0, 5.0, 5.0, 5.0], [5.0] * 5], 1.0),
        ([[0.3, 0.3, 0.1 + 0.2, 1.0], [1.0] * 4], 0.65),  # 0.3 and 0.1 + 0.2 differ by rounding alone
        ([[0.0, 0.0, 0.5, 1.0], [1.0] * 4], None),  # three values
        ([[1.0] * 4, [1.0] * 4], None),  # one value
        ([[0.0, 1.0] * 4, [1.0] * 3], None),  # three rewards tell too little of their arm
        ([[0.0, 1.0] * 8, [1.0] * 4], None),  # so do four of twenty
        ([[0.0, 1.0] * 8, [1.0] * 5], 0.5),
        ([[0.0, 1.0] * 2, [1.0] * 4, [0.0] * 4], None),  # three arms
    ],
)
def test_two_arms_with_two_values_may_be_opposite(rewards, middle):
    assert middle_of([np.array(each) for each in rewards]) == (middle and pytest.approx(middle))


def right_answers(seed, n, dim=4, turned=0.0):
    """Contexts, and a reward of 1 for the arm that is right; `turned` is the share of wrong labels."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, dim))
    right = (X[:, 0] + X[:, 1] > 0.3) ^ (rng.random(n) < turned)
    return X, np.stack([right, ~right], axis=1).astype(float)


def alike(seed, n, rate):
    """Contexts that tell nothing, and rewards of both arms that are 1 at this rate."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, 4)), (rng.random((n, 2)) < rate).astype(float)


def followed(X, rewards, unit=1.0, shift=0.0):
    tracker = kb.EmpiricalBayes().start(kb.Problem(n_arms=2, dim=X.shape[1]))
    for t, (x, both) in enumerate(zip(X, rewards, strict=True)):
        tracker.observe(x, t % 2, unit * both[t % 2] + shift)
    return tracker


@pytest.mark.parametrize("turned", [0.0, 0.2])
def test_right_and_wrong_answers_are_seen_to_be_opposite(turned):
    assert [followed(*right_answers(seed, 120, turned=turned))._opposite for seed in range(5)] == [True] * 5


@pytest.mark.parametrize("rate", [0.03, 0.2, 0.8, 0.97])
def test_arms_that_pay_alike_are_not(rate):
    assert sum(followed(*alike(seed, 200, rate))._opposite for seed in range(10)) <= 1


def test_few_rewards_of_an_arm_count_as_much_as_the_many_of_the_other(monkeypatch):
    """One function predicts 80 rewards of the first arm a little better, and 20 of the second much worse."""
    X, rewards = right_answers(1, 100)
    data = kb.EmpiricalBayes().start(kb.Problem(n_arms=2, dim=4))._data
    for t, (x, both) in enumerate(zip(X, rewards, strict=True)):
        data.add(x, int(t >= 80), both[int(t >= 80)])
    together, apart = np.repeat([0.1, 0.5], [80, 20]), np.full(100, 0.25)
    monkeypatch.setattr(model_estimation, "left_out_errors", lambda s: together if len(s.arms) == 1 else apart)
    problem = kb.Problem(n_arms=2, dim=4)
    search = model_estimation.RewardSearch(data, FollowedLevels(2, 1.0), model_estimation.BeliefBudget.of(problem))
    while not search.done:
        search.step()
    search.construction()
    assert together.mean() < apart.mean()
    assert search.middle is None


def test_the_answers_are_those_of_one_function():
    """Against a dense regression on all rewards, those of the second arm mirrored."""
    X, rewards = right_answers(3, 90)
    tracker = followed(X, rewards, unit=10.0, shift=100.0)
    assert tracker._opposite
    arms = np.arange(90) % 2
    y = (rewards[np.arange(90), arms] - 0.5) * 10.0 * np.where(arms == 0, 1.0, -1.0)
    kernel, ridge = tracker._model.components.kernel, tracker._model.components.ridge
    A = kernel.gram(X) + ridge * np.eye(90)
    for z in right_answers(4, 5)[0]:
        k = kernel(X, z[np.newaxis])[:, 0]
        expected = k @ np.linalg.solve(A, y)
        variance = tracker._square * (kernel.diagonal(z[np.newaxis])[0] - k @ np.linalg.solve(A, k))
        mean, std = tracker.mean_and_std(np.stack([z, z]))
        np.testing.assert_allclose(mean, [105.0 + expected, 105.0 - expected], rtol=1e-9)
        own = tracker._own_variances(tracker._model)
        np.testing.assert_allclose(std**2, variance + own, rtol=1e-6)
    squares = y @ np.linalg.solve(A, y)
    expected = (3.0 * tracker._model.components.prior + squares) / 93.0
    assert tracker._square == pytest.approx(expected, rel=0.05)  # surprises since the last estimate are bounded


def test_left_out_errors_are_those_of_fits_without_each_reward():
    X, rewards = right_answers(5, 24)
    tracker = kb.EmpiricalBayes().start(kb.Problem(n_arms=2, dim=4))
    data = tracker._data
    for t, (x, both) in enumerate(zip(X, rewards, strict=True)):
        data.add(x, t % 2, both[t % 2])
    search = model_estimation.RewardSearch(data, tracker._levels, tracker._budget)
    while not search.done:
        search.step()
    for each in (search._search, search._pooled):
        components, _ = each.found()
        errors = []
        for Z, y in each.arms:
            for row in range(len(y)):
                rest = np.arange(len(y)) != row
                A = components.kernel.gram(Z[rest]) + components.ridge * np.eye(len(y) - 1)
                k = components.kernel(Z[rest], Z[[row]])[:, 0]
                errors.append((y[row] - k @ np.linalg.solve(A, y[rest])) ** 2)
        np.testing.assert_allclose(left_out_errors(each), errors, rtol=1e-8, atol=1e-12)


def play(X, rewards, seed=0, unit=1.0, shift=0.0, swap=False, horizon=None):
    agent = kb.default_policy().start(kb.Problem(n_arms=2, dim=X.shape[1], horizon=horizon), rng=seed)
    arms = []
    for x, both in zip(X, rewards, strict=True):
        arm = agent.choose(x).arm
        agent.observe(x, arm, unit * both[1 - arm if swap else arm] + shift)
        arms.append(arm)
    return agent, np.array(arms)


def mistakes(seed):
    """Of 300 decisions whether a written digit is odd."""
    X, digits = load_digits(return_X_y=True)
    rows = np.random.default_rng(seed).permutation(len(X))[:300]
    X, odd = X[rows] / 8.0, digits[rows] % 2
    rewards = np.stack([odd, 1 - odd], axis=1).astype(float)
    _, arms = play(X, rewards, horizon=300)
    return int((rewards[np.arange(300), arms] < 0.5).sum())


def test_mistakes_are_fewer_than_with_two_functions(monkeypatch):
    together = [mistakes(seed) for seed in range(6)]
    monkeypatch.setattr(model_estimation, "middle_of", lambda rewards: None)
    apart = [mistakes(seed) for seed in range(6)]
    assert sum(together) < 0.95 * sum(apart), (together, apart)


@pytest.mark.parametrize(("unit", "shift"), [(1e4, 100.0), (1e-6, -1.0)])
def test_units_of_rewards_change_no_decision(unit, shift):
    X, rewards = right_answers(6, 200)
    np.testing.assert_array_equal(play(X, rewards)[1], play(X, rewards, unit=unit, shift=shift)[1])


def test_exchanged_arms_exchange_the_decisions():
    X, rewards = right_answers(7, 200)
    X[1], rewards[1] = X[0], rewards[0]  # the first turns go by number: let both arms meet the same
    arms, exchanged = play(X, rewards)[1], play(X, rewards, swap=True)[1]
    np.testing.assert_array_equal(arms[2:], 1 - exchanged[2:])


def test_beyond_the_exact_posteriors_the_sketch_is_of_one_function_too():
    X, rewards = right_answers(8, 1200, turned=0.2)
    tracker = followed(X, rewards)
    assert isinstance(tracker._model, SketchedArms)
    assert tracker._opposite
    mean, _ = tracker.mean_and_std(np.stack([X[0], X[0]]))
    assert mean.sum() == pytest.approx(1.0, abs=1e-6)
    assert tracker.counts.tolist() == [600, 600]


def test_a_restart_changes_nothing(tmp_path):
    X, rewards = right_answers(9, 260)
    agent, _ = play(X[:160], rewards[:160])
    assert agent._learner._tracker._opposite
    agent.save(tmp_path / "two.kb")
    other = kb.load(tmp_path / "two.kb")
    for x, both in zip(X[160:], rewards[160:], strict=True):
        first, second = agent.choose(x), other.choose(x)
        assert first.arm == second.arm
        np.testing.assert_array_equal(first.scores, second.scores)
        for each in (agent, other):
            each.observe(x, first.arm, both[first.arm])


def test_a_third_arm_ends_it():
    """At the next estimate, which begins at 210 rewards at the latest."""
    X, rewards = right_answers(10, 215)
    agent, _ = play(X[:160], rewards[:160])
    arm = agent.add_arm()
    tracker = agent._learner._tracker
    for x in X[160:]:
        agent.observe(x, arm, 0.7)
    assert not tracker._opposite
    assert np.isfinite(agent.choose(X[0]).scores).all()


def test_a_third_value_ends_it():
    X, rewards = right_answers(11, 200)
    tracker = followed(X[:100], rewards[:100])
    assert tracker._opposite
    for t in range(100):
        tracker.observe(X[100 + t], t % 2, 0.25)
    assert not tracker._opposite
