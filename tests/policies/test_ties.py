"""Arms that look the same are played with the same probability, and the decision says with which."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import chisquare

import kernelbandits as kb
from kernelbandits.policies.propensities import pick_sampled
from kernelbandits.policies.selection import best_arm, best_arms, distribution, pick_best, pick_optimistic, tie_margin

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


SCORES = [[0.1, 0.2, 0.9, 0.9 - 1e-3], [0.1, 0.7, 0.7, 0.7], [0.5] * 4, [0.0, 0.0, 1e-9, 2e-9], [-3.0, 1e5, 1e5, 2.0]]


@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize(("scale", "shift"), [(1.0, 1e6), (1e-6, 0.0), (1e4, 100.0), (1e12, -1e14), (1e3, 1e10)])
def test_shift_and_scale_of_the_scores_change_no_choice(scores, scale, shift):
    """As long as the differences outlive the rounding of the shift."""
    scores = np.array(scores)
    shifted = scale * scores + shift
    if scale * np.diff(np.unique(scores)).min(initial=np.inf) < 1e-14 * abs(shift):
        return
    expected = best_arm(scores, np.random.default_rng(0))
    assert best_arm(shifted, np.random.default_rng(0)) == expected
    arms, propensities = best_arms(np.array([shifted, shifted[::-1]]), np.random.default_rng(0))
    assert (arms[0], propensities.tolist()) == (expected[0], [expected[1]] * 2)


@pytest.mark.parametrize("level", [0.1, 3.7e5, 1e10, -1e10])
def test_equal_arms_on_a_level_tie(level):
    """Their scores differ by the rounding of the level, which their spread may not exceed."""
    equal = np.array([level + 1e-3 + 1e-3 - 2e-3, level, np.nextafter(level, np.inf), level * (1.0 + 2e-16)])
    assert best_arm(equal, np.random.default_rng(0))[1] == 1 / 4


def test_arms_that_are_left_out_do_not_widen_the_spread():
    scores = np.array([-np.inf, 1.0, 1.0 - 1e-9, 0.9])
    assert best_arm(scores, np.random.default_rng(0)) == (1, 1.0)
    assert tie_margin(scores, 1.0) == pytest.approx(1e-13, rel=0.02)


@given(
    st.lists(st.sampled_from([-np.inf, -1e5, 0.0, 1.0, 1.0 + 1e-13, 1.0 + 1e-9, 1e5]), min_size=3, max_size=6),
    st.sampled_from([0.0, 1e10]),
)
def test_a_batch_ties_as_single_rounds(scores, shift):
    scores = np.array([*scores, 0.5]) + shift
    rows = np.array([scores, scores[::-1]])
    batch, alone = np.random.default_rng(1), np.random.default_rng(1)
    arms, propensities = best_arms(rows, batch)
    assert [*zip(arms.tolist(), propensities.tolist(), strict=True)] == [best_arm(row, alone) for row in rows]


@pytest.mark.parametrize("bad", [[np.nan, 1.0, 2.0], [0.0, 1.0, np.inf], [-np.inf] * 3, [1.0, -np.inf, np.nan]])
def test_scores_that_are_not_finite_are_refused(bad):
    """An arm may be left out by −∞, but what is compared must be finite."""
    scores, rng = np.array(bad), np.random.default_rng(0)
    std = np.ones(3)
    attempts = [
        lambda: best_arm(scores, rng),
        lambda: best_arms(np.array([np.zeros(3), scores]), rng),
        lambda: pick_best(scores, None, rng),
        lambda: pick_optimistic(scores, std, None, rng),
        lambda: pick_sampled(scores, std, None, rng),
        lambda: distribution(kb.Choice(0, 0.5, scores, False)),
    ]
    for attempt in attempts:
        with pytest.raises(kb.errors.NumericalBreakdown, match=r"must be finite.*rescale them"):
            attempt()


def test_a_score_of_an_arm_that_is_not_eligible_does_not_matter():
    scores, mask, rng = np.array([np.nan, 1.0, 2.0]), np.array([False, True, True]), np.random.default_rng(0)
    assert pick_best(scores, mask, rng).arm == 2
    assert pick_optimistic(scores, np.zeros(3), mask, rng).arm == 2
    assert pick_sampled(scores, np.array([np.nan, 0.0, 0.0]), mask, rng).arm == 2


def test_global_random_state_is_left_alone():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first_decisions(GREEDY, n=20)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002
