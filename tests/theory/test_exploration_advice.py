"""The data-driven budget: its parts by hand, invariances, errors, and a study of its use."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.theory.exploration_advice import LearningCurve, _best_size, curve_sizes, fit_curve, pair_sums

KERNEL = kb.Gaussian(4.0)


def pilot(seed, per_arm=4, n_arms=6, dim=20, noise_std=0.01):
    environment = kb.Synthetic(kb.LowRank(), n_arms=n_arms, dim=dim, noise_std=noise_std)
    instance = environment.draw(np.random.default_rng(seed))
    rounds = instance.rounds(per_arm * n_arms, np.random.default_rng(seed + 1))
    t = np.arange(len(rounds))
    arms = t % n_arms
    return rounds.contexts[t, arms], arms, rounds.means[t, arms] + rounds.noise


def recommend(data, horizon=600, **options):
    return theory.recommend_exploration(*data, horizon=horizon, kernel=KERNEL, **options)


def test_expected_maximum():
    """E max of 1, 2 and 3 normals: 0, 1/√π, 3/(2√π)."""
    assert theory.expected_maximum(1) == pytest.approx(0.0, abs=1e-9)
    assert theory.expected_maximum(2) == pytest.approx(1 / np.sqrt(np.pi), abs=1e-6)
    assert theory.expected_maximum(3) == pytest.approx(1.5 / np.sqrt(np.pi), abs=1e-6)


def test_pair_sums_against_refitting():
    """At N = n − 1 the pairs are those of leaving out each point once."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((5, 3)), rng.standard_normal(5)
    others = [np.delete(np.arange(5), i) for i in range(5)]
    p = np.array([kb.MinNormInterpolator(KERNEL).fit(X[o], y[o]).mean(X[[i]])[0] for i, o in enumerate(others)])
    [found] = pair_sums(KERNEL, X, y, np.array([4]), 0.0)
    np.testing.assert_allclose(found, [5, p.sum(), y.sum(), p @ p, y @ y, p @ y])
    assert pair_sums(KERNEL, X, y, np.array([5]), 0.0).sum() == 0


def test_fit_recovers_a_power_law():
    """Sums made to have 1 − ρ² = 0.6 N^−0.3 exactly."""
    sizes = np.array([1, 2, 4, 9])
    rho = np.sqrt(1 - 0.6 * sizes**-0.3)
    sums = np.stack([np.full(4, 100.0), np.zeros(4), np.zeros(4), np.full(4, 100.0), np.full(4, 100.0), 100 * rho], 1)
    curve = fit_curve(sizes, [sums / 2, sums / 2])
    assert (curve.coefficient, curve.exponent) == (pytest.approx(0.6), pytest.approx(0.3))
    np.testing.assert_allclose(curve.correlation(sizes), rho)
    np.testing.assert_allclose(curve.unexplained, 1 - rho**2)


def test_fit_weights_each_size_by_its_pairs():
    """Points off the power law, with 10 to 400 pairs: the weighted least squares line of ln(1 − ρ²) in ln N."""
    sizes, count, rho = np.array([1, 3, 8]), np.array([400.0, 60.0, 10.0]), np.array([0.3, 0.7, 0.6])
    zero = np.zeros(3)
    curve = fit_curve(sizes, [np.stack([count, zero, zero, count, count, count * rho], 1)])
    slope, level = np.polyfit(np.log(sizes), np.log(1 - rho**2), 1, w=np.sqrt(count))
    assert (curve.exponent, curve.coefficient) == (pytest.approx(-slope), pytest.approx(np.exp(level)))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_pooled_correlation(sign):
    """Two arms' pairs with means far from 0, pooled: the plain correlation; a negative one explains nothing."""
    rng = np.random.default_rng(0)
    y = 5.0 + rng.standard_normal((2, 3, 40))
    p = 2.0 + sign * (y + 0.7 * rng.standard_normal(y.shape))
    sums = np.stack([np.full((2, 3), 40.0), *(a.sum(-1) for a in (p, y, p * p, y * y, p * y))], axis=-1)
    found = fit_curve(np.array([1, 2, 3]), sums).unexplained
    pooled = [np.corrcoef(p[:, i].ravel(), y[:, i].ravel())[0, 1] for i in range(3)]
    np.testing.assert_allclose(found, 1 - np.maximum(pooled, 0.0) ** 2)
    assert found.max() <= 1.0


def test_best_size_by_brute_force():
    curve = LearningCurve(np.array([1]), np.array([0.6]), 0.6, 0.3)
    values = [(2000 - 20 * n) * np.sqrt(1 - 0.6 * n**-0.3) for n in range(1, 101)]
    assert _best_size(curve, 20, 2000) == 1 + int(np.argmax(values))


def test_sizes():
    np.testing.assert_array_equal(curve_sizes(4), [1, 2, 3])
    large = curve_sizes(5000)
    assert large[0] == 1
    assert large[-1] == 199
    assert len(large) <= 10


def test_scale_and_labels_of_rewards_do_not_matter():
    contexts, arms, rewards = pilot(0)
    plain = recommend((contexts, arms, rewards))
    scaled = recommend((contexts, arms, 7.0 * rewards))
    named = recommend((contexts, np.array(list("abcdef"))[arms], rewards))
    assert plain.n_explore == scaled.n_explore == named.n_explore
    assert scaled.explore_regret == pytest.approx(7.0 * plain.explore_regret)
    assert scaled.regret == pytest.approx(7.0 * plain.regret)


