"""Spectra against dense eigenvalues, whichever side is smaller, and degenerate samples."""

import numpy as np
import pytest

import kernelbandits as kb
from kernelbandits import theory


@pytest.mark.parametrize(("n", "d"), [(1, 4), (6, 20), (20, 6), (7, 7)])
def test_eigenvalues(n, d):
    X = 0.1 * np.random.default_rng(n).standard_normal((n, d))
    found = theory.spectrum(X)
    assert len(found.eigenvalues) == min(n, d)
    np.testing.assert_allclose(found.eigenvalues, np.linalg.svd(X)[1] ** 2 / n)
    np.testing.assert_allclose(found.gram_eigenvalues, np.linalg.eigvalsh(X @ X.T / d)[::-1], atol=1e-12)
    assert found.trace == pytest.approx((X**2).sum() / n)
    assert found.level == pytest.approx(found.trace / d)
    assert found.effective_rank == pytest.approx(found.trace / np.linalg.norm(X.T @ X / n, 2))
    assert found.rank == min(n, d)


def test_rank_deficient_and_constant():
    X = np.random.default_rng(0).standard_normal((30, 2)) @ np.random.default_rng(1).standard_normal((2, 10))
    assert theory.spectrum(X).rank == 2
    assert theory.spectrum(np.ones((5, 3))).rank == 1
    zero = theory.spectrum(np.zeros((5, 3)))
    assert (zero.rank, zero.effective_rank, zero.trace) == (0, 0.0, 0.0)


def test_subsample_takes_rows_at_even_distances():
    X = np.arange(20.0).reshape(10, 2)
    np.testing.assert_array_equal(theory.subsample(X, 4)[:, 0], [0.0, 6.0, 12.0, 18.0])
    np.testing.assert_array_equal(theory.subsample(X, 99), X)


@pytest.mark.parametrize("call", [theory.spectrum, theory.classify, theory.moments])
def test_holes_are_refused_by_row_and_column(call):
    X = np.ones((6, 3))
    X[4, 1] = np.nan
    with pytest.raises(kb.errors.InvalidArgument, match="row 4, column 1 is nan"):
        call(X)


@pytest.mark.parametrize(
    ("covariance", "message"),
    [
        ([1.0, -1.0], r"entry 1 is -1\.0"),
        ([1.0], "one variance per feature"),
        ([[1.0, 0.0], [0.5, 1.0]], r"must be symmetric; entries \(0, 1\) and \(1, 0\)"),
    ],
)
def test_bad_covariances_are_refused(covariance, message):
    with pytest.raises(kb.errors.InvalidArgument, match=message):
        theory.moments(np.ones((3, 2)), covariance)


@pytest.mark.parametrize("kernel", [kb.Gaussian(), kb.Exponential(), kb.Matern(2.5), kb.Linear()])
@pytest.mark.parametrize(
    "X",
    [
        np.ones((1, 3)),
        np.ones((5, 3)),
        np.repeat([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]], 3, axis=0),
        np.array([[1.0, 0.0], [0.0, 0.0]]),
    ],
    ids=["one row", "constant", "repeated rows", "a zero row"],
)
def test_degenerate_samples_have_finite_answers(kernel, X):
    """Every quantity that is defined is finite; none warns (warnings are errors here)."""
    found = theory.linearize(kernel, X)
    assert np.isfinite(found.error)
    assert np.isfinite(theory.effective_variance(kernel, X))
    assert 0 <= theory.effective_bias(kernel, X) <= 2.0 + kernel.diagonal(X).mean()
    assert np.isfinite(theory.detailed_variance(kernel, X, 0.1)) or kernel == kb.Linear()
    assert theory.information_gain(kernel, X) > 0
    assert len(theory.assumptions(kernel, X).lines) > 5


def test_zeros_have_no_scale():
    assert theory.linearize(kb.Gaussian(), np.zeros((3, 2))).error == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(kb.errors.InvalidArgument, match="not all zeros"):
        theory.linearize(kb.Laplace(), np.zeros((3, 2)))
    assert len(theory.assumptions(kb.Laplace(), np.zeros((3, 2))).lines) > 5
