"""The three designs are recognised from samples, in any basis."""

from itertools import product

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.theory import Case
from kernelbandits.theory.spectrum import population_moments

DESIGNS = [
    (kb.LowRank(), Case.LOW_RANK),
    (kb.ApproximateLowRank(), Case.APPROXIMATE_LOW_RANK),
    (kb.SpectralDecay(), Case.SPECTRAL_DECAY),
]


def draw(design, n, d, seed):
    rng = np.random.default_rng(seed)
    std = np.sqrt(design.variances(1, d, rng)[0])
    return np.clip(rng.standard_normal((n, d)) * std, -10.0, 10.0)


@pytest.mark.parametrize(("design", "case"), DESIGNS)
def test_eight_of_eight_draws(design, case):
    found = [theory.classify(draw(design, 400, 200, seed)) for seed in range(8)]
    assert [c.case for c in found] == [case] * 8
    assert min(c.confidence for c in found) >= 0.95


@pytest.mark.parametrize(("design", "case"), DESIGNS)
@pytest.mark.parametrize(("n", "d"), [(60, 300), (2000, 100)])
def test_rotated_and_other_shapes(design, case, n, d):
    basis = np.linalg.qr(np.random.default_rng(0).standard_normal((d, d)))[0]
    X = draw(design, n, d, 1)
    plain, rotated = theory.classify(X), theory.classify(X @ basis)
    assert plain.case is rotated.case is case
    assert rotated.flatness == pytest.approx(plain.flatness, rel=1e-6)


def test_confidence_is_the_share_of_half_samples_that_agree():
    """All halves of a clear sample; of an unclear one, those of the twenty halves that give its case."""
    assert theory.classify(draw(kb.LowRank(), 400, 40, 0)).confidence == 1.0
    X = np.random.default_rng(3).standard_normal((40, 12)) * np.sqrt(np.r_[np.ones(9), np.zeros(3)] + 0.05)
    found, rng = theory.classify(X), np.random.default_rng(0)
    halves = [theory.classify(X[np.sort(rng.permutation(40)[:20])]).case for _ in range(20)]
    assert found.confidence == np.mean([half is found.case for half in halves])
    assert 0.0 < found.confidence < 1.0


def test_small_spectral_decay_is_case_two():
    """At d = 50 the design's head is a single 10/1, so its Σ is diag(1, ε, …, ε) up to scale."""
    variances = kb.SpectralDecay().variances(1, 50, np.random.default_rng(0))[0]
    assert len(np.unique(variances[1:])) == 1
    assert theory.classify(draw(kb.SpectralDecay(), 400, 50, 0)).case is Case.APPROXIMATE_LOW_RANK


def test_one_strong_spike_is_case_two():
    """Σ = diag(1, ε, …, ε) with ε = 0.01: the spike holds a third of the trace."""
    d = 200
    X = np.random.default_rng(0).standard_normal((400, d)) * np.sqrt(np.r_[1.0, np.full(d - 1, 0.01)])
    found = theory.classify(X)
    assert found.case is Case.APPROXIMATE_LOW_RANK
    assert found.spike
    assert found.epsilon == pytest.approx(0.015, rel=0.1)


def test_flatness_and_share_without_the_spike_by_hand():
    """The rest of the spectrum is that of n − 1 rows in d − 1 directions."""
    n, d = 60, 12
    X = np.random.default_rng(0).standard_normal((n, d)) * np.sqrt(np.r_[1.2, np.linspace(0.04, 0.16, d - 1)])
    found = theory.classify(X)
    t1, t2, t3 = population_moments(theory.spectrum(X).eigenvalues[1:], n - 1)
    assert found.spike
    assert found.flatness == pytest.approx(min(t2**2 / (t1 * t3), 1.0))
    assert found.active == pytest.approx(min(t1**2 / (t2 * (d - 1)), 1.0))
    assert found.active < 1.0


@pytest.mark.parametrize("n", range(1, 9))
def test_a_handful_of_rows_shows_no_spectrum(n):
    found = theory.classify(np.random.default_rng(n).standard_normal((n, 3)))
    assert (found.case is None) == (n < 8)


def test_population_moments_have_no_bias():
    """Tr(Σᵏ), k = 1, 2, 3, at n = d, where those of the sample are off by factors 2 and 5."""
    d = 40
    variances = np.linspace(0.2, 1.0, d)
    rng = np.random.default_rng(0)
    samples = [theory.spectrum(rng.standard_normal((d, d)) * np.sqrt(variances)) for _ in range(300)]
    found = np.mean([population_moments(s.eigenvalues, s.n) for s in samples], axis=0)
    np.testing.assert_allclose(found, [(variances**k).sum() for k in (1, 2, 3)], rtol=0.03)
    assert np.mean([(s.eigenvalues**3).sum() for s in samples]) > 4 * (variances**3).sum()


def test_population_moments_are_exactly_unbiased():
    """E over normal samples of n = 3 rows, d = 2, by Gauss–Hermite quadrature, which is exact for these polynomials."""
    n, variances = 3, np.array([1.0, 0.3])
    nodes, weights = np.polynomial.hermite_e.hermegauss(4)
    weights = weights / weights.sum()
    found = np.zeros(3)
    for index in product(range(4), repeat=2 * n):
        X = nodes[list(index)].reshape(n, 2) * np.sqrt(variances)
        eigenvalues = np.linalg.eigvalsh(X.T @ X / n)
        found += weights[list(index)].prod() * np.array(population_moments(eigenvalues, n))
    np.testing.assert_allclose(found, [(variances**k).sum() for k in (1, 2, 3)], rtol=1e-9)


@pytest.mark.parametrize("X", [np.ones((1, 5)), np.eye(3), np.ones((50, 4)), np.zeros((50, 4))])
def test_cannot_tell(X):
    found = theory.classify(X)
    assert found.case is None
    assert found.confidence == 0.0
    assert "do not show a spectrum" in found.reason
