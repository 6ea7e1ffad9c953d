"""Rewards in the units of a prior: against a fit from scratch to rewards that were standardised by hand."""

from dataclasses import replace

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.beliefs import arm_levels
from kernelbandits.beliefs.joint_arms import same_functions

K, DIM = 3, 4
PROBLEM = kb.Problem(K, DIM)
MODEL = kb.GaussianProcess(kb.Gaussian(gamma=1.0), ridge=0.1)
ESTIMATES = (1, 2, 3, 5, 8, 12, 18, 27, 41)
"""The numbers of rewards at which units are estimated."""


def stream(n, seed=0, shifts=(0.0, 0.0, 0.0)):
    rng = np.random.default_rng(seed)
    X, arms = rng.standard_normal((n, DIM)), rng.integers(K, size=n)
    return X, arms, np.sin(X[:, 0]) + arms + 0.1 * rng.standard_normal(n) + np.array(shifts)[arms]


def told(belief, X, arms, y, problem=PROBLEM):
    tracker = belief.start(problem, rng=3)
    for x, arm, reward in zip(X, arms, y, strict=True):
        tracker.observe(x, int(arm), float(reward))
    return tracker


def by_hand(belief, X, arms, y, n_estimated, contexts):
    """The belief in rewards as given, told of standardised ones; units are those of the first `n_estimated`."""
    functions = same_functions(belief.covariance.matrix(K)) if isinstance(belief, kb.JointArms) else np.arange(K)
    rewards = [y[:n_estimated][functions[arms[:n_estimated]] == function] for function in functions]
    known = [rewards[i] if i in functions else np.zeros(0) for i in range(K)]
    found = arm_levels(known)
    levels = found.levels[functions]
    mean, std = told(as_given(belief), X, arms, (y - levels[arms]) / found.within).mean_and_std(contexts)
    return levels + found.within * mean, found.within * std


def as_given(belief):
    return replace(belief, rewards=kb.AsGiven())


BELIEFS = [
    kb.IndependentArms(MODEL),
    kb.BudgetedArms(MODEL, budget=6),
    kb.JointArms(MODEL, kb.CommonFunction()),
    kb.JointArms(MODEL, kb.Exchangeable(0.6)),
    kb.LinearArms(ridge=0.5),
    kb.LinearArms(ridge=2.0, intercept=False),
]


@pytest.mark.parametrize("prefetching", [False, True])
@pytest.mark.parametrize("n", [27, 33, 41])
@pytest.mark.parametrize("belief", BELIEFS, ids=repr)
def test_answers_are_those_for_standardised_rewards(belief, n, prefetching):
    X, arms, y = stream(n)
    contexts = np.random.default_rng(1).standard_normal((K, DIM))
    tracker = belief.start(PROBLEM, rng=3)
    if prefetching:
        block = kb.Prefetched(contexts[np.newaxis])
        tracker.prefetch(block)
        [contexts] = block
    for x, arm, reward in zip(X, arms, y, strict=True):
        tracker.observe(x, int(arm), float(reward))
    expected = by_hand(belief, X, arms, y, 27 if n < 41 else 41, contexts)
    np.testing.assert_allclose(tracker.mean_and_std(contexts), expected, atol=1e-8)


@pytest.mark.parametrize("belief", BELIEFS, ids=repr)
def test_as_given_nothing_is_changed(belief):
    """A prior around 0 pulls rewards around 1000 toward 0; a standardised one does not."""
    X, arms, y = stream(41, shifts=(1000.0,) * 3)
    far = 50.0 * np.ones((K, DIM)) * (0.0 if isinstance(belief, kb.LinearArms) else 1.0)
    given = told(as_given(belief), X, arms, y).mean_and_std(far)[0]
    standardised = told(belief, X, arms, y).mean_and_std(far)[0]
    assert (standardised > 990.0).all()
    assert (given < 990.0).all()


