"""The belief that is told nothing: against a slow fit from scratch, and what it must not depend on."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import kernelbandits as kb
from kernelbandits.beliefs import ArmLevels, arm_levels
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.component_search import ComponentSearch
from kernelbandits.beliefs.estimation import candidates, typical_distance
from kernelbandits.beliefs.evidence import PRIOR_REWARDS

N_ARMS, DIM = 4, 6


def rewards_of(rng, n):
    """n rounds with the arms in random order."""
    contexts, arms = rng.standard_normal((n, DIM)), rng.integers(N_ARMS, size=n)
    noise = 0.1 * rng.standard_normal(n)
    return [(contexts[t], int(arms[t]), float(np.sin(contexts[t, 0]) + 0.3 * arms[t] + noise[t])) for t in range(n)]


def follow(belief, observed):
    tracker = belief.start(kb.Problem(N_ARMS, DIM))
    for context, arm, reward in observed:
        tracker.observe(context, arm, reward)
    return tracker


def best_components(arms, variance):
    search = ComponentSearch(arms, variance)
    while not search.done:
        search.step()
    return search.found()[0]


def slow_answer(observed, n_estimated, contexts):
    """Estimate on the first rewards, then fit every arm to all of its rewards at once; and variances of the levels."""
    data = ArmData(N_ARMS, DIM)
    for context, arm, reward in observed[:n_estimated]:
        data.add(context, arm, reward)
    levels = arm_levels(data.rewards).beyond(1.0).levels
    left = [(X, y - levels[arm]) for arm, X, y in ((arm, *data.of(arm)) for arm in data.played)]
    variance = np.var(np.concatenate([y for _, y in left]))
    found = best_components(left, variance)
    kernel, ridge, shared, prior = found.kernel, found.ridge, found.shared, found.prior
    mean, variance, told, square = [], [], [], PRIOR_REWARDS * prior
    for arm in range(N_ARMS):
        X = np.array([x for x, i, _ in observed if i == arm]).reshape(-1, DIM)
        y = np.array([r for _, i, r in observed if i == arm]) - levels[arm]
        A = kernel(X) + ridge * np.eye(len(y)) if len(y) else np.zeros((0, 0))
        k = kernel(X, contexts[arm : arm + 1])[:, 0] if len(y) else np.zeros(0)
        mean.append(levels[arm] + k @ np.linalg.solve(A, y))
        variance.append(kernel(contexts[arm : arm + 1])[0, 0] - k @ np.linalg.solve(A, k))
        ones = np.full(len(y), shared)
        told.append(max(shared - ones @ np.linalg.solve(A, ones), ridge / (len(y) + ridge / shared)))
        square += y @ np.linalg.solve(A, y)
    square /= PRIOR_REWARDS + len(observed)
    return np.array(mean), np.sqrt(np.array(variance) * square), np.array(told) * square


@pytest.mark.parametrize("n", [4, 11, 60])
def test_mean_and_deviation_are_those_of_a_fit_from_scratch(n):
    rng = np.random.default_rng(n)
    observed = rewards_of(rng, n)
    estimated = 4  # the counts at which it estimates: when every arm could have one, then half as many again
    while int(np.ceil(1.5 * estimated)) <= n:
        estimated = int(np.ceil(1.5 * estimated))
    contexts = rng.standard_normal((N_ARMS, DIM))
    tracker = follow(kb.EmpiricalBayes(), observed)
    mean, std = tracker.mean_and_std(contexts)
    expected_mean, expected_std, expected_levels = slow_answer(observed, estimated, contexts)
    np.testing.assert_allclose(mean, expected_mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(std, expected_std, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(tracker.learnable()[0], expected_levels, rtol=1e-6)


@settings(max_examples=8)
@given(
    seed=st.integers(0, 2**16), stretch=st.floats(0.01, 100.0), unit=st.floats(0.01, 100.0), level=st.floats(-5.0, 5.0)
)
def test_units_and_levels_of_rewards_and_contexts_change_no_decision(seed, stretch, unit, level):
    instance = kb.Synthetic(kb.LowRank(), n_arms=3, dim=8, n_bumps=10, noise_std=0.1).draw(seed)
    rounds = instance.rounds(40, np.random.default_rng(seed))
    changed = kb.Rounds(stretch * rounds.contexts, unit * (rounds.means + level), unit * rounds.noise)
    for policy in (kb.ThompsonSampling(), kb.CalibratedUCB()):
        first, second = (
            kb.replay(policy, kb.Problem(3, 8), each, np.random.default_rng(5)).arms for each in (rounds, changed)
        )
        np.testing.assert_array_equal(first, second)


def test_rewards_in_another_order_give_the_same_belief_where_an_estimation_falls_on_their_number():
    rng = np.random.default_rng(0)
    observed = rewards_of(rng, 63)  # 4, 6, 9, 14, 21, 32, 48, 72: not yet
    contexts = rng.standard_normal((N_ARMS, DIM))
    more = [*observed, *rewards_of(rng, 9)]
    in_order = follow(kb.EmpiricalBayes(), more).mean_and_std(contexts)
    shuffled = follow(kb.EmpiricalBayes(), [more[i] for i in rng.permutation(72)]).mean_and_std(contexts)
    np.testing.assert_allclose(shuffled, in_order, rtol=1e-7)


def test_bandwidths_follow_the_contexts():
    rng = np.random.default_rng(0)
    X = [rng.standard_normal((30, 5)), rng.standard_normal((3, 5))]
    [kernel] = candidates((1.0,), (), X)
    [stretched] = candidates((1.0,), (), [10.0 * x for x in X])
    np.testing.assert_allclose(kernel.gamma, 100.0 * stretched.gamma)
    t = [np.sum((a - b) ** 2) / 5 for x in X for i, a in enumerate(x) for b in x[:i]]
    np.testing.assert_allclose(kernel.gamma, 1.0 / np.median(t))


def test_equal_contexts_and_equal_rewards_are_no_obstacle():
    agent = kb.ThompsonSampling().start(kb.Problem(3, 2), rng=0)
    for _ in range(30):
        decision = agent.choose(np.ones((3, 2)))
        agent.observe(np.ones(2), decision.arm, 1.0)
        assert 0.0 < decision.propensity <= 1.0


def test_arms_with_many_rewards_are_thinned_evenly():
    data = ArmData(2, 1)
    for i in range(1000):
        data.add(np.array([float(i)]), 0, float(i))
    X, y = data.thinned(0, 5)
    np.testing.assert_array_equal(y, [0.0, 250.0, 500.0, 749.0, 999.0])
    np.testing.assert_array_equal(X[:, 0], y)
    assert data.played == [0]


def regret_between_two(policy, shift, seed, horizon=300):
    """Of linear rewards with deviation 1, in rounds without arm 0, whose rewards are shifted."""
    rng = np.random.default_rng(seed)
    contexts, weights = rng.standard_normal((horizon, 3, 5)), rng.standard_normal((3, 5))
    means = np.einsum("tkd,kd->tk", contexts, weights)
    means = means / means.std() + np.array([shift, 0.0, 0.0])
    noise = 0.1 * rng.standard_normal(horizon)
    arms = kb.replay(policy, kb.Problem(3, 5), kb.Rounds(contexts, means, noise), np.random.default_rng(seed)).arms
    return sum(means[t, 1:].max() - means[t, arm] for t, arm in enumerate(arms) if arm)


def test_one_bad_arm_does_not_ruin_the_others():
    """It did: at −30000 the regret between the two others was 20 times as large."""
    policy = kb.CalibratedUCB()
    regrets = [sum(regret_between_two(policy, shift, seed) for seed in range(3)) for shift in (-3.0, -3e4)]
    assert max(regrets) < 1.5 * regrets[0]


def test_nor_where_arms_may_share():
    policy = kb.CalibratedUCB(kb.HierarchicalBayes())
    regrets = [regret_between_two(policy, shift, 0, horizon=150) for shift in (-3.0, -3e4)]
    assert regrets[1] < 2.0 * regrets[0]


@pytest.mark.parametrize("n", [N_ARMS, 21, 40])
def test_where_all_contexts_lie_does_not_matter(n):
    rng = np.random.default_rng(3)
    observed, contexts = rewards_of(rng, n), rng.standard_normal((N_ARMS, DIM))
    place = 30.0 * rng.standard_normal(DIM)
    moved = [(context + place, arm, reward) for context, arm, reward in observed]
    answers = follow(kb.EmpiricalBayes(), observed).mean_and_std(contexts)
    np.testing.assert_allclose(follow(kb.EmpiricalBayes(), moved).mean_and_std(contexts + place), answers, rtol=1e-8)


@pytest.mark.parametrize("n", [N_ARMS, 21, 40])
def test_where_an_arms_contexts_lie_does_not_matter(n):
    belief = kb.HierarchicalBayes(covariances=(kb.Exchangeable(0.0),))
    rng = np.random.default_rng(3)
    observed, contexts = rewards_of(rng, n), rng.standard_normal((N_ARMS, DIM))
    places = 30.0 * rng.standard_normal((N_ARMS, DIM))
    moved = [(context + places[arm], arm, reward) for context, arm, reward in observed]
    answers = follow(belief, observed).mean_and_std(contexts)
    np.testing.assert_allclose(follow(belief, moved).mean_and_std(contexts + places), answers, rtol=1e-8)


def test_arms_that_share_are_compared_across_their_contexts():
    """With one function for all, distances between the contexts of different arms count."""
    rng = np.random.default_rng(4)
    X = [rng.standard_normal((10, 2)), rng.standard_normal((10, 2)) + 100.0]
    assert typical_distance(X) < 10.0 < typical_distance([np.concatenate(X)])


def test_without_two_different_contexts_of_an_arm_contexts_do_not_count():
    X = [np.full((3, 2), 0.1), np.full((2, 2), 7.0)]
    assert typical_distance(X) is None
    [kernel, given] = candidates((4.0, 1.0), (kb.Linear(),), X)
    assert given == kb.Linear()
    assert np.array_equal(kernel(np.array([[0.0, 0.0], [1e9, 1e9]])), np.ones((2, 2)))


def test_levels_of_arms_count_where_they_are_further_apart_than_expected():
    close, far = (ArmLevels(np.array([0.0, apart]), apart / 2.0, apart / 2.0, 1.0) for apart in (4.0, 400.0))
    assert close.beyond(1.0).levels.tolist() == [2.0, 2.0]
    assert close.beyond(1.0).between == 0.0
    np.testing.assert_allclose(far.beyond(1.0).levels, [3.0, 397.0])
    np.testing.assert_allclose(far.beyond(4.0).levels, [6.0, 394.0])
    assert far.beyond(1.0).between == 197.0
    assert far.beyond(0.0).levels.tolist() == [0.0, 400.0]


@pytest.mark.parametrize("policy", [kb.CalibratedUCB(), kb.ThompsonSampling()], ids=repr)
@pytest.mark.parametrize("change", ["unit", "origin", "features"])
def test_neither_units_nor_origin_nor_order_of_features_matters(policy, change):
    """More than 67 rewards of an arm, so that distances are taken from a part of them: always from the same."""
    rounds = kb.Synthetic(kb.LowRank(), n_arms=3, dim=8, n_bumps=10, noise_std=0.1).draw(1).rounds(150, rng(1))
    contexts = {
        "unit": 100.0 * rounds.contexts,
        "origin": rounds.contexts + 1e6,
        "features": np.ascontiguousarray(rounds.contexts[:, :, rng(2).permutation(8)]),
    }[change]
    changed = kb.Rounds(contexts, 1e4 * rounds.means + 100.0, 1e4 * rounds.noise)
    first, second = (kb.replay(policy, kb.Problem(3, 8), each, rng(5)).arms for each in (rounds, changed))
    np.testing.assert_array_equal(first, second)


def rng(seed):
    return np.random.default_rng(seed)


def test_features_in_units_of_their_own_are_no_obstacle():
    """The regret was that of chance: a feature with a large unit hid the one that matters."""
    contexts = np.column_stack([rng(0).standard_normal(400), 4e4 * rng(1).standard_normal(400)])
    means = np.column_stack([contexts[:, 0], -contexts[:, 0]])
    rounds = kb.Rounds(np.repeat(contexts[:, np.newaxis], 2, axis=1), means, 0.3 * rng(2).standard_normal(400))
    regret = kb.replay(kb.default_policy(), kb.Problem(2, 2), rounds, rng(3)).cumulative_regret[-1]
    assert regret < 0.15 * np.abs(contexts[:, 0]).sum()


def test_the_best_arm_is_not_given_up_for_good():
    """With a constant width of one deviation, the best of three coins was never played in the last 200 rounds."""
    contexts, means = rng(1).standard_normal((800, 1, 5)).repeat(3, axis=1), np.tile([0.5, 0.6, 0.7], (800, 1))
    rounds = kb.Rounds(contexts, means, (rng(101).random((800, 3)) < means) - means)
    arms = kb.replay(kb.default_policy(), kb.Problem(3, 5), rounds, rng(1)).arms
    assert np.mean(arms[-200:] == 2) > 0.5
