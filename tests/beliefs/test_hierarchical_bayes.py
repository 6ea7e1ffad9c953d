"""How much arms share, found out from the rewards."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits.beliefs import hierarchical_bayes
from kernelbandits.beliefs.arm_data import ArmData
from kernelbandits.beliefs.estimation import best_kernel

K, DIM = 4, 6


def sharing_rewards(weight, seed, n=160, noise_std=0.1):
    """Rewards of a draw from the prior: a common function with this weight, and one of every arm's own."""
    rng = np.random.default_rng(seed)
    X, arms = rng.standard_normal((n, DIM)), np.arange(n) % K
    similar = np.where(arms[:, None] == arms, 1.0, weight)
    covariance = 9.0 * similar * (kb.Gaussian(gamma=1.0)(X) + 1.0)
    y = rng.multivariate_normal(np.full(n, 5.0), covariance + noise_std**2 * np.eye(n), method="eigh")
    return X, arms, y


def told(belief, X, arms, y):
    tracker = belief.start(kb.Problem(K, DIM))
    for x, arm, reward in zip(X, arms, y, strict=True):
        tracker.observe(x, int(arm), float(reward))
    return tracker


@pytest.mark.parametrize("seed", range(4))
def test_a_common_function_is_recognised(seed):
    tracker = told(kb.HierarchicalBayes(), *sharing_rewards(1.0, seed))
    assert tracker.arms.covariance.weight >= 0.75


@pytest.mark.parametrize("seed", range(4))
def test_independent_arms_are_recognised(seed):
    tracker = told(kb.HierarchicalBayes(), *sharing_rewards(0.0, seed))
    assert tracker.arms.covariance.weight <= 0.25


def test_sharing_in_part_is_between():
    weights = [told(kb.HierarchicalBayes(), *sharing_rewards(0.6, seed)).arms.covariance.weight for seed in range(6)]
    assert 0.25 < np.mean(weights) < 0.9


def test_deviations_have_the_scale_of_the_errors():
    """Standardised errors at new contexts have variance near 1, whatever the unit of the rewards."""
    squares = []
    for seed in range(8):
        X, arms, y = sharing_rewards(0.5, seed, n=200)
        tracker = told(kb.HierarchicalBayes(), X[:160], arms[:160], y[:160])
        for t in range(160, 200):
            mean, std = tracker.mean_and_std(np.tile(X[t], (K, 1)))
            squares.append((y[t] - mean[arms[t]]) ** 2 / (std[arms[t]] ** 2 + 0.01))
    assert 0.7 < np.mean(squares) < 1.4


@pytest.mark.parametrize("n", [1, 3 * K, 60])
def test_without_sharing_it_is_about_empirical_bayes(n):
    X, arms, y = sharing_rewards(0.3, 0, n=n)
    apart = kb.HierarchicalBayes(covariances=(kb.Exchangeable(0.0),))
    contexts = np.random.default_rng(1).standard_normal((K, DIM))
    (mean, std), (other_mean, other_std) = (
        told(belief, X, arms, y).mean_and_std(contexts) for belief in (apart, kb.EmpiricalBayes())
    )
    np.testing.assert_allclose(mean, other_mean, rtol=0.2)
    np.testing.assert_allclose(np.log(std / other_std), 0.0, atol=1.0)  # they have different families of kernels


def test_units_of_the_rewards_do_not_matter():
    X, arms, y = sharing_rewards(0.5, 2, n=60)
    contexts = np.random.default_rng(3).standard_normal((K, DIM))
    mean, std = told(kb.HierarchicalBayes(), X, arms, y).mean_and_std(contexts)
    scaled_mean, scaled_std = told(kb.HierarchicalBayes(), X, arms, 1000.0 * y - 7.0).mean_and_std(contexts)
    assert np.allclose(scaled_mean, 1000.0 * mean - 7.0, rtol=1e-6)
    assert np.allclose(scaled_std, 1000.0 * std, rtol=1e-6)


def test_one_covariance_is_taken_as_known():
    X, arms, y = sharing_rewards(0.0, 4)
    tracker = told(kb.HierarchicalBayes(covariances=(kb.CommonFunction(),)), X, arms, y)
    assert tracker.arms.covariance == kb.CommonFunction()


def test_prefetching_changes_nothing():
    X, arms, y = sharing_rewards(0.8, 5, n=70)
    plain, ahead = kb.HierarchicalBayes().start(kb.Problem(K, DIM)), kb.HierarchicalBayes().start(kb.Problem(K, DIM))
    block = np.random.default_rng(6).standard_normal((70, K, DIM))
    block[np.arange(70), arms] = X
    prefetched = kb.Prefetched(block)
    ahead.prefetch(prefetched)
    for shown, arm, reward in zip(prefetched, arms, y, strict=True):
        assert np.allclose(plain.mean_and_std(shown), ahead.mean_and_std(shown), atol=1e-8)
        plain.observe(shown[arm], int(arm), float(reward))
        ahead.observe(shown[arm], int(arm), float(reward))


def test_the_order_of_rewards_does_not_matter():
    """There is an estimation at 4, 6, 9, 14, 21, 32 and 48 rewards: it looks at them in an order of its own."""
    X, arms, y = sharing_rewards(0.6, 7, n=48)
    contexts = np.random.default_rng(8).standard_normal((K, DIM))
    shuffled = np.random.default_rng(9).permutation(48)
    one = told(kb.HierarchicalBayes(), X, arms, y)
    other = told(kb.HierarchicalBayes(), X[shuffled], arms[shuffled], y[shuffled])
    assert one.arms.covariance == other.arms.covariance
    assert np.array_equal(one.mean_and_std(contexts), other.mean_and_std(contexts))


def sizes_of_samples(monkeypatch, covariance, n=600):
    """Numbers of rewards in the samples on which kernel and ridge are estimated."""
    rng, data = np.random.default_rng(0), ArmData(K, 1)
    for i in range(n):
        data.add(rng.standard_normal(1), i % K, float(rng.standard_normal()))
    sizes = []

    def spy(kernels, samples):
        sizes.append([len(y) for _, y in samples])
        return best_kernel(kernels, samples)

    monkeypatch.setattr(hierarchical_bayes, "best_kernel", spy)
    kb.HierarchicalBayes((1.0,), covariances=(covariance,)).fitted(data)
    return sizes


def test_arms_that_are_not_related_are_estimated_apart(monkeypatch):
    """500 rewards of each group, at the cost of one group after the other."""
    pairs = kb.GivenSimilarity(np.kron(np.eye(2), [[1.0, 0.5], [0.5, 1.0]]).tolist())
    assert sizes_of_samples(monkeypatch, kb.Exchangeable(0.0)) == [[150] * K]
    assert sizes_of_samples(monkeypatch, pairs) == [[300, 300]]
    assert sizes_of_samples(monkeypatch, kb.CommonFunction()) == [[500]]