@pytest.mark.parametrize("arms", [(0, 0, 1, 0), (0, 1, 0, 1, 0, 0)], ids=["estimated at once", "before it is due"])
def test_before_two_different_rewards_all_means_are_equal(arms):
    for size in (1.0, 1e6, 1e-6):
        tracker = kb.IndependentArms(MODEL).start(PROBLEM)
        contexts = np.random.default_rng(0).standard_normal((K, DIM))
        for arm in arms:
            tracker.observe(contexts[arm], arm, 0.1 * size)
            mean, std = tracker.mean_and_std(contexts)
            assert np.array_equal(mean, np.full(K, 0.1 * size))
            assert std[0] < std[2] == 1.0
        tracker.observe(contexts[1], 1, 0.7 * size)
        mean, std = tracker.mean_and_std(contexts)
        assert mean[0] / size == pytest.approx(0.1, abs=0.15)
        assert mean[1] > mean[0]
        assert 0.01 < std[2] / size < 1.0


@pytest.mark.parametrize("arms", [(0, 1, 0, 1, 0, 1), (0, 0, 0, 1, 1, 1)])
def test_arms_that_pay_constantly_are_explored_in_units_of_their_difference(arms):
    tracker = kb.IndependentArms(MODEL).start(PROBLEM)
    contexts = np.random.default_rng(0).standard_normal((K, DIM))
    for arm in arms:
        tracker.observe(contexts[arm], arm, (0.1, 0.7)[arm])
    mean, std = tracker.mean_and_std(10.0 * contexts)
    assert mean[:2] == pytest.approx([0.1, 0.7])
    assert std[0] == pytest.approx(np.sqrt(0.18), rel=0.05)


def test_an_arm_without_rewards_may_be_as_far_as_the_others_are_apart():
    X, arms, y = stream(40)
    arms = arms % 2
    y = y - 300.0 * (arms == 0)
    mean, std = told(kb.IndependentArms(MODEL), X, arms, y).mean_and_std(X[:K])
    assert mean[2] == pytest.approx((y[arms == 0].mean() + y[arms == 1].mean()) / 2.0, rel=0.1)
    assert std[2] > 50.0
    assert std[:2].max() < 5.0


@pytest.mark.parametrize("far", [-3e4, 3e4])
@pytest.mark.parametrize(
    "belief", [kb.IndependentArms(MODEL), kb.LinearArms(), kb.EmpiricalBayes(), kb.HierarchicalBayes()], ids=repr
)
def test_a_new_arm_that_pays_very_differently_leaves_the_others_alone(belief, far):
    """From its first reward on, also between two estimates."""
    X, arms, y = stream(45)
    plain, tracker = told(belief, X, arms, y), told(belief, X, arms, y)
    tracker.add_arm(PROBLEM.with_another_arm())
    rng = np.random.default_rng(5)
    contexts = rng.standard_normal((K + 1, DIM))
    mean, std = plain.mean_and_std(contexts[:K])
    for _ in range(6):
        tracker.observe(rng.standard_normal(DIM), K, far + 0.1 * rng.standard_normal())
        moved, wider = tracker.mean_and_std(contexts)
        assert moved[K] == pytest.approx(far, abs=5.0)
        assert moved[:K] == pytest.approx(mean, abs=0.5)
        assert wider[:K] == pytest.approx(std, rel=0.9)


def test_one_level_for_one_function():
    B = np.array([[1.0, 1.0, 0.5, 0.0], [1.0, 1.0, 0.5, 0.0], [0.5, 0.5, 1.0, 0.0], [0.0, 0.0, 0.0, 4.0]])
    assert same_functions(B).tolist() == [0, 0, 2, 3]
    assert same_functions(np.ones((3, 3))).tolist() == [0, 0, 0]
    assert same_functions(np.array([[1.0, 2.0], [2.0, 4.0]])).tolist() == [0, 1], "proportional, not the same"


def test_arms_with_one_function_keep_what_their_contexts_tell():
    """f(x) = x for both arms, whose contexts are far apart: levels of their own would hide it."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.uniform(-2.0, -1.0, 20), rng.uniform(1.0, 2.0, 20)])[:, np.newaxis]
    order, arms = rng.permutation(40), np.repeat([0, 1], 20)
    for belief in (kb.JointArms(MODEL), kb.HierarchicalBayes(covariances=(kb.CommonFunction(),))):
        tracker = told(belief, X[order], arms[order], X[order, 0], kb.Problem(2, 1))
        mean, _ = tracker.mean_and_std(np.array([[1.5], [-1.5]]))
        assert mean == pytest.approx([1.5, -1.5], abs=0.15)
