"""Theorem 4.11 with Table 2, and Theorem C.2 (lenient regret), as printed and corrected."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.theory import Case

EXPONENTIAL, GAUSSIAN = kb.Exponential(0.5), kb.Gaussian(0.5)
CURVATURE = 0.25 * np.exp(0.5)
FIXED = {"n_arms": 4, "noise_std": 0.5, "norm": 0.1, "dim": 60}


def budget(kernel, case, as_printed=True, **changes):
    return theory.exploration_budget(
        kernel, case, as_printed=as_printed, **{**FIXED, "delta": 0.3, "epsilon": 0.2, **changes}
    )


def test_table_2_case_I():
    """T₀ = ⌈256σ²K²ε/Δ⌉ d."""
    assert budget(EXPONENTIAL, Case.LOW_RANK).n_explore == np.ceil(256 * 0.25 * 16 * 0.2 / 0.3) * 60


def test_table_2_case_II():
    """Printed with ε above the bar; Lemma B.6 has it below, so the budget misses even the printed condition."""
    printed = budget(EXPONENTIAL, Case.APPROXIMATE_LOW_RANK)
    assert printed.n_explore == np.ceil(256 * 0.25 * 16 * 0.2 / 0.3) * 60
    assert printed.variance > 0.3 / (8 * 4)
    radial = budget(GAUSSIAN, Case.APPROXIMATE_LOW_RANK)
    assert radial.n_explore == np.ceil(256 * 0.25 * 16 / (0.3 * 0.2)) * 60
    assert radial.variance <= 0.3 / (8 * 4)


def test_table_2_case_III():
    """T₀ = ⌊ε²h''_min Δ/(64σ²β)⌋ d, which is 0 unless the noise is small."""
    assert not budget(EXPONENTIAL, Case.SPECTRAL_DECAY).feasible
    found = budget(EXPONENTIAL, Case.SPECTRAL_DECAY, noise_std=0.002)
    assert found.n_explore == np.floor(0.04 * 0.25 * 0.3 / (64 * 0.002**2 * 0.5)) * 60


@pytest.mark.parametrize(
    ("case", "factor"), [(Case.LOW_RANK, 0.75), (Case.APPROXIMATE_LOW_RANK, 1.5), (Case.SPECTRAL_DECAY, 1.5)]
)
def test_table_2_epsilon(case, factor):
    """The printed condition factor·B²h''ε² + B²βε < Δ/(4K), with 3/2 in Case III where the lemma has 3/4."""
    found = theory.admissible_epsilon(EXPONENTIAL, case, delta=0.3, n_arms=4, norm=1.0, as_printed=True)
    assert factor * CURVATURE * found**2 + 0.5 * found == pytest.approx(0.3 / 16)
    corrected = theory.admissible_epsilon(EXPONENTIAL, case, delta=0.3, n_arms=4, norm=1.0)
    lemma = 1.5 if case is Case.APPROXIMATE_LOW_RANK else 0.75
    assert lemma * CURVATURE * corrected**2 + 0.5 * corrected == pytest.approx((0.9 / 32) ** 2)
    assert corrected < found


def test_theorem_C_2():
    """T₀ of the three cases; Case III is negative as printed. Admissible ε: 5B²|h'|ε < Δ/(4K)."""
    assert budget(GAUSSIAN, Case.LOW_RANK).n_explore == np.ceil(256 * 0.25 * 16 * 0.2 / 0.3) * 60
    printed = budget(GAUSSIAN, Case.SPECTRAL_DECAY, noise_std=0.002)
    assert not printed.feasible
    value = np.exp(-0.2)
    gamma = 1.0 - 0.2 * value - value
    magnitude = 0.3 * gamma / (32 * 0.5 * 0.002**2)
    assert printed.reason.endswith(f"T₀ = {int(np.floor(-magnitude)) * 60}")
    found = theory.admissible_epsilon(GAUSSIAN, Case.LOW_RANK, delta=0.3, n_arms=4, norm=1.0, as_printed=True)
    assert 5 * 0.5 * found == pytest.approx(0.3 / 16)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    kernel=st.sampled_from([EXPONENTIAL, kb.Polynomial(3), GAUSSIAN, kb.RationalQuadratic()]),
    case=st.sampled_from(list(Case)),
    delta=st.floats(1e-3, 10.0),
    n_arms=st.integers(1, 30),
    noise_std=st.floats(0.0, 2.0),
    norm=st.floats(0.0, 0.05),
    epsilon=st.floats(0.01, 1.0),
    dim=st.integers(2, 2000),
)
def test_theorem_4_11_corrected_meets_its_condition(kernel, case, delta, n_arms, noise_std, norm, epsilon, dim):
    """Lemma C.1 with a quarter of Δ left for Φ: 2 Σ √(V + B) ≤ ¾Δ at the corrected T₀, and N on its side of d."""
    given_ = {"epsilon": epsilon, "noise_std": noise_std, "norm": norm, "dim": dim}
    found = theory.exploration_budget(kernel, case, delta=delta, n_arms=n_arms, **given_)
    if not found.feasible:
        smallest = theory.case_bound(kernel, case, n=1 if case is Case.SPECTRAL_DECAY else 1e12, **given_)
        assert smallest.bias + smallest.variance > (3 * delta / (8 * n_arms)) ** 2 * (1 - 1e-9)
        assert "no budget meets" in found.reason
        return
    assert found.n_explore % n_arms == 0
    n = found.n_explore // n_arms
    at = theory.case_bound(kernel, case, n=n, **given_)
    assert theory.lenient_regret_is_bounded(np.full(n_arms, at.variance + at.bias), 0.75 * delta * (1 + 1e-9))
    assert (n > dim) == case.more_data_helps
    tighter = n - 1 if case.more_data_helps else n + 1
    if tighter not in (dim, 0):
        other = theory.case_bound(kernel, case, n=tighter, **given_)
        assert not theory.lenient_regret_is_bounded(
            np.full(n_arms, other.variance + other.bias), 0.75 * delta * (1 - 1e-9)
        )


