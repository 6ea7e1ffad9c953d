"""Sketched posteriors against exact ones, their size, and what rank-one steps do."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.beliefs.sketch import Sketch
from kernelbandits.errors import RidgeTooSmall
from kernelbandits.regression.normal_equations import Basis

MODEL = kb.GaussianProcess(kb.Gaussian(gamma=1.0), ridge=0.1)


def data(n, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, dim))
    return X, np.sin(X[:, 0]) + 0.1 * rng.standard_normal(n), rng.standard_normal((5, dim))


def test_with_all_points_as_centres_it_is_the_exact_posterior():
    X, y, Z = data(40)
    sketch, exact = Sketch(Basis.of(MODEL.kernel, X), MODEL.ridge, X, y), MODEL.fit(X, y)
    mean, variance = sketch.mean_and_variance(sketch.features(Z), MODEL.kernel.diagonal(Z))
    np.testing.assert_allclose(mean, exact.mean(Z), atol=1e-8)
    np.testing.assert_allclose(np.sqrt(variance), exact.std(Z), atol=1e-8)


def test_rewards_one_by_one_are_rewards_at_once():
    X, y, Z = data(200)
    basis = Basis.of(MODEL.kernel, X[:15])
    at_once, grown = Sketch(basis, MODEL.ridge, X, y), Sketch(basis, MODEL.ridge, X[:20], y[:20])
    Phi, prior = grown.features(Z), MODEL.kernel.diagonal(Z)
    mean, variance = grown.mean_and_variance(Phi, prior)
    for x, reward in zip(X[20:], y[20:], strict=True):
        direction, gain, loss = grown.observe(grown.features(x[np.newaxis])[:, 0], float(reward))
        h = direction @ Phi
        mean, variance = mean + h * gain, variance - h * h * loss
    expected = at_once.mean_and_variance(Phi, prior)
    np.testing.assert_allclose(grown.mean_and_variance(Phi, prior), expected, atol=1e-9)
    np.testing.assert_allclose((mean, variance), expected, atol=1e-9)


@pytest.mark.parametrize("size", [1e6, 1e12, 1e50])
def test_one_huge_point_leaves_the_others_as_in_the_exact_posterior(size):
    """Its square would swallow the ridge and what the other points say."""
    kernel, (X, y, Z) = kb.Linear(), data(20, dim=2)
    basis = Basis.of(kernel, X)
    X[7] *= size
    with pytest.warns(RidgeTooSmall):
        exact = kb.GaussianProcess(kernel, ridge=0.1).fit(X, y)
    at_once, one_by_one = Sketch(basis, 0.1, X, y), Sketch(basis, 0.1, X[:1], y[:1])
    for phi, reward in zip(one_by_one.features(X[1:]).T, y[1:], strict=True):
        one_by_one.observe(phi, float(reward))
    for sketch in (at_once, one_by_one):
        mean, variance = sketch.mean_and_variance(sketch.features(Z), kernel.diagonal(Z))
        assert np.allclose(mean, exact.mean(Z), atol=1e-6)
        assert np.allclose(np.sqrt(variance), exact.std(Z), atol=1e-6)


def follow(belief, X, y, arms=1):
    tracker = belief.start(kb.Problem(arms, X.shape[1]))
    for x, reward in zip(X, y, strict=True):
        tracker.observe(x, 0, float(reward))
    return tracker


def test_a_sketch_is_close_to_the_exact_belief():
    X, y, Z = data(600, dim=2)
    budgeted, exact = (follow(belief, X, y) for belief in (kb.BudgetedArms(MODEL), kb.IndependentArms(MODEL)))
    for z in Z:
        mean, std = budgeted.mean_and_std(z[np.newaxis])
        true_mean, true_std = exact.mean_and_std(z[np.newaxis])
        np.testing.assert_allclose(mean, true_mean, atol=0.03)
        np.testing.assert_allclose(std, true_std, atol=0.03)


@pytest.mark.parametrize("prefetching", [False, True])
def test_the_answers_are_those_of_a_fit_of_all_rewards_to_the_same_centres(prefetching):
    n_arms, dim, rng = 2, 3, np.random.default_rng(5)
    tracker = kb.BudgetedArms(MODEL, budget=25, rewards=kb.AsGiven()).start(kb.Problem(n_arms, dim))
    seen = [([], []) for _ in range(n_arms)]
    for _ in range(20):
        block = kb.Prefetched(rng.standard_normal((16, n_arms, dim)))
        if prefetching:
            tracker.prefetch(block)
        for contexts in block:
            mean, std = tracker.mean_and_std(contexts)
            for arm, (X, y) in enumerate(seen):
                if len(y) > 30:
                    fresh = Sketch(tracker._arms[arm]._sketch.basis, MODEL.ridge, np.array(X), np.array(y))
                    z = contexts[arm : arm + 1]
                    expected = fresh.mean_and_variance(fresh.features(z), MODEL.kernel.diagonal(z))
                    np.testing.assert_allclose((mean[arm], std[arm] ** 2), np.ravel(expected), atol=1e-8)
            arm, reward = int(rng.integers(n_arms)), float(rng.standard_normal())
            tracker.observe(contexts[arm], arm, reward)
            seen[arm][0].append(contexts[arm])
            seen[arm][1].append(reward)


@pytest.mark.parametrize(("dim", "fewest", "most"), [(1, 3, 60), (30, 150, 150)])
def test_the_number_of_centres_follows_the_effective_dimension_up_to_the_budget(dim, fewest, most):
    X, y, _ = data(800, dim=dim)
    tracker = follow(kb.BudgetedArms(MODEL, budget=150, rewards=kb.AsGiven()), X, y)
    [arm] = tracker._arms
    assert fewest <= arm._sketch.basis.n_given <= most


@pytest.mark.parametrize("policy", [kb.CalibratedUCB, kb.ThompsonSampling])
def test_policies_on_a_sketch_regret_about_as_much_as_on_the_exact_posterior(policy):
    environment = kb.Synthetic(kb.LowRank(), n_arms=4, dim=8, n_bumps=50)
    model = kb.GaussianProcess(kb.Gaussian(gamma=4.0) + 1.0, ridge=0.01)
    regrets = np.array(
        [
            [
                kb.play(policy(belief), environment.draw(seed), 600, seed).regrets.sum()
                for belief in (kb.BudgetedArms(model, budget=150), kb.IndependentArms(model))
            ]
            for seed in range(1000, 1003)
        ]
    )
    sketched, exact = regrets.sum(axis=0)
    assert sketched < 1.25 * exact


@pytest.mark.parametrize("policy", [kb.CalibratedUCB, kb.ThompsonSampling])
def test_all_randomness_comes_from_the_generator(policy):
    X, y, Z = data(60, dim=5)
    belief = kb.BudgetedArms(MODEL, budget=10)

    def answers(policy_seed):
        agent = policy(belief, n_initial=0).start(kb.Problem(2, 5), policy_seed)
        for t, (x, reward) in enumerate(zip(X, y, strict=True)):
            agent.observe(x, t % 2, float(reward))
        return agent.score(Z[np.newaxis, :2]).means

    assert np.array_equal(answers(1), answers(1))
    assert np.array_equal(answers(1), answers(np.random.default_rng(1)))
    assert not np.array_equal(answers(1), answers(2))


def test_arms_draw_their_own_centres():
    X, y, _ = data(120, dim=5)
    tracker = kb.BudgetedArms(MODEL, budget=10, rewards=kb.AsGiven()).start(kb.Problem(2, 5))
    tracker.add_arm(kb.Problem(3, 5))
    for x, reward in zip(X, y, strict=True):
        for arm in range(3):
            tracker.observe(x, arm, float(reward))
    centers = {arm._sketch.basis.centers.tobytes() for arm in tracker._arms}
    assert len(centers) == 3


def test_a_belief_draws_from_a_stream_of_its_own():
    """So that a policy's other draws are the same for every belief."""
    rng = np.random.default_rng(5)
    kb.ThompsonSampling(kb.BudgetedArms(MODEL)).start(kb.Problem(2, 3), rng)
    assert rng.random() == np.random.default_rng(5).random()


def test_centres_are_where_little_is_known():
    """Of two hundred contexts nearly all are one cluster; the twenty others have larger scores and are preferred."""
    rng, kept = np.random.default_rng(0), []
    X = np.concatenate([0.05 * rng.standard_normal((180, 2)), 5.0 * rng.standard_normal((20, 2))])
    X = X[rng.permutation(200)]
    for seed in range(5):
        tracker = kb.BudgetedArms(MODEL, budget=12, oversampling=50.0, rewards=kb.AsGiven()).start(
            kb.Problem(1, 2), seed
        )
        for x in X:
            tracker.observe(x, 0, 1.0)
        centers = tracker._arms[0]._sketch.basis.centers
        assert len(centers) <= 12
        kept.append(np.mean(np.abs(centers).max(axis=1) > 0.3))
    assert np.mean(kept) > 0.5


def test_oversampling_gives_more_centres():
    X, y, _ = data(400, dim=2)
    few, many = (
        follow(kb.BudgetedArms(MODEL, oversampling=factor, rewards=kb.AsGiven()), X, y)._arms[0]._sketch.basis.n_given
        for factor in (1.0, 6.0)
    )
    assert 2.0 * few < many < 300
