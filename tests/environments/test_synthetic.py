import numpy as np
import pytest

import kernelbandits as kb
import oracles


def draw(seed=0, **options):
    return kb.Synthetic(**{"covariance": kb.LowRank(), "n_arms": 3, "dim": 6, "n_bumps": 30} | options).draw(
        np.random.default_rng(seed)
    )


def test_the_papers_numbers_are_the_defaults():
    spec = kb.Synthetic(kb.LowRank())
    assert (spec.n_arms, spec.dim, spec.n_bumps, spec.clip) == (20, 100, 500, 10.0)
    assert spec.kernel == kb.Gaussian(gamma=4.0)
    assert spec.noise_std**2 == pytest.approx(1e-4)


def test_means_are_sums_over_the_bumps():
    instance = draw()
    rounds = instance.rounds(8, np.random.default_rng(1))
    for t in range(8):
        for arm, reward in enumerate(instance.rewards):
            x = rounds.contexts[t, arm]
            expected = oracles.expansion(oracles.gaussian, reward.centers, reward.coefficients, x)
            assert rounds.means[t, arm] == pytest.approx(expected, rel=1e-10, abs=1e-13)


def test_norms_are_exact():
    instance = draw()
    norms = instance.problem().reward_norms
    for arm, reward in enumerate(instance.rewards):
        expected = oracles.rkhs_norm(oracles.gaussian, reward.centers, reward.coefficients)
        assert norms[arm] == pytest.approx(expected, rel=1e-12)


def test_a_reward_function_is_that_of_its_own_kernel():
    reward = kb.KernelExpansion(kb.Linear(), np.array([[1.0, 1.0], [2.0, 0.0]]), np.array([3.0, -1.0]))
    assert np.allclose(reward(np.array([[4.0, 2.0]])), [3.0 * 3.0 - 1.0 * 4.0])
    assert reward.norm == pytest.approx(np.sqrt(9.0 * 1.0 - 2 * 3.0 * 1.0 + 2.0))


def test_bumps_are_drawn_as_in_the_paper():
    reward = draw(n_arms=1, dim=10, n_bumps=5000).rewards[0]
    assert np.abs(np.histogram(reward.coefficients, 4, range=(-1, 1))[0] / 5000 - 0.25).max() < 0.03
    assert np.abs(reward.coefficients).max() <= 1.0
    assert np.abs(np.cov(reward.centers.T) - np.eye(10)).max() < 0.1
    assert np.abs(reward.centers.mean(axis=0)).max() < 0.06


def test_every_arm_has_its_own_reward():
    first, second, _ = draw().rewards
    assert not np.array_equal(first.centers, second.centers)
    assert not np.array_equal(first.coefficients, second.coefficients)


@pytest.mark.parametrize("covariance", [kb.LowRank(), kb.ApproximateLowRank(), kb.SpectralDecay()], ids=repr)
def test_contexts_have_the_covariance_of_the_design(covariance):
    instance = draw(covariance=covariance, n_arms=2, n_bumps=1)
    variances = covariance.variances(2, 6, np.random.default_rng(0))
    contexts = instance.rounds(40_000, np.random.default_rng(1)).contexts
    for arm in range(2):
        empirical = np.cov(contexts[:, arm].T)
        assert np.abs(empirical - np.diag(variances[arm])).max() < 0.03
        assert np.abs(contexts[:, arm].mean(axis=0)).max() < 0.03


def test_arms_and_rounds_are_independent():
    contexts = (
        draw(covariance=kb.ApproximateLowRank(), n_arms=2, n_bumps=1).rounds(20_000, np.random.default_rng(1)).contexts
    )
    assert abs(np.corrcoef(contexts[:, 0, 0], contexts[:, 1, 0])[0, 1]) < 0.03
    assert abs(np.corrcoef(contexts[:-1, 0, 0], contexts[1:, 0, 0])[0, 1]) < 0.03


@pytest.mark.parametrize("clip", [0.3, 1.0])
def test_contexts_are_clipped_not_redrawn(clip):
    """The same draw, cut at the bound: what lies inside does not move."""
    clipped, free = (draw(clip=bound).rounds(200, np.random.default_rng(1)).contexts for bound in (clip, 1e6))
    assert np.abs(clipped).max() == clip
    assert np.abs(free).max() > clip
    assert np.array_equal(clipped, np.minimum(clip, np.maximum(free, -clip)))


def test_means_are_taken_at_the_clipped_contexts():
    instance = draw(clip=0.2)
    rounds = instance.rounds(20, np.random.default_rng(1))
    assert np.allclose(rounds.means, [instance.means(contexts) for contexts in rounds.contexts], rtol=1e-10)


def test_noise_has_the_stated_standard_deviation():
    noise = draw(noise_std=0.25, n_arms=1, dim=1, n_bumps=1).rounds(20_000, np.random.default_rng(1)).noise
    assert noise.std() == pytest.approx(0.25, rel=0.03)
    assert abs(noise.mean()) < 0.01
    assert not draw(noise_std=0.0).rounds(10, np.random.default_rng(1)).noise.any()


def test_the_problem_states_what_the_paper_gives_its_methods():
    problem = draw(noise_std=0.25).problem(horizon=9)
    assert (problem.n_arms, problem.dim, problem.horizon, problem.noise_std) == (3, 6, 9, 0.25)


@pytest.mark.parametrize("law", [kb.NormalNoise(), kb.StudentNoise(df=9.0)], ids=repr)
def test_noise_has_mean_0_and_variance_1(law):
    draws = law.draw(200_000, np.random.default_rng(0))
    assert abs(draws.mean()) < 0.01
    assert draws.var() == pytest.approx(1.0, abs=0.02)


def test_density_is_the_share_of_features_that_are_kept():
    instance = kb.Synthetic(kb.ApproximateLowRank(), n_arms=2, dim=50, n_bumps=5, density=0.2).draw(0)
    kept = instance.rounds(500, np.random.default_rng(1)).contexts != 0.0
    assert kept.mean() == pytest.approx(0.2, abs=0.01)