def test_theorem_4_11_printed_misses_its_condition():
    """Printed Case I: V + B ≤ 3Δ/(8K) indeed, but 2K √(V + B) is far above Δ."""
    found = budget(EXPONENTIAL, Case.LOW_RANK)
    assert found.variance + found.bias <= found.allowed
    assert not theory.lenient_regret_is_bounded(np.full(4, found.variance + found.bias), 0.3)


def test_table_2_feasibility_as_printed():
    """The printed table asks B < Δ/(4K), and aims at V + B ≤ 3Δ/(8K): 5B²|h'|ε = 0.05 B² against 0.0125."""
    norms = np.sqrt(np.array([0.0124, 0.0126]) / 0.05)
    found = [budget(GAUSSIAN, Case.LOW_RANK, delta=0.2, epsilon=0.02, norm=norm) for norm in norms]
    assert [b.feasible for b in found] == [True, False]
    assert found[0].allowed == found[1].allowed == pytest.approx(3 * 0.2 / 32)


def test_infeasible_is_said_plainly():
    found = theory.exploration_budget(
        GAUSSIAN, Case.LOW_RANK, delta=0.01, n_arms=4, noise_std=0.1, norm=1.0, epsilon=0.12, dim=50
    )
    assert not found.feasible
    assert "no budget meets Δ = 0.01 here: the bias alone is 0.3" in found.reason
    assert f"a regret of {2 * 4 * np.sqrt(0.3):.3g} per round" in found.reason


def test_noiseless_needs_no_more_than_the_case_itself():
    found = budget(GAUSSIAN, Case.LOW_RANK, as_printed=False, noise_std=0.0, norm=0.001)
    assert found.n_explore == 4 * 61


@pytest.mark.parametrize("changes", [{"delta": 0.0}, {"n_arms": 0}, {"noise_std": -1.0}, {"norm": float("nan")}])
def test_bad_numbers_are_refused(changes):
    with pytest.raises(kb.errors.InvalidArgument, match=next(iter(changes))):
        budget(GAUSSIAN, Case.LOW_RANK, **changes)
