"""Section D: information gain, its known rates, the classical bounds."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory


def dense_gain(kernel, X, ridge):
    return 0.5 * np.log(np.linalg.eigvalsh(np.eye(len(X)) + kernel(X) / ridge)).sum()


@pytest.mark.parametrize("kernel", [kb.Gaussian(2.0), kb.Linear()])
def test_section_D_information_gain(kernel):
    X = np.random.default_rng(0).standard_normal((15, 4))
    assert theory.information_gain(kernel, X, 0.3) == pytest.approx(dense_gain(kernel, X, 0.3))
    posterior = kb.GaussianProcess(kernel, ridge=0.3).fit(X, np.zeros(15))
    assert theory.information_gain(kernel, X, 0.3) == pytest.approx(posterior.information_gain)


def test_ridge_is_one_unless_given():
    X = np.random.default_rng(5).standard_normal((6, 2))
    assert theory.information_gain(kb.Gaussian(), X) == pytest.approx(dense_gain(kb.Gaussian(), X, 1.0))
    greedy = theory.greedy_information_gain(kb.Gaussian(), X, 1)
    assert greedy.gains[0] == pytest.approx(0.5 * np.log(2.0))
    for call in (theory.information_gain, lambda k, X, ridge: theory.greedy_information_gain(k, X, 1, ridge)):
        with pytest.raises(kb.errors.InvalidArgument, match="ridge must be"):
            call(kb.Gaussian(), X, 0.0)


def test_greedy_gain_is_the_gain_of_its_points():
    pool = np.random.default_rng(1).standard_normal((30, 3))
    found = theory.greedy_information_gain(kb.Gaussian(4.0), pool, 12, ridge=0.2)
    for n in (1, 5, 12):
        assert found.gains[n - 1] == pytest.approx(dense_gain(kb.Gaussian(4.0), pool[found.indices[:n]], 0.2))


def test_greedy_takes_the_best_next_point():
    """Every step against brute force over the pool."""
    pool = np.random.default_rng(2).standard_normal((8, 2))
    found = theory.greedy_information_gain(kb.Linear(), pool, 6, ridge=0.1)
    for n in range(1, 7):
        chosen = list(found.indices[: n - 1])
        best = max(dense_gain(kb.Linear(), pool[[*chosen, j]], 0.1) for j in range(8))
        assert found.gains[n - 1] == pytest.approx(best)


def test_maximum_information_gain_is_near():
    """Between (1 − 1/e) of the maximum over all multisets, by brute force, and that maximum."""
    pool = np.random.default_rng(3).standard_normal((7, 2))
    found = theory.greedy_information_gain(kb.Gaussian(1.0), pool, 4, ridge=0.05).gains[-1]
    sets = combinations_with_replacement(range(7), 4)
    best = max(dense_gain(kb.Gaussian(1.0), pool[list(s)], 0.05) for s in sets)
    assert (1 - np.exp(-1)) * best <= found <= best + 1e-12


def test_section_D_known_rates():
    """d ln T; (ln T)^{d+1}; T^{d/(2ν+d)} (ln T)^{2ν/(2ν+d)}."""
    T, d = 1000, 3
    assert theory.information_rate(kb.Linear(), d, T).value == pytest.approx(d * np.log(T))
    assert theory.information_rate(kb.Gaussian(), d, T).value == pytest.approx(np.log(T) ** 4)
    matern = theory.information_rate(kb.Matern(nu=2.5), d, T).value
    assert matern == pytest.approx(T ** (3 / 8) * np.log(T) ** (5 / 8))
    assert theory.information_rate(kb.Gaussian(), 1000, T).value == np.inf
    assert theory.information_rate(kb.Gaussian(), 1000, T).log == pytest.approx(1001 * np.log(np.log(T)))
    assert theory.InformationRate(720.0, "").value == np.inf
    with pytest.raises(kb.errors.InvalidArgument, match="got Laplace"):
        theory.information_rate(kb.Laplace(), d, T)


def test_berkenkamp_rate_with_wide_kernels_stays_super_linear():
    """[ln(T^{d+1} ln T)]^{d+1}/ℓ^d at ℓ = d is more than (ln T)^{d+1}: widening the kernel with d does not save it."""
    T, d = 50, 2
    value = np.log(T**3 * np.log(T)) ** 3 / 5.0**2
    assert theory.gaussian_rate_by_scale(d, T, 5.0).value == pytest.approx(value)
    for d in (2, 20, 200):
        assert theory.gaussian_rate_by_scale(d, T, d).log > theory.information_rate(kb.Gaussian(), d, T).log


def test_section_D_classical_bounds():
    """γ√T and √(γT), vacuous from γ = T on for the second."""
    found = theory.classical_bounds(16.0, 100)
    assert (found.cgp_ucb, found.sup_kernel_ucb, found.vacuous) == (160.0, 40.0, False)
    assert theory.classical_bounds(100.0, 100).vacuous
    assert not theory.classical_bounds(99.0, 100).vacuous
    assert theory.classical_bounds(np.inf, 100).vacuous
    assert theory.classical_bounds(0.0, 100).cgp_ucb == 0.0
    with pytest.raises(kb.errors.InvalidArgument, match="gain must be"):
        theory.classical_bounds(-1.0, 100)


def test_classical_bounds_become_vacuous_in_high_dimension():
    """The known rate says nothing for T = 2000 from d = 3 on; the measured gain of normal contexts grows with d."""
    T = 2000
    vacuous = [theory.classical_bounds(theory.information_rate(kb.Gaussian(), d, T).value, T).vacuous for d in (1, 3)]
    assert vacuous == [False, True]
    rng = np.random.default_rng(4)
    gains = [theory.information_gain(kb.Gaussian(4.0), rng.standard_normal((200, d)), 1e-4) for d in (1, 4, 16, 64)]
    assert np.all(np.diff(gains) > 0)
    limit = 0.5 * 200 * np.log1p(1e4)  # independent points
    assert gains[0] < 0.2 * limit
    assert gains[-1] > 0.99 * limit
