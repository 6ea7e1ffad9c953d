"""Diagnoses: designs recognised, odd samples, notes, estimates."""

import dataclasses
import json

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory
from kernelbandits.errors import InvalidArgument
from kernelbandits.regression import leave_one_out
from kernelbandits.reporting import draw as draw_picture
from kernelbandits.theory import Case
from kernelbandits.theory.diagnosis import diagnose, diagnosis_document
from kernelbandits.theory.diagnosis.budgets import FitError, RewardErrors, reward_errors, rows_by_arm, rows_per_arm
from kernelbandits.theory.diagnosis.diagnosis import _scale_notes, _signal_notes
from kernelbandits.theory.diagnosis.picture import diagnosis_picture

DESIGNS = [
    (kb.LowRank(), Case.LOW_RANK),
    (kb.ApproximateLowRank(), Case.APPROXIMATE_LOW_RANK),
    (kb.SpectralDecay(), Case.SPECTRAL_DECAY),
]
ODD = [
    np.ones((1, 3)),
    np.ones((30, 4)),
    np.zeros((30, 4)),
    np.outer(np.arange(20.0), np.ones(6)),
    np.random.default_rng(0).standard_normal((40, 3)) @ np.ones((3, 50)),
    np.random.default_rng(0).standard_normal((5, 1)) * 1e8,
]
KERNELS = [kb.Gaussian(4.0), kb.Linear(), kb.Laplace(), kb.Sum(kb.Linear(), kb.Gaussian(4.0))]


def draw(design, seed, n=400, d=200):
    rng = np.random.default_rng(seed)
    return np.clip(rng.standard_normal((n, d)) * np.sqrt(design.variances(1, d, rng)[0]), -10.0, 10.0)


@pytest.mark.parametrize(("design", "case"), DESIGNS)
def test_the_case_is_that_of_all_rows(design, case):
    found = [diagnose(draw(design, seed), max_rows=20).classification for seed in range(2)]
    assert [c.case for c in found] == [case] * 2
    assert min(c.confidence for c in found) >= 0.95


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("X", ODD, ids=lambda X: str(X.shape))
def test_odd_samples_make_a_complete_document(X, kernel):
    report = diagnose(X, kernel=kernel)
    assert report.spectrum.rank <= min(X.shape)
    document = diagnosis_document(report)
    assert json.loads(document.json())["dim"] == X.shape[1]
    assert "NaN" not in document.json()
    picture = diagnosis_picture(report)
    if kernel == KERNELS[0]:  # with a linear approximation; drawing takes longest
        assert "hypotheses" in document.html()
    if kernel == KERNELS[-1]:  # without
        assert len(draw_picture(picture).axes) == 2


def test_numbers_are_those_of_the_theory():
    X = draw(kb.LowRank(), 0, n=60, d=30)
    report = diagnose(X)
    linear = theory.linearize(report.kernel, X)
    assert report.linearization.error == linear.error
    assert report.linearization.event is linear.event
    assert report.variance == pytest.approx(theory.effective_variance(report.kernel, X))
    assert report.bias == theory.effective_bias(report.kernel, X)
    assert report.information_gain == theory.information_gain(report.kernel, X)
    assert report.gram_rows == 60


def test_subsample_is_stated():
    report = diagnose(draw(kb.LowRank(), 0, n=300, d=10), max_rows=50)
    assert report.gram_rows == report.curve.sizes[-1] == 50
    assert "50 evenly spaced rows of 300" in diagnosis_document(report).sections[2].title
    assert report.assumption_rows == 200  # four times as many, or ten times d
    assert diagnose(draw(kb.LowRank(), 0, n=300, d=25), max_rows=50).assumption_rows == 250


def pilot(n=60, n_arms=3):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 5)) * 0.7
    arms = np.arange(n) % n_arms
    return X, arms, np.tanh(X[:, 0] + arms) + 0.05 * rng.standard_normal(n)


