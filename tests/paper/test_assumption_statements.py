"""Assumption 4.1 (basic condition), Definition 4.2 (class of kernels), the conditions of Theorem 4.6, as a report."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.theory import HypothesisVerdict

RNG_ROWS, DIM = 600, 20


def normal(n=RNG_ROWS, d=DIM, seed=0, level=0.5):
    return np.random.default_rng(seed).standard_normal((n, d)) * np.sqrt(level)


@pytest.mark.parametrize(
    ("kernel", "failing"),
    [
        (kb.Exponential(), set()),
        (kb.Polynomial(2, 1.0), set()),
        (kb.Polynomial(3, 0.0), {"h(0) > 0", "h'(0) > 0", "h'' ≥ c > 0 on [0, 1]"}),
        (kb.Linear(), {"h(0) > 0", "h'' ≥ c > 0 on [0, 1]"}),
        (kb.Gaussian(4.0), set()),
        (kb.RationalQuadratic(), set()),
        (kb.Matern(3.5), set()),
        (kb.Gaussian(100.0), set()),
        (kb.Matern(3.0), {"h is C³ on [0, 2]"}),
        (kb.Matern(2.5), {"h is C³ on [0, 2]"}),
        (kb.Matern(1.5), {"h is C³ on [0, 2]"}),
        (kb.Laplace(), {"h is C³ on [0, 2]"}),
        (kb.Gaussian() + kb.Linear(), {"kernel is of one class"}),
        (kb.Gaussian() + kb.Matern(3.5), set()),
    ],
)
def test_definition_4_2(kernel, failing):
    """Conditions on h alone. The paper lists linear and Laplace as members; the report says what they lack."""
    assert set(theory.assumptions(kernel).failing) == failing


def test_definition_4_2_normalisation():
    X = normal()
    assert theory.assumptions(kb.Gaussian(), X)["K(x, x) ≤ 1"].verdict is HypothesisVerdict.HOLDS
    large = theory.assumptions(kb.Exponential(), X)["K(x, x) ≤ 1"]
    assert large.verdict is HypothesisVerdict.FAILS
    assert f"{kb.Exponential().diagonal(X).max():.4g}" in large.reason


def test_assumption_4_1_covariance_norm():
    name = "‖Σ‖ ≤ 1"
    X = normal()
    for covariance, verdict in (
        (np.full(DIM, 1.0), HypothesisVerdict.HOLDS),
        (np.eye(DIM) * 1.01, HypothesisVerdict.FAILS),
    ):
        assert theory.assumptions(kb.Gaussian(), X, covariance)[name].verdict is verdict
    assert theory.assumptions(kb.Gaussian(), covariance=np.ones(3))[name].verdict is HypothesisVerdict.HOLDS
    assert theory.assumptions(kb.Gaussian(), normal(level=0.2))[name].verdict is HypothesisVerdict.HOLDS
    assert theory.assumptions(kb.Gaussian(), normal(level=3.0))[name].verdict is HypothesisVerdict.FAILS
    assert theory.assumptions(kb.Gaussian(), normal(level=1.0))[name].verdict is HypothesisVerdict.UNKNOWN


def test_assumption_4_1_independence():
    """A common random scale keeps coordinates uncorrelated but not independent; rotation of normals keeps them so."""
    name = "coordinates are independent"
    X = normal()
    scales = np.random.default_rng(1).uniform(0.5, 1.5, size=(RNG_ROWS, 1))
    variances = np.full(DIM, 0.5)
    assert theory.assumptions(kb.Gaussian(), X, variances)[name].verdict is HypothesisVerdict.HOLDS
    assert theory.assumptions(kb.Gaussian(), X)[name].verdict is HypothesisVerdict.HOLDS
    assert (
        theory.assumptions(kb.Gaussian(), X * scales, variances * np.mean(scales**2))[name].verdict
        is HypothesisVerdict.FAILS
    )
    assert theory.assumptions(kb.Gaussian(), X * scales)[name].verdict is HypothesisVerdict.FAILS


def test_assumption_4_1_boundedness_and_mean():
    variances = np.full(DIM, 0.5)
    X = normal()
    report = theory.assumptions(kb.Gaussian(), X, variances)
    assert report["coordinates are bounded"].verdict is HypothesisVerdict.HOLDS
    assert report["coordinates have mean 0"].verdict is HypothesisVerdict.HOLDS
    heavy = np.random.default_rng(2).standard_t(2.0, size=X.shape)
    assert theory.assumptions(kb.Gaussian(), heavy)["coordinates are bounded"].verdict is HypothesisVerdict.FAILS
    assert (
        theory.assumptions(kb.Gaussian(), X + 1.0, variances)["coordinates have mean 0"].verdict
        is HypothesisVerdict.FAILS
    )


def test_assumption_4_1_cannot_be_told_from_few_rows():
    report = theory.assumptions(kb.Gaussian(), normal(n=30))
    line = report["coordinates are independent"]
    assert line.verdict is HypothesisVerdict.UNKNOWN
    assert "at least 200 rows" in line.reason


SIGNS = np.array(np.meshgrid(*[[-1.0, 1.0]] * 2)).reshape(2, -1).T.repeat(25, axis=0)  # 100 rows, mean 0, variance 1


@pytest.mark.parametrize(("factor", "verdict"), [(0.99, HypothesisVerdict.HOLDS), (1.01, HypothesisVerdict.FAILS)])
def test_assumption_4_1_mean_is_judged_at_four_standard_deviations(factor, verdict):
    """N‖mean‖²/d has mean 1 and standard deviation √(2/d): at d = 2 the limit is 1 + 4 = 5."""
    shift = np.sqrt(factor * 5.0 / 100)
    line = theory.assumptions(kb.Gaussian(), SIGNS + shift, np.ones(2))["coordinates have mean 0"]
    assert line.verdict is verdict
    assert line.reason == f"N‖mean‖²/d = {factor * 5:.3g}, expected 1 and below 5"


@pytest.mark.parametrize(("factor", "verdict"), [(0.999, HypothesisVerdict.HOLDS), (1.001, HypothesisVerdict.FAILS)])
def test_assumption_4_1_bound_is_twice_what_normals_reach(factor, verdict):
    X = SIGNS.copy()
    X[7, 1] = -factor * 2.0 * np.sqrt(2.0 * np.log(200))
    assert theory.assumptions(kb.Gaussian(), X, np.ones(2))["coordinates are bounded"].verdict is verdict


@pytest.mark.parametrize(("equal", "verdict"), [(1189, HypothesisVerdict.HOLDS), (1191, HypothesisVerdict.FAILS)])
@pytest.mark.parametrize("sign", [1, -1])
def test_assumption_4_1_independence_is_judged_at_six_standard_deviations(equal, sign, verdict):
    """Squares in {½, 1½} that agree in `equal` of 2000 rows: the ratio is 1 ± (equal/1000 − 1), the limit 0.1897."""
    agree = np.arange(2000) < (equal if sign > 0 else 2000 - equal)
    first = np.arange(2000) % 2 == 0
    Z = np.sqrt(np.where(np.c_[first, first == agree], 1.5, 0.5))
    line = theory.assumptions(kb.Gaussian(), Z, np.ones(2))["coordinates are independent"]
    assert line.verdict is verdict, line.reason


@pytest.mark.parametrize(
    ("factor", "verdict"),
    [
        (0.999, HypothesisVerdict.HOLDS),
        (1.001, HypothesisVerdict.UNKNOWN),
        (2.24, HypothesisVerdict.UNKNOWN),
        (2.26, HypothesisVerdict.FAILS),
    ],
)
def test_assumption_4_1_sample_norm_is_judged_at_the_edge(factor, verdict):
    """‖Σ̂‖ between 1 and (1 + √(d/n))² = 1.5² is what ‖Σ‖ = 1 gives at d = 25, n = 100."""
    X = np.zeros((100, 25))
    X[:, 0] = np.sqrt(factor)
    assert theory.assumptions(kb.Gaussian(), X)["‖Σ‖ ≤ 1"].verdict is verdict


def test_theorem_4_6_ratio():
    name = "c_L ≤ d/N ≤ c_U"
    X = normal()
    for n, verdict in (
        (401, HypothesisVerdict.FAILS),
        (400, HypothesisVerdict.HOLDS),
        (1, HypothesisVerdict.HOLDS),
    ):  # d = 20: 0.05 to 20
        assert theory.assumptions(kb.Gaussian(), X, n=n)[name].verdict is verdict
    assert theory.assumptions(kb.Gaussian(), np.ones((1, 21)))[name].verdict is HypothesisVerdict.FAILS
    assert theory.assumptions(kb.Gaussian(), X)[name].verdict is HypothesisVerdict.FAILS  # 20/600
    assert theory.assumptions(kb.Gaussian(), X, n=40)[name].verdict is HypothesisVerdict.HOLDS
    assert theory.assumptions(kb.Gaussian(), X, n=40)[name].reason.startswith("d/N = 0.5")


def test_theorem_4_6_radial_conditions():
    """‖x‖ = o(d^−c) is at odds with Tr(Σ)/d of order 1: reported, not raised; γ ≥ c Tr(Σ)/d with its largest c."""
    X = normal()
    report = theory.assumptions(kb.Gaussian(4.0), X, np.full(DIM, 0.5))
    assert report["‖x‖ = o(d^−c)"].verdict is HypothesisVerdict.FAILS
    gamma = 1 - 5 * np.exp(-4.0)
    assert report["γ ≥ c Tr(Σ)/d"].reason.startswith(f"γ = {gamma:.4g}, so c up to {2 * gamma:.4g}")
    tiny = theory.assumptions(kb.Gaussian(4.0), X / 10)
    assert tiny["‖x‖ = o(d^−c)"].verdict is HypothesisVerdict.HOLDS
    assert "‖x‖ = o(d^−c)" not in [line.name for line in theory.assumptions(kb.Exponential(), X).lines]


@pytest.mark.parametrize(
    ("kernel", "factor"), [(kb.Gaussian(4.0), 1e-3), (kb.Gaussian(4.0), 1e-2), (kb.Gaussian(1e-5), 1.0)]
)
def test_theorem_4_6_gamma_must_be_of_the_order_of_the_level(kernel, factor):
    """Any γ > 0 is at least some c Tr(Σ)/d, but a c that vanishes with Tr(Σ)/d is none: γ = 10⁻¹¹ fails."""
    line = theory.assumptions(kernel, factor * normal())["γ ≥ c Tr(Σ)/d"]
    assert line.verdict is HypothesisVerdict.FAILS
    assert line.reason.endswith("γ falls like (Tr(Σ)/d)^2")


@pytest.mark.parametrize(("level", "verdict"), [(0.0254, HypothesisVerdict.FAILS), (0.0262, HypothesisVerdict.HOLDS)])
def test_theorem_4_6_gamma_is_judged_from_a_twentieth_on(level, verdict):
    """Gaussian(1): γ/ε = (1 − (1 + 2ε) e^{−2ε})/ε passes 0.05 between these levels."""
    ratio = (1 - (1 + 2 * level) * np.exp(-2 * level)) / level
    line = theory.assumptions(kb.Gaussian(), normal(), np.full(DIM, level))["γ ≥ c Tr(Σ)/d"]
    assert line.verdict is verdict
    assert (ratio >= 0.05) == (verdict is HypothesisVerdict.HOLDS)


def test_report_prints_one_line_each_and_names_what_it_has():
    report = theory.assumptions(kb.Gaussian(), normal())
    assert len(str(report).splitlines()) == len(report.lines)
    with pytest.raises(KeyError, match="there are kernel is of one class"):
        report["nothing"]