def test_parts_fit_together():
    contexts, arms, rewards = pilot(1)
    found = recommend((contexts, arms, rewards))
    assert found.n_explore == 6 * found.n_per_arm
    assert found.low <= found.n_explore <= found.high
    assert found.explore_regret == pytest.approx(theory.expected_maximum(6) * rewards.std())
    rho = found.curve.correlation(np.array([found.n_per_arm]))[0]
    assert found.commit_regret == pytest.approx(found.explore_regret * (1 - rho))
    assert f"N = {found.n_per_arm} draws per arm" in found.reason


def test_range_is_the_5_and_95_percent_quantile_over_resampled_arms():
    """By hand, from 200 resamples of the arms with the generator 0; the quantiles of 10 and 90 % differ from these."""
    contexts, arms, rewards = pilot(0, per_arm=6)
    found = recommend((contexts, arms, rewards), horizon=30_000)
    sizes = curve_sizes(6)
    sums = np.array([pair_sums(KERNEL, contexts[arms == i], rewards[arms == i], sizes, 0.0) for i in range(6)])
    picks = np.random.default_rng(0).integers(6, size=(200, 6))
    best = np.sort([_best_size(fit_curve(sizes, sums[pick]), 6, 30_000) for pick in picks])
    assert (found.low, found.high) == (6 * best[10], 6 * best[189])
    assert best[0] < best[10] < best[20]
    assert best[179] < best[189] < best[199]


def test_longer_horizon_explores_longer():
    data = pilot(2)
    budgets = [recommend(data, horizon=horizon).n_explore for horizon in (100, 1000, 10_000)]
    assert budgets == sorted(budgets)
    assert budgets[0] < budgets[-1]


def test_arms_not_met_yet_count():
    data = pilot(3)
    assert recommend(data, n_arms=12).n_explore % 12 == 0


def test_three_rounds_per_arm_are_enough_and_ridge_is_passed_on():
    data = pilot(5, per_arm=3)
    plain, again, ridged = recommend(data), recommend(data, ridge=0.0), recommend(data, ridge=5.0)
    np.testing.assert_array_equal(plain.curve.sizes, [1, 2])
    np.testing.assert_array_equal(plain.curve.unexplained, again.curve.unexplained)
    assert not np.allclose(plain.curve.unexplained, ridged.curve.unexplained)


def test_pure_noise_is_said():
    rng = np.random.default_rng(0)
    found = recommend((rng.standard_normal((24, 20)), np.arange(24) % 6, np.full(24, 1.0)))
    assert found.n_explore == 6
    assert "no signal" in found.reason


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, a, y: (X[:12], a[:12], y[:12]), "at least 3 rounds; the pilot has 12 rounds of 6 arms, at most 2"),
        (lambda X, a, y: (X, a[:-1], y), "one entry per row"),
        (lambda X, a, y: (X, a * 0, y), "n_arms must be a whole number of at least 2"),
        (lambda X, a, y: (X, a, np.r_[np.nan, y[1:]]), "rewards must be finite; entry 0 is nan"),
    ],
)
def test_refusals(change, message):
    with pytest.raises(kb.errors.InvalidArgument, match=message):
        recommend(change(*pilot(4)))


def final_regret(n_explore, problem, rounds, seed):
    policy = kb.ExploreThenCommit(kb.MinNormInterpolator(KERNEL), n_explore)
    return kb.replay(policy, problem, rounds, np.random.default_rng(seed)).regrets.sum()


def study(design, seeds, per_arm=4, horizon=2000, n_arms=20, dim=100):
    """Mean regret with the budget recommended after `per_arm` rounds per arm, and with each fixed budget."""
    fixed = [20, 40, 60, 100, 200, 400, 800]
    rows = []
    for seed in seeds:
        instance = kb.Synthetic(design, n_arms=n_arms, dim=dim).draw(np.random.default_rng(seed))
        rounds = instance.rounds(horizon, np.random.default_rng(seed).spawn(2)[0])
        t = np.arange(per_arm * n_arms)
        data = rounds.contexts[t, t % n_arms], t % n_arms, rounds.means[t, t % n_arms] + rounds.noise[t]
        found = theory.recommend_exploration(*data, horizon=horizon, kernel=KERNEL)
        problem = instance.problem(horizon)
        budgets = [max(found.n_explore, len(t)), *fixed]
        rows.append([final_regret(n_explore, problem, rounds, seed) for n_explore in budgets])
    mean = np.mean(rows, axis=0)
    return mean[0], dict(zip(fixed, mean[1:], strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("design", [kb.LowRank(), kb.ApproximateLowRank(), kb.SpectralDecay()])
def test_recommended_budget_is_useful(design):
    """Ten seeds, d = 100, K = 20, T = 2000: within 1.5 × of the best fixed T₀ of the seven."""
    recommended, fixed = study(design, range(10))
    assert recommended <= 1.5 * min(fixed.values())


def test_recommended_budget_is_useful_in_small():
    """Three seeds, d = 30, K = 8, T = 600: within 1.5 × of the best fixed T₀, and far from the worst."""
    recommended, fixed = study(kb.LowRank(), range(3), horizon=1000, n_arms=8, dim=30)
    assert recommended <= 1.5 * min(fixed.values())
    assert recommended <= 0.5 * max(fixed.values())


def test_a_horizon_of_one_round_per_arm():
    rng = np.random.default_rng(0)
    X, arms = rng.standard_normal((12, 3)), np.arange(12) % 3
    advice = theory.recommend_exploration(X, arms, X[:, 0], horizon=3, kernel=kb.Gaussian())
    assert (advice.n_per_arm, advice.n_explore) == (1, 3)
