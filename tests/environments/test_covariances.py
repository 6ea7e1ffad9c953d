"""The spectra of the paper's three designs, its section "Reward Setup"."""

import numpy as np
import pytest

import kernelbandits as kb

K = 2000


def variances(covariance, dim, n_arms=K, seed=0):
    return covariance.variances(n_arms, dim, np.random.default_rng(seed))


@pytest.mark.parametrize("covariance", [kb.LowRank(), kb.ApproximateLowRank()], ids=repr)
def test_level_is_uniform_between_a_half_and_one(covariance):
    levels = variances(covariance, 10).max(axis=1)
    assert levels.min() >= 0.5
    assert levels.max() <= 1.0
    quarters = np.histogram(levels, bins=4, range=(0.5, 1.0))[0] / K
    assert np.abs(quarters - 0.25).max() < 0.04


@pytest.mark.parametrize(
    ("dim", "n_active", "expected"), [(100, None, 50), (7, None, 3), (1, None, 1), (100, 3, 3), (5, 5, 5)]
)
def test_low_rank_has_as_many_active_coordinates_as_asked(dim, n_active, expected):
    spectra = variances(kb.LowRank(n_active), dim, n_arms=50)
    assert ((spectra > 0).sum(axis=1) == expected).all()
    for spectrum in spectra:
        assert len(set(spectrum[spectrum > 0])) == 1, "all active coordinates of an arm share one variance"


def test_low_rank_draws_its_coordinates_anew_for_every_arm():
    active = variances(kb.LowRank(n_active=3), 10) > 0
    assert np.abs(active.mean(axis=0) - 0.3).max() < 0.05, "every coordinate is as likely as any other"
    assert len({tuple(row) for row in active}) > 100


def test_low_rank_cannot_have_more_active_coordinates_than_features():
    with pytest.raises(kb.errors.InvalidArgument, match="n_active must be at most the dimension 4; got 5"):
        variances(kb.LowRank(n_active=5), 4)


def test_approximate_low_rank_is_one_and_then_halves():
    spectra = variances(kb.ApproximateLowRank(), 6)
    assert np.allclose(spectra / spectra[:, :1], [1, 0.5, 0.5, 0.5, 0.5, 0.5])


def decay(dim):
    """The paper's formula, sum by sum; its level c̃⁽ⁱ⁾ left out."""
    heads = [j for j in range(1, dim + 1) if sum(10 / m for m in range(1, j + 1)) <= dim / 4]
    head = max(heads, default=0)
    used = sum(10 / m for m in range(1, head + 1))
    return head, [10 / j for j in range(1, head + 1)] + [(0.5 * dim - used) / (dim - head)] * (dim - head)


@pytest.mark.parametrize("dim", [1, 39, 40, 60, 100, 200])
def test_spectral_decay_is_the_papers_formula(dim):
    _, expected = decay(dim)
    spectra = variances(kb.SpectralDecay(), dim, n_arms=5)
    levels = spectra.sum(axis=1) / (dim / 2)
    assert ((levels >= 0.5) & (levels <= 1.0)).all()
    assert np.allclose(spectra, levels[:, np.newaxis] * expected)


def test_spectral_decay_at_the_papers_dimension():
    spectrum = variances(kb.SpectralDecay(), 100, n_arms=1)[0]
    assert decay(100)[0] == 6
    ratios = spectrum[0] / spectrum
    assert np.allclose(ratios[:6], [1, 2, 3, 4, 5, 6])
    assert np.allclose(ratios[6:], ratios[6])
    assert ratios[6] == pytest.approx(10 * 94 / (50 - 24.5))


def test_spectral_decay_without_a_tail():
    """From about 250 features on, all of Σ 10/l stays below d/4: the formula has no tail left to fill up the trace."""
    spectrum = variances(kb.SpectralDecay(), 1000, n_arms=1)[0]
    assert np.allclose(spectrum[0] / spectrum, np.arange(1, 1001))


@pytest.mark.parametrize("covariance", [kb.LowRank(), kb.SpectralDecay()], ids=repr)
def test_average_eigenvalue_is_half_the_level(covariance):
    """Tr(Σ)/d = c̃/2 in every design, with c̃ ~ U[0.5, 1]; approximately so in the approximate one."""
    averages = variances(covariance, 100).mean(axis=1)
    assert averages.min() >= 0.25
    assert averages.max() <= 0.5
    assert averages.mean() == pytest.approx(0.375, abs=0.01)