def test_leave_one_out_per_arm_and_pooled():
    X, arms, y = pilot()
    found = diagnose(X, arms, y).rewards
    errors = [y[arms == a] - leave_one_out(kb.Gaussian(4.0), X[arms == a], y[arms == a]) for a in range(3)]
    assert [fit.rmse for fit in found.arms] == pytest.approx([np.sqrt(np.mean(e**2)) for e in errors])
    pooled = np.concatenate(errors)
    assert found.pooled.rmse == pytest.approx(np.sqrt(np.mean(pooled**2)))
    assert found.pooled.explained == pytest.approx(1 - np.mean(pooled**2) / y.var())
    assert diagnose(X, None, y).rewards.arms == ()


def test_recommendation_is_that_of_the_theory_and_numbers_have_sources():
    X, arms, y = pilot()
    report = diagnose(X, arms, y, horizon=900)
    plan = theory.recommend_exploration(X, arms, y, horizon=900, kernel=kb.Gaussian(4.0))
    assert report.recommendation.n_explore == plan.n_explore
    assert report.inputs.noise_std == report.rewards.pooled.rmse
    assert report.inputs.sources[:2] == ("T = 900 (given)", "K = 3 (arms in the file)")
    assert diagnose(X).inputs.sources == (
        "T = 10,000 (assumed)",
        "K = 2 (assumed)",
        "σ = 0.1 (assumed)",
        "B = 1 (assumed)",
    )
    assert diagnose(X, arms, y, noise_std=0.3, norm=2.0).paper_budget.given.noise_std == 0.3


def test_notes():
    X, arms, y = pilot()
    noise = np.random.default_rng(5).standard_normal(60)
    assert any("no more than chance" in note for note in diagnose(X, arms, noise).notes)
    assert any("differ by a factor of" in note for note in diagnose(X * [1, 1, 1, 1, 1000.0]).notes)
    assert any("hold one value" in note for note in diagnose(np.c_[X, np.ones(60)]).notes)
    assert any("with one arm" in note for note in diagnose(X, np.zeros(60, int), y).notes)
    assert any("do not vary" in note for note in diagnose(X, arms, np.zeros(60)).notes)
    alone = diagnose(X[:3], np.arange(3), y[:3])
    assert alone.recommendation is None
    assert alone.rewards is None
    assert any("need an arm with at least 2 rows" in note for note in alone.notes)


@pytest.mark.parametrize(("correlation", "noted"), [(0.199, True), (0.201, False), (-0.5, True)])
def test_a_correlation_within_two_standard_errors_is_noted(correlation, noted):
    """n = 100: two standard errors under independence are 0.2."""
    pooled = FitError(None, 100, 1.0, 1.0, correlation, 1.0)
    assert bool(_signal_notes(RewardErrors(pooled, ()))) is noted


@pytest.mark.parametrize(("factor", "noted"), [(29.9, False), (30.1, True)])
def test_columns_of_different_size_are_noted(factor, noted):
    X = np.ones((4, 2)) * [1.0, factor] * np.array([[1.0], [-1.0], [1.0], [-1.0]])
    assert any("differ by a factor" in note for note in _scale_notes(X)) is noted


def test_rows_per_arm_fall_with_the_cube_root_of_their_number():
    """At most max_rows/K^⅓ of each arm: of 8 arms of 60 rows with max_rows = 50, 25 each."""
    rng = np.random.default_rng(0)
    X, arms, y = rng.standard_normal((480, 3)), np.arange(480) % 8, rng.standard_normal(480)
    found, notes = reward_errors(kb.Gaussian(), X, y, rows_by_arm(arms, len(y)), rows_per_arm(50, 8))
    assert [fit.n for fit in found.arms] == [25] * 8
    assert notes == ["leave-one-out: 25 evenly spaced rows are used of 8 of 8 arms"]


def test_paper_formula_outside_its_range():
    report = diagnose(10.0 * pilot()[0])
    assert report.paper_budget is None
    assert "need 0 < ε ≤ 1" in report.paper_reason


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delta": -1.0}, "delta must be"),
        ({"n_arms": 2}, "n_arms must be a whole number of at least 3"),
        ({"horizon": 2}, "horizon must be"),
        ({"noise_std": -1.0}, "noise_std must be"),
        ({"kernel": kb.Schoenberg((0.5, 0.5), dim=3)}, "Schoenberg"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(InvalidArgument, match=message):
        diagnose(*pilot(), **options)


def test_report_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        diagnose(pilot()[0]).gram_rows = 0
