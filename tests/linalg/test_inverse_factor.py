"""The growing inverse Cholesky factor against numpy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from kernelbandits.linalg import InverseFactor

NOISE = 1e-9


def append(factor, column, corner):
    """The corner is a variance plus noise of 1e-9."""
    whitened = factor.whiten(column)
    return factor.append(whitened, corner - NOISE - whitened @ whitened, NOISE)


def inverse(factor):
    return factor.whiten(np.eye(factor.n))


def positive_definite(n, seed=0, trunk=0):
    """A matrix whose first `trunk` rows and columns do not depend on the seed."""
    B = np.random.default_rng(seed).standard_normal((n, 80))
    B[:trunk] = np.random.default_rng(100).standard_normal((trunk, 80))
    return B @ B.T / 80 + 0.1 * np.eye(n)


def grown(A, start=0):
    factor = InverseFactor.of(A[:start, :start].copy()) if start else InverseFactor.empty()
    appended = []
    for n in range(start, len(A)):
        factor, last = append(factor, A[:n, n], A[n, n])
        appended.append(last)
    return factor, appended


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 95, 96, 97, 200])
@pytest.mark.parametrize("start", [0, 1, 16, 100])
def test_is_the_inverse_of_numpys_factor(n, start):
    A = positive_definite(n)
    L = np.linalg.cholesky(A)
    factor, appended = grown(A, min(start, n))
    for candidate in (factor, InverseFactor.of(A.copy())):
        assert candidate.n == n
        assert np.allclose(inverse(candidate) @ L, np.eye(n), atol=1e-10)
        assert np.array_equal(inverse(candidate), np.tril(inverse(candidate)))
        assert candidate.log_det == pytest.approx(np.linalg.slogdet(A)[1], rel=1e-10, abs=1e-10)
        assert np.allclose(candidate.whiten(A) @ candidate.whiten(A).T, L.T @ L, rtol=1e-8, atol=1e-8)
    for row, last in enumerate(appended, start=n - len(appended)):
        assert np.allclose([*last.row, last.pivot], L[row, : row + 1], atol=1e-10)
        assert not last.floored


def test_an_indefinite_matrix_has_no_factor():
    assert InverseFactor.of(np.array([[1.0, 2.0], [2.0, 1.0]])) is None
    assert InverseFactor.of(np.zeros((2, 2))) is None


def test_a_lost_pivot_is_raised_and_told():
    factor, first = append(InverseFactor.empty(), np.zeros(0), 1.0)
    copy, second = append(factor, np.ones(1), 1.0)  # the corner leaves no room for the noise
    assert not first.floored
    assert second.floored
    assert second.pivot**2 > 2 * NOISE
    assert np.isfinite(inverse(copy)).all()


def test_a_variance_of_zero_is_not_lost():
    factor, _ = InverseFactor.empty().append(np.zeros(0), 0.0, NOISE)
    assert factor.log_det == pytest.approx(np.log(NOISE))
    _, last = factor.append(np.zeros(1), -0.1 * NOISE, NOISE)
    assert not last.floored


@given(st.integers(0, 40), st.integers(1, 20), st.integers(1, 20))
def test_branches_do_not_touch_each_other(trunk, left, right):
    A, B = positive_definite(trunk + left, 1, trunk), positive_definite(trunk + right, 2, trunk)
    base, _ = grown(A[:trunk, :trunk])

    def branch(matrix):
        factor = base
        for n in range(trunk, len(matrix)):
            factor, _ = append(factor, matrix[:n, n], matrix[n, n])
        return factor

    first, second = branch(A), branch(B)
    assert np.allclose(inverse(first) @ np.linalg.cholesky(A), np.eye(len(A)), atol=1e-8)
    assert np.allclose(inverse(second) @ np.linalg.cholesky(B), np.eye(len(B)), atol=1e-8)
    assert np.allclose(inverse(base) @ np.linalg.cholesky(A[:trunk, :trunk]), np.eye(trunk), atol=1e-8)


def test_several_rows_that_were_appended_at_once():
    A = positive_definite(40)
    L = np.linalg.cholesky(A)
    factor = InverseFactor.of(A[:25, :25].copy())
    for n in range(25, 40):  # nothing is asked in between
        factor, _ = factor.append(L[n, :n], L[n, n] ** 2 - NOISE, NOISE)
    assert np.allclose(inverse(factor) @ L, np.eye(40), atol=1e-10)


def test_a_branch_from_rows_that_are_not_folded_yet():
    A, B = positive_definite(8, 1, trunk=5), positive_definite(8, 2, trunk=5)
    first, second = np.linalg.cholesky(A), np.linalg.cholesky(B)
    factors = [InverseFactor.empty()]
    for n in range(8):  # nothing is asked, so all rows are pending
        factors.append(factors[-1].append(first[n, :n], first[n, n] ** 2 - NOISE, NOISE)[0])
    branch = factors[5]
    for n in range(5, 8):
        branch, _ = branch.append(second[n, :n], second[n, n] ** 2 - NOISE, NOISE)
    assert np.allclose(inverse(branch) @ second, np.eye(8), atol=1e-8)
    assert np.allclose(inverse(factors[8]) @ first, np.eye(8), atol=1e-8)
