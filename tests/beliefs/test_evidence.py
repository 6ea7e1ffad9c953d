"""The marginal likelihood in closed form, against the density of a multivariate normal."""

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_normal, norm

import kernelbandits as kb
from kernelbandits.beliefs.estimation import LOG_PRIOR, RIDGES, log_evidence, spectrum

KERNEL = kb.Shifted(kb.Gaussian(gamma=2.0), 1.0)


def arms(rng, sizes=(7, 1, 12)):
    return [(rng.standard_normal((n, 4)), rng.standard_normal(n)) for n in sizes]


def slow(data, ridge):
    """Log density of all arms together, maximised over the squared amplitude by search."""

    def minus(log_amplitude):
        s2 = np.exp(log_amplitude)
        return -sum(
            multivariate_normal(np.zeros(len(y)), s2 * (KERNEL(X) + ridge * np.eye(len(y)))).logpdf(y) for X, y in data
        )

    return -minimize_scalar(minus, bounds=(-15.0, 15.0), method="bounded", options={"xatol": 1e-10}).fun


def test_differences_between_ridges_are_those_of_the_density():
    data = arms(np.random.default_rng(0))
    evidence = log_evidence([spectrum(KERNEL, X, y) for X, y in data])
    chosen = [4, 8, 12, 16]
    expected = np.array([slow(data, RIDGES[i]) for i in chosen])
    np.testing.assert_allclose(evidence[chosen] - evidence[chosen[0]], expected - expected[0], atol=1e-6)


def test_the_noise_that_is_there_is_found():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((150, 3))
    K = KERNEL(X)
    for ridge in (1e-3, 1e-1, 10.0):
        y = 7.0 * np.linalg.cholesky(K + ridge * np.eye(150)) @ rng.standard_normal(150)
        found = RIDGES[(log_evidence([spectrum(KERNEL, X, y)]) + LOG_PRIOR).argmax()]
        assert 0.3 < found / ridge < 3.3


def test_one_reward_an_arm_says_nothing_so_the_prior_decides():
    rng = np.random.default_rng(2)
    spectra = [spectrum(KERNEL, X, y) for X, y in arms(rng, sizes=(1,) * 10)]
    evidence = log_evidence(spectra)
    np.testing.assert_allclose(evidence, evidence[0], atol=1e-9)
    assert RIDGES[(evidence + LOG_PRIOR).argmax()] == 1.0


def test_equal_rewards_do_not_break_it():
    X = np.random.default_rng(3).standard_normal((5, 3))
    assert np.isfinite(log_evidence([spectrum(KERNEL, X, np.zeros(5))])).all()


def test_the_prior_of_the_noise_is_two_decades_wide():
    """In half-decade steps from 10⁻⁶ to 10², normal around 1."""
    assert np.allclose(np.log10(RIDGES), np.arange(-6.0, 2.01, 0.5))
    assert np.allclose(
        LOG_PRIOR - LOG_PRIOR.max(), norm(0.0, 2.0).logpdf(np.log10(RIDGES)) - norm(0.0, 2.0).logpdf(0.0)
    )


def test_two_rewards_of_an_arm_do_not_outweigh_the_prior():
    """Two equal rewards at different contexts are no proof that there is no noise."""
    X = np.random.default_rng(4).standard_normal((2, 3))
    found = RIDGES[(log_evidence([spectrum(KERNEL, X, np.array([1.0, 1.0]))]) + LOG_PRIOR).argmax()]
    assert 0.01 <= found <= 1.0
