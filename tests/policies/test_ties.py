"""Arms that look the same are played with the same probability, and the decision says with which."""

import numpy as np
import pytest
from scipy.stats import chisquare

import kernelbandits as kb

K, DIM = 4, 3
PROBLEM = kb.Problem(K, DIM)
GREEDY = kb.GPUCB(kb.GaussianProcess(kb.Gaussian()), kb.ConstantWidth(0.0))
SHARED = np.ones(DIM)


def equal_means(contexts):
    return np.array([0.3, 0.7, 0.7, 0.7])


def counts(arms):
    return np.bincount(arms, minlength=K)


def first_decisions(policy, problem=PROBLEM, n=2000, **options):
    return [policy.start(problem, seed).choose(SHARED, **options) for seed in range(n)]


def committed(seed):
    """Explore-then-commit after equal rewards: every arm predicts the same."""
    agent = kb.ExploreThenCommit(kb.MinNormInterpolator(kb.Gaussian()), n_explore=K).start(PROBLEM, seed)
    for _ in range(K):
        agent.observe(SHARED, agent.choose(SHARED).arm, 1.0)
    return agent


def test_all_arms_tie_before_any_observation():
    decisions = first_decisions(GREEDY)
    assert {d.propensity for d in decisions} == {1 / K}
    assert chisquare(counts([d.arm for d in decisions])).pvalue > 0.01


def test_ties_after_commitment():
    decisions = [committed(seed).choose(SHARED) for seed in range(600)]
    assert {d.propensity for d in decisions} == {1 / K}
    assert chisquare(counts([d.arm for d in decisions])).pvalue > 0.01


def test_ties_of_some_arms_only():
    decisions = first_decisions(kb.Oracle(), kb.Problem(K, DIM, true_means=equal_means))
    tally = counts([d.arm for d in decisions])
    assert {d.propensity for d in decisions} == {1 / 3}
    assert tally[0] == 0
    assert chisquare(tally[1:]).pvalue > 0.01


def test_a_mask_thins_the_tie():
    mask = np.array([True, True, False, True])
    decisions = first_decisions(kb.Oracle(), kb.Problem(K, DIM, true_means=equal_means), eligible=mask)
    tally = counts([d.arm for d in decisions])
    assert {d.propensity for d in decisions} == {1 / 2}
    assert not tally[[0, 2]].any()
    assert chisquare(tally[[1, 3]]).pvalue > 0.01


@pytest.mark.parametrize("eligible", [[True] * 4, [False, True, True, True], [True, False, False, True]])
def test_uniform_is_uniform_over_the_eligible(eligible):
    decisions = first_decisions(kb.Uniform(), eligible=np.array(eligible))
    tally = counts([d.arm for d in decisions])
    assert {d.propensity for d in decisions} == {1 / sum(eligible)}
    assert not tally[~np.array(eligible)].any()
    assert chisquare(tally[eligible]).pvalue > 0.01
    assert np.array_equal(np.isfinite(decisions[0].scores), eligible)


def test_uniform_within_one_agent():
    agent = kb.Uniform().start(PROBLEM, 0)
    assert chisquare(counts([agent.choose(SHARED).arm for _ in range(4000)])).pvalue > 0.01


def test_a_clear_winner_is_certain():
    problem = kb.Problem(K, DIM, true_means=lambda contexts: np.array([0.1, 0.2, 0.9, 0.3]))
    decisions = first_decisions(kb.Oracle(), problem, n=50)
    assert {(d.arm, d.propensity) for d in decisions} == {(2, 1.0)}


@pytest.mark.parametrize("size", [1e-12, 1e-6, 1.0, 1e6])
def test_scores_apart_by_more_than_rounding_do_not_tie(size):
    problem = kb.Problem(K, DIM, true_means=lambda contexts: size * np.array([0.1, 0.2, 0.9, 0.9 - 1e-3]))
    assert {d.arm for d in first_decisions(kb.Oracle(), problem, n=50)} == {2}


@pytest.mark.parametrize("size", [1.0, 1e6])
def test_scores_apart_by_rounding_tie(size):
    problem = kb.Problem(K, DIM, true_means=lambda contexts: size * np.array([0.1, 0.2, 0.9, 0.9 * (1 - 1e-15)]))
    assert {d.arm for d in first_decisions(kb.Oracle(), problem, n=50)} == {2, 3}


def test_global_random_state_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first_decisions(GREEDY, n=20)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002
