"""Singular Gram matrices: the pseudo-inverse solution, finite, without a warning, and with a report that says so."""

from typing import NamedTuple

import numpy as np
import pytest

import kernelbandits as kb
import oracles

rng = np.random.default_rng(0)
BASE, TARGETS = rng.standard_normal((6, 4)), rng.standard_normal(6)
TWICE = np.vstack([BASE, BASE])


class Case(NamedTuple):
    kernel: kb.Kernel
    X: np.ndarray
    y: np.ndarray
    rank: int
    duplicates: int


def _cases():
    conflicting = np.concatenate([TARGETS, TARGETS + 1.0])
    for kernel in (kb.Gaussian(gamma=4.0), kb.Laplace(), kb.Matern(nu=0.5), kb.Matern(nu=2.5), kb.RationalQuadratic()):
        yield "equal targets", Case(kernel, TWICE, np.concatenate([TARGETS, TARGETS]), 6, 6)
        yield "conflicting targets", Case(kernel, TWICE, conflicting, 6, 6)
        yield "one context only", Case(kernel, np.repeat(BASE[:1], 5, axis=0), TARGETS[:5], 1, 4)
        yield "zero vectors", Case(kernel, np.zeros((4, 3)), TARGETS[:4], 1, 3)
    yield "more points than features", Case(kb.Linear(), rng.standard_normal((50, 4)), rng.standard_normal(50), 4, 0)
    yield "equal targets", Case(kb.Linear(), TWICE[[0, 1, 6]], TARGETS[[0, 1, 0]], 2, 1)
    yield "zero vectors", Case(kb.Linear(), np.zeros((4, 3)), TARGETS[:4], 0, 3)
    yield "one zero vector", Case(kb.Linear(), np.zeros((1, 3)), TARGETS[:1], 0, 0)
    yield "a zero vector among others", Case(kb.Linear(), np.vstack([BASE[:2], np.zeros(4)]), TARGETS[:3], 2, 0)
    yield "one context only", Case(kb.Linear(), np.repeat(BASE[:1], 5, axis=0), TARGETS[:5], 1, 4)
    yield "two features", Case(kb.Polynomial(degree=2), rng.standard_normal((30, 2)), rng.standard_normal(30), 6, 0)


CASES = [pytest.param(case, id=f"{case.kernel}, {name}") for name, case in _cases()]


@pytest.mark.parametrize("case", CASES)
class TestSingular:
    def fit(self, case):
        return kb.MinNormInterpolator(case.kernel).fit(case.X, case.y)

    def test_weights_are_those_of_the_pseudo_inverse(self, case):
        expected = oracles.min_norm_weights(case.kernel(case.X), case.y)
        fit = self.fit(case)
        assert np.allclose(fit.weights, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
        assert np.allclose(fit.mean(case.X), case.kernel(case.X) @ expected, rtol=1e-6, atol=1e-6)

    def test_report_says_so(self, case):
        report = self.fit(case).report
        if report.rank < report.n - report.duplicates:
            assert report.method == "eigen", "copies can be merged, but no Cholesky factor has zero pivots"
        assert report.n == len(case.y)
        assert report.rank == case.rank
        assert report.condition == np.inf
        assert not report.exact
        assert report.duplicates == case.duplicates
        assert f"rank {case.rank} of {report.n}" in str(report)

    def test_residual_is_the_part_out_of_reach(self, case):
        fit = self.fit(case)
        residual = np.abs(fit.mean(case.X) - case.y).max() / np.abs(case.y).max()
        assert fit.report.residual == pytest.approx(residual, rel=1e-6, abs=1e-9)


def test_conflicting_targets_are_averaged():
    X, y = np.vstack([BASE, BASE[:1]]), np.append(TARGETS, TARGETS[0] + 2.0)
    fit = kb.MinNormInterpolator(kb.Laplace()).fit(X, y)
    assert fit.mean(BASE[:1])[0] == pytest.approx(TARGETS[0] + 1.0, abs=1e-9)
    assert np.allclose(fit.mean(BASE[1:]), TARGETS[1:], atol=1e-9)


def test_equal_targets_cost_nothing():
    once = kb.MinNormInterpolator(kb.Gaussian(gamma=4.0)).fit(BASE, TARGETS)
    twice = kb.MinNormInterpolator(kb.Gaussian(gamma=4.0)).fit(TWICE, np.concatenate([TARGETS, TARGETS]))
    Z = np.random.default_rng(1).standard_normal((8, 4))
    assert np.allclose(once.mean(Z), twice.mean(Z), atol=1e-9)
    assert twice.norm == pytest.approx(once.norm, rel=1e-9)


def test_minus_zero_is_zero():
    X = np.array([[0.0, 1.0], [-0.0, 1.0]])
    assert kb.MinNormInterpolator(kb.Gaussian()).fit(X, [1.0, 1.0]).report.duplicates == 1


def test_all_targets_zero():
    fit = kb.MinNormInterpolator(kb.Gaussian()).fit(TWICE, np.zeros(12))
    assert not fit.mean(BASE).any()
    assert fit.report.residual == 0.0


def test_a_ridge_makes_the_matrix_regular():
    report = kb.KernelRidge(kb.Gaussian(), ridge=1e-3).fit(TWICE, np.concatenate([TARGETS, TARGETS])).report
    assert report.exact
    assert report.duplicates == 6


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kernel", [kb.Gaussian(gamma=4.0), kb.Laplace(), kb.Linear()], ids=repr)
def test_copies_are_found_in_data_of_the_papers_size(kernel, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 100))
    X = np.vstack([X, X[rng.integers(0, 60, size=15)]])
    y = rng.standard_normal(75)
    fit = kb.MinNormInterpolator(kernel).fit(X, y)
    assert (fit.report.rank, fit.report.duplicates) == (60, 15)
    assert np.allclose(fit.weights, oracles.min_norm_weights(kernel(X), y), atol=1e-6)


@pytest.mark.parametrize("offset", [10.0, 100.0, 1e3])
@pytest.mark.parametrize("kernel", [kb.Gaussian(gamma=4.0), kb.Laplace(), kb.Matern(nu=2.5)], ids=repr)
def test_copies_far_from_the_origin(kernel, offset):
    """A radial kernel does not see the origin: features with a large mean, such as years, must not matter."""
    rng = np.random.default_rng(0)
    X, y, Z = rng.standard_normal((30, 20)), rng.standard_normal(38), rng.standard_normal((10, 20))
    X = np.vstack([X, X[:8]])
    here = kb.MinNormInterpolator(kernel).fit(X, y)
    there = kb.MinNormInterpolator(kernel).fit(X + offset, y)
    assert there.report.rank == here.report.rank == 30
    assert np.allclose(there.mean(Z + offset), here.mean(Z), atol=1e-6)
