"""Theorems 4.6, B.1 and B.4: their probability 1 − 2δ_d − d⁻² − η_d at a given d. Proposition C.3: its right side."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.theory import HypothesisVerdict

NAME = "1 − 2δ_d − d⁻² − η_d > 0"


def sample(d, seed=0, n=None):
    return np.random.default_rng((seed, d)).standard_normal((d if n is None else n, d)) * np.sqrt(0.5)


def test_theorem_B_1_probability():
    """δ_d = 16/(dγ²) with γ = e^½ − 3/2 of the exponential kernel at Tr(Σ)/d = ½; this class has no η_d."""
    d = 2000
    found = theory.guarantee(kb.Exponential(), np.ones((2, d)), np.full(d, 0.5))
    gamma = np.exp(0.5) - 1.5
    assert (found.dim, found.gamma, found.eta) == (d, pytest.approx(gamma), 0.0)
    assert found.delta == pytest.approx(16 / (d * gamma**2)) == theory.smallest_delta(gamma, d)
    assert found.probability == pytest.approx(1 - 32 / (d * gamma**2) - d**-2)
    small = theory.guarantee(kb.Exponential(), np.ones((2, 3)), np.full(3, 0.5))
    assert small.probability == pytest.approx(1 - 32 / (3 * gamma**2) - 1 / 9)


def test_theorem_B_4_probability():
    """Gaussian(1), Σ = I/2: γ = 1 − 2/e, δ_d = 2.29 at d = 100, so nothing is guaranteed; at d = 1600 something is."""
    gamma = 1 - 2 / np.e
    small, large = (theory.guarantee(kb.Gaussian(), sample(d), np.full(d, 0.5)) for d in (100, 1600))
    assert small.delta == pytest.approx(16 / (100 * gamma**2)) == pytest.approx(2.2915, abs=1e-4)
    psi = np.abs((sample(100) ** 2).sum(axis=1) / 100 - 0.5)
    assert small.eta == pytest.approx(psi.max())
    assert small.probability == pytest.approx(1 - 2 * small.delta - 1e-4 - psi.max())
    assert small.empty
    assert "the guarantee is empty at d = 100" in small.reason
    assert not large.empty
    assert large.probability == pytest.approx(1 - 32 / (1600 * gamma**2) - 1600**-2 - large.eta)
    assert "empty" not in large.reason


def test_theorem_B_4_probability_in_the_report():
    """The report says plainly whether the guarantee is empty, with its numbers."""
    for d, verdict in ((100, HypothesisVerdict.FAILS), (1600, HypothesisVerdict.HOLDS)):
        line = theory.assumptions(kb.Gaussian(), sample(d, n=50), np.full(d, 0.5))[NAME]
        assert line.verdict is verdict
        assert line.reason == theory.guarantee(kb.Gaussian(), sample(d, n=50), np.full(d, 0.5)).reason
    inner = theory.assumptions(kb.Exponential(), sample(100), np.full(100, 0.5))[NAME]
    assert "δ_d ≥ 16/(dγ²) = 7.23 and η_d ≥ 0 leave at most -13.5: the guarantee is empty" in inner.reason
    assert theory.assumptions(kb.Linear(), sample(10))[NAME].verdict is HypothesisVerdict.FAILS
    assert NAME not in [line.name for line in theory.assumptions(kb.Gaussian() + kb.Linear(), sample(10)).lines]


@pytest.mark.parametrize("eta", [0.0, 0.3])
@pytest.mark.parametrize("gamma", [0.05, 0.26, 0.9, 8.0])
def test_needed_dim_is_the_first_with_a_guarantee(gamma, eta):
    """At the needed d the probability is above 0 and one below it is not."""
    d = theory.Guarantee(7, gamma, theory.smallest_delta(gamma, 7), eta).needed_dim
    at, before = (theory.Guarantee(k, gamma, theory.smallest_delta(gamma, k), eta) for k in (d, d - 1))
    assert not at.empty
    assert d == 1 or before.empty


@pytest.mark.parametrize(("gamma", "eta"), [(0.0, 0.0), (-0.1, 0.0), (1e-200, 0.0), (0.5, 1.0)])
def test_no_dim_is_enough(gamma, eta):
    found = theory.Guarantee(10, gamma, theory.smallest_delta(gamma, 10), eta)
    assert found.needed_dim is None
    assert found.empty
    assert "the guarantee is empty" in found.reason


def test_definition_B_2_eta():
    """‖ψ‖ ≤ η_d ↘ 0 as printed cannot be: at N = d, Σ = I/2, ‖ψ‖ stays near √½, while max |ψ_j| vanishes."""

    def mean_eta(d, as_printed):
        samples, variances = [sample(d, seed) for seed in range(5)], np.full(d, 0.5)
        return np.mean([theory.guarantee(kb.Gaussian(), X, variances, as_printed=as_printed).eta for X in samples])

    printed, corrected = ([mean_eta(d, as_printed) for d in (100, 400, 1600)] for as_printed in (True, False))
    np.testing.assert_allclose(printed, np.sqrt(0.5), rtol=0.05)
    assert corrected[2] < 0.6 * corrected[1] < 0.36 * corrected[0]
    psi = (sample(100) ** 2).sum(axis=1) / 100 - 0.5
    found = theory.guarantee(kb.Gaussian(), sample(100), np.full(100, 0.5), as_printed=True)
    assert found.eta == pytest.approx(np.sqrt((psi**2).sum()))


def test_definition_B_2_eta_in_the_report():
    """η_d ≥ ‖ψ‖, η_d ↘ 0 fails for normal contexts at N = d, and holds for signs, whose ψ is 0."""
    name, d = "η_d ≥ ‖ψ‖, η_d ↘ 0", 400
    X = sample(d)
    line = theory.assumptions(kb.Gaussian(), X, np.full(d, 0.5))[name]
    assert line.verdict is HypothesisVerdict.FAILS
    size = np.linalg.norm((X**2).sum(axis=1) / d - 0.5)
    assert line.reason.startswith(f"‖ψ‖ = {size:.3g} at N = {d}")
    fewer = theory.assumptions(kb.Gaussian(), X, np.full(d, 0.5), n=d // 4)[name]
    assert fewer.reason.startswith(f"‖ψ‖ = {size / 2:.3g} at N = {d // 4}")
    signs = np.sqrt(0.5) * np.sign(X)
    assert theory.assumptions(kb.Gaussian(), signs, np.full(d, 0.5))[name].verdict is HypothesisVerdict.HOLDS
    assert name not in [line.name for line in theory.assumptions(kb.Exponential(), X).lines]


@pytest.mark.parametrize(("factor", "verdict"), [(0.999, HypothesisVerdict.HOLDS), (1.001, HypothesisVerdict.FAILS)])
def test_definition_B_2_eta_is_judged_at_ln_d_over_root_d(factor, verdict):
    """100 rows with ψ_j = ψ have ‖ψ‖ = 10ψ; at d = 100 the limit is ln 100/10."""
    psi = factor * np.log(100) / 100
    X = np.full((100, 100), np.sqrt(0.5 + psi))
    line = theory.assumptions(kb.Gaussian(), X, np.full(100, 0.5))["η_d ≥ ‖ψ‖, η_d ↘ 0"]
    assert line.verdict is verdict


def test_proposition_C_3_right_side():
    """d^−½ (δ^−½ + ln^0.51 d); printed with −0.51, where the proof's ‖E₁‖ has +0.51."""
    assert theory.linearization_limit(400, 0.1) == pytest.approx((10**0.5 + np.log(400) ** 0.51) / 20)
    assert theory.linearization_limit(400, 0.1, as_printed=True) == pytest.approx((10**0.5 + np.log(400) ** -0.51) / 20)
    assert theory.linearization_limit(1, 0.25) == 2.0


@pytest.mark.parametrize("kernel", [kb.Gaussian(), kb.Exponential()])
def test_proposition_C_3_right_side_dominates(kernel):
    """‖K − K_lin‖ lies below d^−½ (δ^−½ + ln^0.51 d) at δ = 0.1, by a factor of 2.5 to 6 that does not depend on d."""
    ratios = []
    for d in (100, 400):
        errors = [theory.linearize(kernel, sample(d, seed), np.full(d, 0.5)).error for seed in range(3)]
        ratios.append(theory.linearization_limit(d, 0.1) / np.mean(errors))
    assert 2.5 < min(ratios) < max(ratios) < 6


def test_theorem_B_1_condition_on_delta():
    """δ_d = 16/(dγ²) makes d^−½ δ_d^−½ = γ/4, so the proof's right side is at most γ/2 once ln^0.51 d/√d ≤ γ/4."""
    d, gamma = 10**6, 0.3
    found = theory.Guarantee(d, gamma, theory.smallest_delta(gamma, d), 0.0)
    assert found.limit == pytest.approx(gamma / 4 + np.log(d) ** 0.51 / np.sqrt(d))
    assert found.limit < gamma / 2
    assert theory.Guarantee(d, 0.0, np.inf, 0.0).limit == np.inf
